import {chromeTraces} from './chrome.js';
import {csvTraces} from './csv.js';
import {jsonTraces} from './json.js';
import {pprofTraces} from './pprof.js';
import {textTraces} from './text.js';
import type {TraceFormat} from './trace-format.js';
import {xmlTraces} from './xml.js';

export type {TraceExportOptions, TraceFormat} from './trace-format.js';

/** What `tprof-top trace` writes, in the order of help. The first is taken where nobody chooses. */
export const traceFormats: readonly TraceFormat[] = [textTraces, jsonTraces, csvTraces, xmlTraces, pprofTraces, chromeTraces];
