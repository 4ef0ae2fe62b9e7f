import {safe, type Printable} from '../../util/printable.js';
import {groupings, type Opening, type Query} from '../../query/types/query.js';
import type {ViewKey, ViewRow} from './view.js';

type OpenableRow = ViewRow & {readonly isOpen?: boolean; readonly parentKey?: string};

/** The keys that open and close rows of a tree, as in htop. */
export const openingKeys: readonly ViewKey[] = [
	{
		keys: ['right', '+'],
		label: 'Right +',
		help: 'open the row; when it is open, go to the first below it',
		knownFrom: 'htop',
		press: onRow((row, query, next) =>
			row.isOpen
				? {change: {}, select: next?.key ?? row.key}
				: {change: withOpening(query, row, 'open'), select: row.key}),
	},
	{
		keys: ['left', '-'],
		label: 'Left -',
		help: 'close the row; when it is closed, go to its parent',
		knownFrom: 'htop',
		press: onRow((row, query) =>
			row.isOpen
				? {change: withOpening(query, row, 'closed'), select: row.key}
				: {change: {}, select: row.parentKey ?? row.key}),
	},
	{
		keys: ['*'],
		label: '*',
		help: 'open the row and all below it, or close it again',
		knownFrom: 'htop',
		press: onRow((row, query) => ({
			change: withOpening(query, row, query.tree?.opened?.get(row.key) === 'all' ? 'closed' : 'all'),
			select: row.key,
		})),
	},
];

/** `+` and `-` alone, for a view of which few rows open: arrows scroll it sideways. */
export const plusAndMinus: readonly ViewKey[] = openingKeys.slice(0, 2).map(({keys, label, ...key}) => ({
	...key, keys: keys.slice(1), label: label.at(-1)!,
}));

/** Returns the choice after the current one, or the first. */
export function choiceAfter<Choice>(choices: readonly Choice[], current: Choice | undefined): Choice {
	return choices[(choices.indexOf(current as Choice) + 1) % choices.length];
}

/** Returns the key `l`, which goes on to the next choice of what a row is. */
export function cyclingKey<Choice>(
	help: string,
	choices: readonly Choice[],
	current: (query: Query) => Choice,
	change: (choice: Choice, query: Query) => ReturnType<ViewKey['press']>,
): ViewKey {
	return {keys: ['l'], label: 'l', help, press: query => change(choiceAfter(choices, current(query)), query)};
}

/** Returns what a sentence says does something: a key on the screen, an option in a report. */
export function keyOrOption({summary}: Query, key: Printable, option: Printable): Printable {
	return summary?.isReport ? option : key;
}

/** Returns remarks on the grouping of rows, for the line of tabs. */
export function groupingRemarks({by, ownFirst}: Query): Printable[] {
	return [...(by === 'line' ? [] : [safe`by ${by}`]), ...(ownFirst ? [safe`own code`] : [])];
}

/** Changes how samples are grouped into rows; forgets which rows of a tree are open, as keys differ by grouping. */
export const groupingKey: ViewKey = {
	...cyclingKey(
		'rows by line, method or class',
		groupings,
		({by}) => by,
		(by, {tree}) => ({change: {by, tree: {isBottomUp: tree?.isBottomUp}}, message: `rows by ${by}`}),
	),
	knownFrom: 'py-spy',
};

export const directionKey: ViewKey = {
	keys: ['b'],
	label: 'b',
	help: 'bottom-up from hot lines to their callers, or top-down from the threads\' roots',
	press({tree}) {
		const isBottomUp = !tree?.isBottomUp;
		return {
			change: {tree: {isBottomUp}},
			message: isBottomUp
				? 'bottom-up: hot lines, and below each who called it'
				: 'top-down: from the threads\' roots to what they call',
		};
	},
};

export const treeKeys: readonly ViewKey[] = [groupingKey, ...openingKeys];

/** Handles a key on a row; `next` is the row below it. */
type RowPress = (row: OpenableRow, query: Query, next: ViewRow | undefined) => ReturnType<ViewKey['press']>;

/** Returns the handler of a key that acts on the selected row. */
function onRow(press: RowPress): ViewKey['press'] {
	return (query, at) => at ? press(at.row, query, at.rows.at(at.index + 1)) : {change: {}};
}

function withOpening({tree}: Query, {key}: OpenableRow, opening: Opening): Pick<Query, 'tree'> {
	return {tree: {...tree, opened: new Map([...tree?.opened ?? [], [key, opening]])}};
}
