import {pprof} from '../pprof/write.js';
import {chromeTraces} from '../traces/chrome.js';
import {xmlTraces} from '../traces/xml.js';
import type {ExportFormat, Format} from '../common/export-format.js';
import {csv} from './csv.js';
import {json} from './json.js';
import {lines} from './lines.js';
import {text} from './text.js';
import {votes} from './stack-histogram.js';

export type {ExportFormat, ExportOptions, Format} from '../common/export-format.js';

/** All formats, in the order of help: --format, the save dialogue and the contract test are made from this list. */
export const allFormats: readonly Format[] = [
	text,
	json,
	csv,
	lines,
	votes,
	pprof,
	{id: 'xml', title: 'XML', extension: '.xml', traces: xmlTraces},
	{id: 'chrome', title: 'Chrome trace events', extension: '.json', traces: chromeTraces},
];

/** Those that snapshots are written in. */
export const formats = allFormats.filter((format): format is ExportFormat => format.write !== undefined);

/** The format of an id of the registry; undefined for one that snapshots are not written in. */
export function formatOf(id: string): ExportFormat {
	return formats.find(format => format.id === id)!;
}

/** The format where nobody chooses. */
export function usualFormat(use: NonNullable<ExportFormat['usualFor']>): ExportFormat {
	return formats.find(({usualFor}) => usualFor === use)!;
}

/** The formats in the order of the save dialogue: the usual one first. */
export const saveFormats: readonly ExportFormat[] = [usualFormat('save'), ...formats.filter(({usualFor}) => usualFor !== 'save')];

/** The formats that reports of an agent are written in. */
export function reportFormats<Kind extends 'traces' | 'tasks'>(kind: Kind): ReadonlyArray<Format & {readonly [Key in Kind]: NonNullable<Format[Key]>}> {
	return allFormats.filter((format): format is Format & {readonly [Key in Kind]: NonNullable<Format[Key]>} => format[kind] !== undefined);
}
