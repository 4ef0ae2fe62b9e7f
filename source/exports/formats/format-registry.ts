import {usage} from '../../runtime/errors.js';
import {pprof} from '../pprof/write.js';
import {chromeTraces} from '../traces/chrome.js';
import {xmlTraces} from '../traces/xml.js';
import type {ExportFormat, Format} from '../common/export-format.js';
import {collapsed} from './collapsed.js';
import {csv} from './csv.js';
import {flameGraph} from './flame-graph.js';
import {json} from './json.js';
import {lines, votes} from './lines-and-votes.js';
import {markdown} from './markdown.js';
import {speedscope} from './speedscope.js';
import {text} from './text.js';

export type {ExportFormat, ExportOptions, Format} from '../common/export-format.js';

/** All formats, in the order of --help; --format, the save dialogue and the contract test derive from it. */
export const allFormats: readonly Format[] = [
	text,
	markdown,
	json,
	csv,
	lines,
	votes,
	pprof,
	collapsed,
	speedscope,
	flameGraph,
	{id: 'xml', title: 'XML', extension: '.xml', traces: xmlTraces},
	{id: 'chrome', title: 'Chrome trace events', extension: '.json', traces: chromeTraces},
];

export const exportFormats = allFormats.filter((format): format is ExportFormat => format.write !== undefined);

/** Returns the format with this id of --format; throws UserError (2) for one of traces alone. */
export function formatOf(id: string): ExportFormat {
	const format = exportFormats.find(candidate => candidate.id === id);
	if (!format) {
		throw usage(`--format ${id} is for tprof-top trace`, 'tprof-top --help lists the formats');
	}

	return format;
}

export function usualFormat(use: NonNullable<ExportFormat['usualFor']>): ExportFormat {
	return exportFormats.find(({usualFor}) => usualFor === use)!;
}

/** The formats of the save dialogue, the default first. */
export const saveFormats: readonly ExportFormat[] = [
	usualFormat('save'),
	...exportFormats.filter(({usualFor}) => usualFor !== 'save'),
];

type ReportFormat<Kind extends 'traces' | 'tasks'> = Format & {readonly [Key in Kind]: NonNullable<Format[Key]>};

/** Returns the formats that write the agent's reports of a kind. */
export function reportFormats<Kind extends 'traces' | 'tasks'>(kind: Kind): ReadonlyArray<ReportFormat<Kind>> {
	return allFormats.filter((format): format is ReportFormat<Kind> => format[kind] !== undefined);
}
