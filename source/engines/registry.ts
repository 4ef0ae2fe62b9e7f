import {attachEngine} from './attach/engine.js';
import type {Engine} from './common/engine.js';
import {memoryEngine} from './memory/engine.js';

/**
The engines there are, the best first: `auto` takes the first that is ready. The --engine option, the
list of JVMs and the hints of the engines are made of this list.
*/
export const engines: readonly Engine[] = [memoryEngine, attachEngine];

/** Asked for instead of an engine's id: the best one for the target. */
export const auto = 'auto';
