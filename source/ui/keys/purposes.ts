import type {Action, KeyRow} from '../state/keys.js';

/** What one wants to do, with the actions for it: the help has the keys in this order. */
export const purposes: ReadonlyArray<{readonly title: string; readonly actions: readonly Action[]}> = [
	{title: 'Look closer', actions: ['open', 'look-into', 'trace', 'own-code', 'holders', 'next-link', 'previous-link', 'edit', 'of-view', 'next-view', 'previous-view']},
	{title: 'Find', actions: ['filter', 'only-threads', 'states', 'idle', 'clear-all']},
	{title: 'Order', actions: ['sort-self', 'sort-total', 'sort-ticks', 'sort-total-ticks', 'sort-cpu', 'sort-name', 'sort-previous', 'sort-next', 'sort-menu', 'reverse']},
	{title: 'Time', actions: ['window', 'earlier', 'later', 'mark', 'changes', 'reset', 'undo-reset', 'pause', 'sampling', 'delay']},
	{title: 'Save', actions: ['save', 'save-as', 'copy']},
	{title: 'Move', actions: ['up', 'down', 'page-up', 'page-down', 'home', 'end', 'left', 'right']},
	{title: 'How it looks', actions: ['columns-menu', 'column-left', 'column-right', 'names', 'unit', 'redraw']},
	{title: 'Type', actions: ['accept', 'erase', 'erase-word', 'erase-all']},
	{title: 'Help and leave', actions: ['help-view', 'help', 'back', 'suspend', 'quit']},
];

/** The title of those that have no purpose here. */
const others = 'More';

/** Rows of keys by purpose, in the order of the purposes; within one in the order of the key table. */
export function byPurpose(rows: readonly KeyRow[]): ReadonlyArray<{readonly title: string; readonly rows: readonly KeyRow[]}> {
	const titleOf = (row: KeyRow) => purposes.find(({actions}) => actions.includes(row.action))?.title ?? others;
	return [...purposes.map(({title}) => title), others]
		.map(title => ({title, rows: rows.filter(row => titleOf(row) === title)}))
		.filter(group => group.rows.length > 0);
}
