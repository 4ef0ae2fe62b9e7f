import {defaultQuery} from '../query/defaults.js';
import type {Query} from '../query/types.js';
import type {Options} from './parse.js';

/** The query that the command line asks for. */
export function queryOf({by, filter, idle, reverse, sort, states}: Options): Query {
	return {
		...defaultQuery,
		by,
		filter,
		states: states ?? defaultQuery.states,
		sort: {column: sort, reverse},
		showIdle: idle,
	};
}
