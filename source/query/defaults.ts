import type {Query} from './types.js';

/** How a view starts: lines by their share of CPU time, highest first, RUNNABLE and BLOCKED counted. */
export const defaultQuery: Query = Object.freeze({
	by: 'line', unit: 'cpu', states: ['RUNNABLE', 'BLOCKED'], filter: '', sort: {column: 'self', reverse: false}, showIdle: false, fullNames: false,
} satisfies Query);
