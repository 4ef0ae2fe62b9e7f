import {Box, Text} from 'ink';
import {memo} from 'react';
import {safe, type Printable} from '../../util/printable.js';
import {cellWidth} from '../../util/cell-width.js';
import {sumOf} from '../../util/sum.js';
import {useHitArea} from '../hooks/hit-areas.js';
import {sortOf, shownRows, type ChoiceCell, type ChoiceRow, type ChooserState} from '../state/reduce-chooser.js';
import {elideEnd, fit, pad, truncateSpans, type Spans} from '../text/spans.js';
import {areSame, Line, Lines, Pieces, useTheme} from './text.js';

/** A column of a list; the last one takes the width that the others leave. */
export type ChoiceColumn = {
	readonly id: string;
	readonly heading: Printable;
	readonly align: 'left' | 'right';
	/** Least terminal width, in columns, at which it is shown, and the width from which on it is not. */
	readonly fromColumns: number;
	readonly belowColumns?: number;
	/** The part of the line that it takes at most; by default half. */
	readonly maxShare?: number;
	/** Whether rows are sorted by its text, the lowest first; otherwise by rank, the highest first. */
	readonly isText?: boolean;
	/** Whether rows cannot be sorted by it. */
	readonly isUnsorted?: boolean;
	/** For the help. */
	readonly description: Printable;
};

/** What there is to choose from. Texts are printable. */
export type ChoiceList = {
	readonly title: Printable;
	/** More about the rows, what matters most first. */
	readonly facts?: readonly Printable[];
	/** At the right end of the title. */
	readonly right?: Printable;
	readonly columns: readonly ChoiceColumn[];
	/** The column by which the rows come sorted; undefined if there is no such column. */
	readonly sortedBy?: string;
	readonly rows: readonly ChoiceRow[];
	/** Shown if there are no rows. */
	readonly none: Printable;
	/** Shown while there is no other message. */
	readonly message?: Printable;
	/** Whether the selected row's detail is shown. */
	readonly hasDetails?: boolean;
};

type ChoiceTableProps = {
	readonly state: ChooserState;
	readonly choices: ChoiceList;
	readonly width: number;
	/** The rows that fit. */
	readonly room: number;
};

/** Rows to choose from below their headings: the selected one and those around it, or why there are none. */
export function ChoiceTable({state, choices, width, room}: ChoiceTableProps) {
	const {rows, none} = choices;
	const columns = fittedColumns(choices, width);
	const {matches, scrollTop, selected} = shownRows(state, choices, room);
	const shown = matches.slice(scrollTop, scrollTop + room);
	const hitArea = useHitArea((line, cell) => {
		if (line === 0) {
			const column = columnAt(columns, cell);
			return column === undefined ? undefined : {kind: 'heading', column};
		}

		const row = shown.at(line - 1);
		return row && {kind: 'row', key: row.id};
	});
	const reason = elideEnd(rows.length === 0 ? none : safe`nothing matches; Esc clears the filter`, width);
	const reasonLine: Spans = [{text: reason, role: 'dim'}];
	return (
		<>
			<Box ref={hitArea} flexDirection='column' height={1 + (shown.length > 0 ? room : 0)}>
				<Line spans={headingSpans(columns, sortOf(state, choices))} width={width}/>
				{shown.map((row, index) => {
					const isSelected = scrollTop + index === selected;
					const cells = cellsOf(row, columns, isSelected ? width - 1 : undefined);
					return (
						<Choice
							key={row.id}
							cells={truncateSpans(cells, width - 1)}
							isSelected={isSelected}
							isDim={row.problem !== undefined}
						/>
					);
				})}
			</Box>
			{shown.length === 0 ? <Lines lines={[reasonLine]} width={width} height={room}/> : null}
		</>
	);
}

type ChoiceProps = {readonly cells: Spans; readonly isSelected: boolean; readonly isDim: boolean};

/** A row; it is drawn again only if it looks different. */
const Choice = memo(({cells, isSelected, isDim}: ChoiceProps) => {
	const role = isSelected ? 'selected' : (isDim ? 'dim' : undefined);
	return (
		<Text wrap='truncate' {...useTheme().styleOf(role)}>
			{isSelected ? '>' : ' '}
			<Pieces spans={role ? cells.map(({text}) => ({text})) : cells}/>
		</Text>
	);
}, (before, after) => (
	before.isSelected === after.isSelected && before.isDim === after.isDim && areSame(before.cells, after.cells)
));

/** A column that is shown; `index`: of its cells. */
type FittedColumn = ChoiceColumn & {readonly index: number; readonly cells: number};

/** The cell between two columns. */
const gap = safe` `;

/** The width that a flexible column needs at least to be worth its place. */
const leastFlexible = 12;

/** Returns the columns that are shown on a screen of some columns, each with its index. */
export function visibleColumns<Column extends Pick<ChoiceColumn, 'fromColumns' | 'belowColumns'>>(
	columns: readonly Column[],
	screenColumns: number,
): ReadonlyArray<Column & {readonly index: number}> {
	return columns.map((column, index) => ({...column, index}))
		.filter(({fromColumns, belowColumns}) =>
			screenColumns >= fromColumns && (belowColumns === undefined || screenColumns < belowColumns));
}

/** Returns the columns for this screen width, each as wide as its longest cell. `width`: screen columns - 1. */
function fittedColumns({columns, rows}: ChoiceList, width: number): readonly FittedColumn[] {
	const visible = visibleColumns(columns, width + 1);
	const before = visible.slice(0, -1).map((column): FittedColumn => {
		const most = Math.floor(width * (column.maxShare ?? 1 / 2));
		// The heading has room for the mark of the sorted column.
		const ofHeading = cellWidth(column.heading) + (column.isUnsorted ? 0 : 1);
		const ofRows = rows.map(row => cellWidth(textFor(row.cells[column.index], most)));
		return {...column, cells: Math.min(most, Math.max(ofHeading, ...ofRows))};
	});
	const taken = sumOf(before, ({cells}) => cells + gap.length);
	return [...before, {...visible.at(-1)!, cells: Math.max(leastFlexible, width - 1 - taken)}];
}

/** Returns the text of a cell, or its short one if that text is wider than `width`. */
export function textFor({text, short = text}: Pick<ChoiceCell, 'text' | 'short'>, width: number): Printable {
	return cellWidth(text) <= width ? text : short;
}

/** Returns the id of the column at a cell of the line, if rows can be sorted by it. */
function columnAt(columns: readonly FittedColumn[], cell: number): string | undefined {
	// The first cell is the cursor's.
	let end = 1;
	const found = columns.find(({cells}) => {
		end += cells + gap.length;
		return cell < end;
	});
	return found?.isUnsorted ? undefined : found?.id;
}

function headingSpans(columns: readonly FittedColumn[], sort: ReturnType<typeof sortOf>): Spans {
	return [{text: gap}, ...columns.flatMap(({id, heading, align, cells}, index): Spans => {
		const isSorted = id === sort?.column;
		const mark = sort?.isAscending ? safe`▲` : safe`▼`;
		const marked = isSorted && cellWidth(heading) < cells ? safe`${heading}${mark}` : heading;
		return [
			{text: index === 0 ? safe`` : gap},
			{text: fit(marked, cells, align), role: isSorted ? 'sorted' : 'heading'},
		];
	})];
}

/** Returns the cells of a row with the gaps between them. `width`: of the line if it is filled, undefined if not. */
function cellsOf({cells}: ChoiceRow, columns: readonly FittedColumn[], width: number | undefined): Spans {
	const last = columns.length - 1;
	return columns.flatMap(({index, align, cells: room}, at): Spans => {
		const {role} = cells[index];
		const text = textFor(cells[index], room);
		const shown = at < last
			? fit(text, room, align)
			: (width === undefined ? elideEnd(text, room) : pad(elideEnd(text, room), room));
		return [{text: at === 0 ? safe`` : gap}, {text: shown, role}];
	});
}
