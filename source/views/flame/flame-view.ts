import {joined, safe} from '../../util/printable.js';
import {directionKey, groupingKey} from '../common/opening-keys.js';
import type {View, ViewKey} from '../common/view.js';
import {treeColumns} from '../tree/tree.js';
import {treeView} from '../tree/tree-view.js';
import {flameOrder, queryFlame, type FlameRow} from './flame.js';

const pageSteps = 10;

/** Frames as boxes above what they call, as wide as their share: an icicle, the flame graph turned upside down. */
export const flameView: View<FlameRow> = {
	id: 'flame',
	title: 'Flame',
	isIcicle: true,
	columns: treeColumns,
	sort: flameOrder,
	keys: [
		{...moving((row, rows) => callerOf(row, rows)), keys: ['up', 'k'], label: 'Up k', help: 'to the frame above'},
		{
			...moving((row, rows) => widestBelow(row, rows)),
			keys: ['down', 'j'],
			label: 'Down j',
			help: 'to the widest frame below',
		},
		{
			...moving((row, rows) => beside(row, rows, -1)),
			keys: ['left'],
			label: 'Left',
			help: 'to the frame on the left',
		},
		{
			...moving((row, rows) => beside(row, rows, 1)),
			keys: ['right'],
			label: 'Right',
			help: 'to the frame on the right',
		},
		{
			...moving((row, rows) => repeated(row, pageSteps, at => callerOf(at, rows))),
			keys: ['pageup', 'ctrl-u'],
			label: 'PgUp Ctrl-U',
			help: 'ten frames up',
		},
		{
			...moving((row, rows) => repeated(row, pageSteps, at => widestBelow(at, rows))),
			keys: ['pagedown', 'ctrl-d'],
			label: 'PgDn Ctrl-D',
			help: 'ten frames down, always to the widest',
		},
		{
			...moving((_, rows) =>
				repeated(widestOf(rows.filter(({depth}) => depth === 0))!, rows.length, at => widestBelow(at, rows))),
			keys: ['end', 'G'],
			label: 'End G',
			help: 'to the end of the hot path: from the top always to the widest frame',
		},
		{
			keys: ['enter'],
			label: 'Enter',
			help: 'zoom: the frame gets the whole width; Esc shows all again',
			isOnClick: true,
			press: ({tree}, at) =>
				at ? {change: {tree: {...tree, zoom: at.row.key}}, select: at.row.key} : {change: {}},
		},
		directionKey,
		groupingKey,
	],
	about:
		'Frames as boxes above what they call, as wide as their share, ordered by name: own code in warm colors, '
		+ 'libraries in cool ones by package, the JVM and native code grey (of 16 colors yellow, green and cyan, dim); '
		+ 'shares of ticks in the color of the state in which threads mostly wait. '
		+ 'The filter marks what matches (with * if there are no colors), and says its share.',
	hints: (_, {tree}) => [
		tree?.zoom === undefined
			? {key: 'enter', title: 'zoom', short: 'zoom'}
			: {key: 'escape', title: 'all again', short: 'all'},
		{key: '/', title: 'mark what matches', short: 'find'},
		tree?.isBottomUp
			? {key: 'b', title: 'from the roots', short: 'roots'}
			: {key: 'b', title: 'from hot lines', short: 'hot lines'},
	],
	query: queryFlame,
	onEscape: ({tree}) => tree?.zoom === undefined ? undefined : {tree: {...tree, zoom: undefined}},
	isDim: treeView.isDim,
	remark: query =>
		joined([treeView.remark!(query), query.tree?.zoom === undefined ? safe`` : safe`zoomed`].filter(Boolean), safe`, `),
	locationOf: treeView.locationOf,
	detail: treeView.detail,
	titleLines: treeView.titleLines,
	// Those of Tree: boxes are rows of the same tree, and files have all of it.
	files: treeView.files as View<FlameRow>['files'],
};

function moving(to: (row: FlameRow, rows: readonly FlameRow[]) => FlameRow | undefined): Pick<ViewKey, 'press'> {
	return {
		press(_, at) {
			if (!at) {
				return {change: {}};
			}

			const [row, rows] = [at.row as FlameRow, at.rows as readonly FlameRow[]];
			return {change: {}, select: (to(row, rows) ?? row).key};
		},
	};
}

function callerOf({parent}: FlameRow, rows: readonly FlameRow[]): FlameRow | undefined {
	return rows.find(other => other === parent);
}

function widestBelow(row: FlameRow, rows: readonly FlameRow[]): FlameRow | undefined {
	return widestOf(rows.filter(({parent}) => parent === row));
}

function widestOf(rows: readonly FlameRow[]): FlameRow | undefined {
	return rows.toSorted((a, b) => b.part - a.part).at(0);
}

/** Returns the box on the left (-1) or right (1) in the same line. */
function beside(row: FlameRow, rows: readonly FlameRow[], step: -1 | 1): FlameRow | undefined {
	const inLine = rows.filter(({depth}) => depth === row.depth);
	return inLine.at(Math.max(0, inLine.indexOf(row) + step));
}

/** Returns the last box of up to `count` moves. */
function repeated(row: FlameRow, count: number, next: (row: FlameRow) => FlameRow | undefined): FlameRow {
	let at = row;
	for (let moves = 0; moves < count; moves++) {
		at = next(at) ?? at;
	}

	return at;
}
