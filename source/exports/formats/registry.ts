import {pprof} from '../pprof/format.js';
import {csv} from './csv.js';
import type {ExportFormat} from './export-format.js';
import {json} from './json.js';
import {lines} from './lines.js';
import {text} from './text.js';
import {votes} from './votes.js';

export type {ExportFormat, ExportOptions} from './export-format.js';

/**
All formats, in the order of help. The --format option, the save dialogue and the contract test are made of this list.
*/
export const formats: readonly ExportFormat[] = [text, json, csv, lines, votes, pprof];
