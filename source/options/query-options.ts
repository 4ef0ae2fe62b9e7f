import {UserError} from '../process/errors.js';
import {defaultQuery} from '../query/defaults.js';
import {parseFilter} from '../query/filter/filter.js';
import type {Query} from '../query/types.js';
import {views} from '../views/registry.js';
import type {Options} from './parse.js';

/** The query that the command line asks for. Throws UserError (2) for a column or a filter that is none. */
export function queryOf({by, filter, idle, reverse, sort, states}: Options): Query {
	const parsed = parseFilter(filter);
	if (!parsed.ok) {
		throw new UserError(`--filter: ${parsed.error}`, {hint: 'words, !word, a|b, /regex/, state:B, thread:http-*, pct>1', exitCode: 2});
	}

	const column = (sort ?? defaultQuery.sort.column).toLowerCase().replace(/^%/, '');
	const [{columns}] = views;
	if (!columns.some(({id}) => id === column)) {
		throw new UserError(`unknown column in --sort: "${sort}"`, {hint: `use ${columns.map(({id}) => id).join(', ')}`, exitCode: 2});
	}

	return {
		...defaultQuery,
		by,
		filter,
		states: states ?? defaultQuery.states,
		sort: {column, reverse},
		showIdle: idle,
	};
}
