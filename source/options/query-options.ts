import {defaultQuery} from '../query/defaults.js';
import type {Query} from '../query/types.js';
import {viewOf, views} from '../views/registry.js';
import type {Options} from './parse.js';
import {usage} from './usage.js';

/** The query that the command line asks for. Throws UserError (2) for a column that the view does not have. */
export function queryOf({
	app, by, depth, filter, idle, mark, method, ownFirst, reverse, sort, states, view,
}: Options): Query {
	const {columns, sort: usual} = view === undefined ? views[0] : viewOf(view);
	const column = (sort ?? usual.column).toLowerCase().replace(/^%/, '');
	if (!columns.some(({id}) => id === column)) {
		throw usage(`unknown column in --sort: "${sort}"`, `use ${columns.map(({id}) => id).join(', ')}`);
	}

	return {
		...defaultQuery,
		by,
		filter,
		...(depth === undefined || !Number.isFinite(depth) ? {} : {depth}),
		...(mark === undefined ? {} : {mark}),
		...(method === undefined ? {} : {method}),
		...(ownFirst || app ? {ownFirst: true} : {}),
		...(app ? {app} : {}),
		states: states ?? defaultQuery.states,
		sort: {column, reverse},
		showIdle: idle,
	};
}
