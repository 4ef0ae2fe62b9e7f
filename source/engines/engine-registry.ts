import {attachEngine} from './attach/attach-engine.js';
import type {Engine} from './common/engine.js';
import {memoryEngine} from './memory/memory-engine.js';

/**
All engines, the best first: `auto` selects the first that is ready. The --engine option, the list of JVMs and the
engines' hints are derived from this list.
*/
export const engines: readonly Engine[] = [memoryEngine, attachEngine];

/** Value of --engine that selects the best engine for the target. */
export const auto = 'auto';
