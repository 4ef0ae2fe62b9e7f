import {safe, type Printable} from '../../util/printable.js';
import {sumOf} from '../../util/sum.js';
import {cellWidth} from '../../util/cell-width.js';
import type {Role} from '../../model/role.js';
import {elideEnd, type Span, type Spans} from './spans.js';

/** A part of a line that is laid out by priority. */
export type Item = {
	/** Empty: the item is not drawn. */
	readonly text: Printable;
	/** The id of what a click on it selects. */
	readonly id?: string;
	readonly role?: Role;
	/** Number of leading characters that have the role; all by default. */
	readonly roleLength?: number;
	/** The item with the highest number is dropped first. */
	readonly priority: number;
	/** Cells to which it may be truncated before it is dropped; by default it is not truncated. */
	readonly leastWidth?: number;
	/** Whether it is at the right end of the line. */
	readonly isRight?: boolean;
	/** Whether only one blank is before it, instead of the gap between items. */
	readonly isJoined?: boolean;
	/** Elides its text to a number of cells; at the end by default. */
	readonly elide?: (text: Printable, width: number) => Printable;
};

const defaultGaps = [2];

/**
Lays out items in `width` cells, with the first of `gaps` with which all fit. If none is small enough, truncates items,
then drops them, the highest priority number first.
*/
export function layOut(items: readonly Item[], width: number, gaps: readonly number[] = defaultGaps): Spans {
	let kept = items.filter(({text}) => text !== '');
	const gap = gaps.find(candidate => widthOf(kept, candidate) <= width) ?? gaps.at(-1)!;
	for (let excess = widthOf(kept, gap) - width; excess > 0 && kept.length > 0; excess = widthOf(kept, gap) - width) {
		const highest = Math.max(...kept.map(({priority}) => priority));
		const index = kept.findLastIndex(({priority}) => priority === highest);
		const {leastWidth = Infinity, ...item} = kept[index];
		const cells = cellWidth(item.text);
		const least = kept.length === 1 ? 0 : leastWidth;
		const text = least < cells ? (item.elide ?? elideEnd)(item.text, Math.max(least, cells - excess)) : safe``;
		// A truncated item loses its `leastWidth`: if the line is still too long, the item is dropped.
		kept = text === '' ? kept.toSpliced(index, 1) : kept.with(index, {...item, text});
	}

	return spansOf(kept, width, gap);
}

/** Returns the id of the span at a cell of a line; undefined if there is none. */
export function idAt(spans: Spans, column: number): string | undefined {
	let end = 0;
	return spans.find(({text}) => {
		end += cellWidth(text);
		return column < end;
	})?.id;
}

function widthOf(items: readonly Item[], gap: number): number {
	return sumOf(
		items.entries(),
		([index, {text, isJoined}]) => cellWidth(text) + (index === 0 ? 0 : (isJoined ? 1 : gap)),
	);
}

function spansOf(items: readonly Item[], width: number, gap: number): Span[] {
	const [left, right] = [items.filter(({isRight}) => !isRight), items.filter(({isRight}) => isRight)];
	const spans: Span[] = [];
	for (
		const [side, blanksBefore] of [[left, 0], [right, width - widthOf(left, gap) - widthOf(right, gap)]] as const
	) {
		for (const [index, {text, role, roleLength = text.length, id, isJoined}] of side.entries()) {
			const blanks = index === 0 ? blanksBefore : (isJoined ? 1 : gap);
			spans.push({text: safe` `.repeat(blanks)}, {text: text.slice(0, roleLength), role, id}, {
				text: text.slice(roleLength),
				id,
			});
		}
	}

	return spans.filter(({text}) => text !== '');
}
