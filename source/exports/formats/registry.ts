import {pprof} from '../pprof/format.js';
import {csv} from './csv.js';
import type {ExportFormat} from './export-format.js';
import {json} from './json.js';
import {lines} from './lines.js';
import {text} from './text.js';
import {votes} from './votes.js';

export type {ExportFormat, ExportOptions} from './export-format.js';

/**
All formats, in the order of help. The --format option, the save dialogue and the contract test are made from this list.
*/
export const formats: readonly ExportFormat[] = [text, json, csv, lines, votes, pprof];

/** The format of an id of the registry. */
export function formatOf(id: string): ExportFormat {
	return formats.find(format => format.id === id)!;
}

/** The format that is taken where nobody chooses. */
export function usualFormat(use: NonNullable<ExportFormat['usualFor']>): ExportFormat {
	return formats.find(({usualFor}) => usualFor === use)!;
}

/** The formats in the order of the save dialogue: the usual one first. */
export const saveFormats: readonly ExportFormat[] = [usualFormat('save'), ...formats.filter(({usualFor}) => usualFor !== 'save')];
