import {defaultQuery, type Query} from '../query/types/query.js';
import {viewOf, views} from '../views/registry.js';
import {usage} from '../runtime/errors.js';
import type {Options} from './parse.js';

/** The query that the command line asks for. Throws UserError (2) for a column that the view does not have. */
export function queryOf({
	app, by, depth, filter, idle, javaOnly, mark, method, native, ownFirst, reverse, sort, states, view,
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
		...(mark === undefined ? {} : {baseline: mark}),
		...(method === undefined ? {} : {method}),
		...(ownFirst || app ? {ownFirst: true} : {}),
		...(javaOnly ? {javaOnly} : {}),
		...(native ? {native} : {}),
		...(app ? {app} : {}),
		states: states ?? defaultQuery.states,
		sort: {column, reverse},
		showIdle: idle,
	};
}
