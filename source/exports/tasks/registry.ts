import {csvTasks} from './csv.js';
import {jsonTasks} from './json.js';
import type {TaskFormat} from './task-format.js';
import {textTasks} from './text.js';

/** What `tprof-top tasks` writes, in the order of help. The first is taken where nobody chooses. */
export const taskFormats: readonly TaskFormat[] = [textTasks, jsonTasks, csvTasks];
