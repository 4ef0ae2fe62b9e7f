import {Box} from 'ink';
import {cellWidth} from '../../util/cell-width.js';
import {amountText} from '../../query/columns/event-columns.js';
import {formatCount, formatMs, formatPercent} from '../../query/columns/format.js';
import {stateRole} from '../../query/columns/state-cells.js';
import {codeKind} from '../../query/counters/own-code.js';
import {effectiveUnit} from '../../query/counters/scope.js';
import {shortName} from '../../query/columns/names.js';
import {isOfEvents, type Query} from '../../query/types/query.js';
import {hash, safe, type Printable} from '../../util/printable.js';
import {stateCode, threadStates, type ThreadState} from '../../model/thread-state.js';
import type {FlameRow} from '../../views/flame/flame.js';
import {useHitArea} from '../hooks/hit-areas.js';
import {rowsOf, type ScreenData} from '../state/screen-data.js';
import {selectedRow, type UiState} from '../state/state.js';
import type {Role} from '../../model/role.js';
import {emptyText} from '../status/empty-text.js';
import type {Layout} from '../text/screen-layout.js';
import {elideEnd, fit, wrappedSpans, type Span, type Spans} from '../text/spans.js';
import type {Theme} from '../terminal/theme.js';
import {Lines, useTheme} from './text.js';

type IcicleProps = {readonly ui: UiState; readonly data: ScreenData; readonly layout: Layout};

/** The Flame view: the selected frame's name and figures, then frames as boxes above what they call. */
export function Icicle({ui, data, layout}: IcicleProps) {
	const theme = useTheme();
	const {hasColor} = theme;
	const {width, tableRows, hasHeading} = layout;
	const rows = rowsOf(data) as readonly FlameRow[];
	const selected = selectedRow(ui, rows) as FlameRow | undefined;
	// The selected box stays on the screen, with a line of what it calls.
	const firstDepth = Math.max(0, (selected?.depth ?? 0) - Math.max(0, tableRows - 2));
	const boxes = boxesOf(rows, {firstDepth, lines: tableRows, width});
	const headingLines = hasHeading ? 1 : 0;
	const hitArea = useHitArea((line, column) => {
		const box = boxes.at(line - headingLines)?.find(({from, to}) => column >= from && column < to);
		return line < headingLines || !box ? undefined : {kind: 'row', key: box.row.key};
	});
	const isSearching = rows.some(({isFound}) => isFound) || ui.query.filter !== '';
	const lines = rows.length === 0
		? wrappedSpans(emptyText(ui, data), width, 'dim')
		: boxes.map(line =>
			boxSpans(line, {theme, matchEdge: hasColor ? undefined : safe`*`, selected, query: ui.query, isSearching}));
	return (
		<Box ref={hitArea} flexDirection='column'>
			{hasHeading
				? <Lines lines={[selected ? selectionHeading(selected, ui.query, width) : []]} width={width}/>
				: null}
			<Lines lines={lines} width={width} height={tableRows}/>
		</Box>
	);
}

/** A box on the screen: its first cell, and the one after its last. */
type FlameBox = {readonly row: FlameRow; readonly from: number; readonly to: number};

/** Returns the boxes of each line, from left to right; without most of those that are narrower than a cell. */
function boxesOf(
	rows: readonly FlameRow[],
	{firstDepth, lines, width}: {readonly firstDepth: number; readonly lines: number; readonly width: number},
): FlameBox[][] {
	const boxes: FlameBox[][] = Array.from({length: lines}, () => []);
	for (const row of rows) {
		const [from, to] = [Math.round(row.start * width), Math.round((row.start + row.part) * width)];
		if (to > from && row.depth >= firstDepth) {
			boxes.at(row.depth - firstDepth)?.push({row, from, to});
		}
	}

	return boxes;
}

type BoxContext = {
	readonly theme: Theme;
	/** The edge of boxes that match the filter, if no colour marks them. */
	readonly matchEdge: Printable | undefined;
	readonly selected: FlameRow | undefined;
	readonly query: Query;
	/** Whether a filter marks boxes: only matches are then filled. */
	readonly isSearching: boolean;
};

const edge = safe`▏`;

function boxSpans(boxes: readonly FlameBox[], context: BoxContext): Spans {
	const {theme, matchEdge = edge, selected, query, isSearching} = context;
	const spans: Span[] = [];
	let at = 0;
	for (const {row, from, to} of boxes) {
		const room = to - from - 1;
		const name = room < minNameCells ? safe`` : nameInBox(row, room);
		const isSelected = row === selected;
		const isFilled = !isSelected && (!isSearching || row.isFound);
		spans.push(
			{text: safe` `.repeat(from - at)},
			{
				text: safe`${(isSelected ? '>' : (row.isFound ? matchEdge : edge))}${fit(name, room)}`,
				role: isSelected ? 'selected' : roleOf(row, query),
				isFilled,
				boxColor: isFilled ? boxColorOf(row, query, theme) : undefined,
			},
		);
		at = to;
	}

	return spans;
}

const minNameCells = 3;

/** Returns as much of a frame's name as fits: the package is shortened first, then class and line go. */
export function nameInBox(row: FlameRow, room: number): Printable {
	const name = shortName(row, room, true);
	const {method, line} = row;
	const withLine = line >= 0 ? safe`${method}:${line}` : method;
	return name.startsWith('…') && method !== ''
		? (cellWidth(withLine) <= room ? withLine : elideEnd(method, room))
		: name;
}

/** Styles of libraries' code: one by a hash of the package. */
const libraryRoles: readonly Role[] = ['running', 'key'];

/**
Returns the role of a box: the state in which its threads mostly wait, if shares are of ticks, or whose code it is.
*/
function roleOf(row: FlameRow, query: Query): Role {
	const waiting = waitingStateOf(row, query);
	if (waiting) {
		return stateRole(waiting);
	}

	const kind = codeKind(row, query.app);
	return kind === 'own' ? 'hot' : (kind === 'other' ? 'dim' : libraryRoles[packageHash(row) % libraryRoles.length]);
}

/** Returns the colour of a box by whose code it is; undefined if its role decides. */
function boxColorOf(row: FlameRow, query: Query, theme: Theme): number | undefined {
	return waitingStateOf(row, query)
		? undefined
		: theme.boxColor(roleOf(row, query), codeKind(row, query.app), packageHash(row), row.depth);
}

/** Returns the state in which a box's threads mostly wait, if shares are of ticks. */
function waitingStateOf({states, totalTicks}: FlameRow, query: Query): ThreadState | undefined {
	return effectiveUnit(query) === 'ticks'
		? threadStates.find((state, code) =>
			code !== stateCode.RUNNABLE && query.states.includes(state) && states[code] > totalTicks / 2)
		: undefined;
}

function packageHash({className}: FlameRow): number {
	return hash(className.slice(0, className.lastIndexOf('.')));
}

function selectionHeading(row: FlameRow, query: Query, width: number): Spans {
	const unit = effectiveUnit(query);
	const ofCpu = isOfEvents(unit) ? amountText(unit, row.totalCpuNs) : safe`${formatMs(row.totalCpuNs)} ms`;
	const amount = unit === 'ticks' ? safe`${formatCount(row.totalTicks)} ticks` : ofCpu;
	const {total, self} = row.percents;
	const figures = safe` ${formatPercent(total)}%  ${amount}  self ${formatPercent(self)}%`;
	const room = Math.max(0, width - figures.length);
	return [
		{text: fit(shortName(row, room, true), room), role: 'title'},
		{text: elideEnd(figures, width), role: 'heading'},
	];
}
