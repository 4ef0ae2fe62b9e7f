import {defaultQuery, type Query} from '../query/types/query.js';
import {viewOf, views} from '../views/view-registry.js';
import {usage} from '../runtime/errors.js';
import type {Options} from './parse.js';

/** Returns the query of the command line. Throws UserError (exit code 2) for a column that the view does not have. */
export function queryOfOptions({
	app, baseline, by, depth, filter, firstLine, idle, javaOnly, measure, method, native, ownFirst, reverse, sort,
	states, unit, view,
}: Options): Query {
	const {columns, sort: defaultSort} = view === undefined ? views[0] : viewOf(view);
	// As with top's -o, the name may begin with %: `%cpu`.
	const column = (sort ?? defaultSort.column).toLowerCase().replace(/^%/, '');
	if (!columns.some(({id}) => id === column)) {
		throw usage(`unknown column in --sort: "${sort}"`, `use ${columns.map(({id}) => id).join(', ')}`);
	}

	return {
		...defaultQuery, app, baseline, by, depth, filter, firstLine, javaOnly, method, native,
		ownFirst: ownFirst || app !== undefined,
		states: states ?? defaultQuery.states,
		unit: measure === 'cpu' ? unit ?? defaultQuery.unit : measure,
		sort: {column, reverse},
		showsWaitsForWork: idle,
	};
}
