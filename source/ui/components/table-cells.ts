import {cellWidth} from '../../model/cell-width.js';
import {headingOf, type Column} from '../../query/columns/column.js';
import {effectiveUnit} from '../../query/counters/scope.js';
import type {Measure, Query} from '../../query/types/query.js';
import type {Theme} from '../terminal/theme.js';
import type {Placed} from '../text/columns.js';
import {
	cut, dropCells, fit, pad, type Span, type Spans, sparkline,
} from '../text/spans.js';
import type {Trend} from '../../query/past/steps.js';

export type TableContext<Row> = {
	readonly query: Query;
	/** The quantity that shares are a part of. */
	readonly measure: Measure;
	readonly theme: Pick<Theme, 'isAscii' | 'levels'>;
	readonly placed: Placed<Row>;
	/** Which rows are on the screen, such as `1-13 of 50`; at the right end of the name column's heading. */
	readonly counts: string;
	/** Cells that the name column is scrolled to the right. */
	readonly left: number;
	isDim(row: Row): boolean;
	trendOf(key: string): Trend | undefined;
};

/** The blank before each cell; the cursor's mark replaces the first one. */
const gap = ' ';

/** Marks the selected row, on screens without colour too. */
const cursorMark = '>';

/** Matches a figure that is or rounds to zero; its cell stays blank. */
const zero = /^0(?:\.0+)?$/;

/** Returns the cells of the heading, with an arrow after the sorted column's. */
export function headingCells<Row>({placed, counts, query, measure, theme}: TableContext<Row>): Spans[] {
	// Whether the previous column's counts took this column's room.
	let isTaken = false;
	return placed.map(({column, width}, index) => {
		const isSorted = column.id === query.sort.column;
		const name = headingOf(column, measure, query.by);
		const text = cut(isSorted && cellWidth(name) < width ? name + arrow(Boolean(column.ascending) !== query.sort.reverse, theme) : name, width);
		const lender = lenderAt(placed, index + 1);
		const room = width + (lender ? gap.length + lender.width : 0);
		const hasCounts = column.width === 0 && cellWidth(text) + counts.length < room;
		const cell = hasCounts ? pad(text, room - counts.length) + counts : pad(text, width, column.align);
		if (isTaken) {
			isTaken = false;
			return [];
		}

		isTaken = hasCounts && lender !== undefined;
		return [{text: gap}, {text: cell, role: isSorted ? 'sorted' : 'heading'}];
	});
}

function arrow(isAscending: boolean, {isAscii}: Pick<Theme, 'isAscii'>): string {
	return isAscii ? (isAscending ? '^' : 'v') : (isAscending ? '▲' : '▼');
}

/** Returns the column at an index if it lends its room to the one before it. */
function lenderAt<Row>(placed: Placed<Row>, index: number): Placed<Row>[number] | undefined {
	const next = placed.at(index);
	return next?.column.lendsRoom ? next : undefined;
}

/** Returns the cells of a row; a name takes the room that the next column lends. */
export function rowCells<Row extends {readonly key: string}>(row: Row, isSelected: boolean, context: TableContext<Row>): Spans[] {
	const {placed, query, query: {fullNames}, theme, left, trendOf} = context;
	const unit = effectiveUnit(query);
	const rowRole = isSelected ? 'selected' : (context.isDim(row) ? 'dim' : undefined);
	const trend = (key: string, cells: number) => sparkline(trendOf(key)?.slice(-cells) ?? [], theme.levels).padStart(cells);
	const cells: Spans[] = [];
	// Index of the last cell that is not blank.
	let end = -1;
	for (let index = 0; index < placed.length; index++) {
		const {column, width} = placed[index];
		if (index > 0 && column.lendsRoom) {
			cells.push([]);
			continue;
		}

		// The lender's text follows the text that took its room, in one cell.
		const lender = lenderAt(placed, index + 1);
		const lent = lender
			? cut(lender.column.value(row, {
				unit, fullNames, room: lender.width, trend,
			}), lender.width)
			: '';
		const room = width + (lender ? gap.length + lender.width : 0) - (lent === '' ? 0 : gap.length + cellWidth(lent));
		const isScrolled = column.width === 0 && left > 0;
		const value = column.value(row, {
			unit, fullNames, room: isScrolled ? room + left : room, trend,
		});
		const text = zero.test(value) ? '' : value;
		const cell = fit(isScrolled ? dropCells(text, left) : text, room, column.align);
		if (cell.trim() !== '' || lent.trim() !== '') {
			end = index;
		}

		const before = index === 0 && isSelected ? cursorMark : gap;
		if (rowRole) {
			cells.push([{text: before + cell + (lent === '' ? '' : gap + lent), role: rowRole}]);
		} else {
			const spans = inRole(before, cell, row, column);
			cells.push(lender && lent !== '' ? [...spans, ...inRole(gap, lent, row, lender.column)] : spans);
		}
	}

	// The selected row is highlighted to the end of the line; other rows end with their last text.
	if (!isSelected) {
		cells.fill([], end + 1);
		const last = cells[end]?.at(-1);
		if (last && (last.role === undefined || rowRole)) {
			cells[end] = cells[end].with(-1, {...last, text: last.text.trimEnd()});
		}
	}

	return cells;
}

function inRole<Row>(before: string, text: string, row: Row, column: Column<Row>): Span[] {
	const role = text.trim() === '' ? undefined : column.role?.(row);
	return role === undefined ? [{text: before + text}] : [{text: before}, {text, role}];
}
