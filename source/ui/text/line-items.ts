import {sumOf} from '../../model/sum.js';
import {cellWidth} from '../../model/cell-width.js';
import type {Role} from '../terminal/theme.js';
import {cut, type Span, type Spans} from './spans.js';

/** A part of a line that is laid out by how much it matters. */
export type Item = {
	/** Empty: the item is not there. */
	readonly text: string;
	/** What a click on it selects. */
	readonly id?: string;
	readonly role?: Role;
	/** How many of its first characters have the role; all by default. */
	readonly lead?: number;
	/** The item with the highest number goes first. */
	readonly priority: number;
	/** Cells it may be shortened to before it goes; by default it is not shortened. */
	readonly leastWidth?: number;
	/** At the right end of the line. */
	readonly isRight?: boolean;
	/** Only one blank before it, however wide the gap is. */
	readonly isJoined?: boolean;
	/** Shortens its text to a number of cells; at the end by default. */
	readonly cut?: (text: string, width: number) => string;
};

/** Cells between two items; the first gap is taken with which all items fit. */
const usualGaps = [2];

/** Items in a line of `width` cells; if they do not fit, the least important ones are cut, then left out. */
export function layOut(items: readonly Item[], width: number, gaps: readonly number[] = usualGaps): Spans {
	let kept = items.filter(({text}) => text !== '');
	const gap = gaps.find(candidate => widthOf(kept, candidate) <= width) ?? gaps.at(-1)!;
	for (let over = widthOf(kept, gap) - width; over > 0 && kept.length > 0; over = widthOf(kept, gap) - width) {
		const highest = Math.max(...kept.map(({priority}) => priority));
		const worst = kept.findLastIndex(({priority}) => priority === highest);
		const {leastWidth = Infinity, ...item} = kept[worst];
		const cells = cellWidth(item.text);
		const least = kept.length === 1 ? 0 : leastWidth;
		const text = least < cells ? (item.cut ?? cut)(item.text, Math.max(least, cells - over)) : '';
		// It is shortened once: if it is still too wide, it goes.
		kept = text === '' ? kept.toSpliced(worst, 1) : kept.with(worst, {...item, text});
	}

	return inLine(kept, width, gap);
}

/** The id of the span at a cell of a line; undefined for none. */
export function idAt(spans: Spans, column: number): string | undefined {
	let end = 0;
	return spans.find(({text}) => {
		end += cellWidth(text);
		return column < end;
	})?.id;
}

function widthOf(items: readonly Item[], gap: number): number {
	return sumOf(items.entries(), ([index, {text, isJoined}]) => cellWidth(text) + (index === 0 ? 0 : (isJoined ? 1 : gap)));
}

function inLine(items: readonly Item[], width: number, gap: number): Span[] {
	const [lefts, rights] = [items.filter(({isRight}) => !isRight), items.filter(({isRight}) => isRight)];
	const spans: Span[] = [];
	for (const [side, before] of [[lefts, 0], [rights, width - widthOf(lefts, gap) - widthOf(rights, gap)]] as const) {
		for (const [index, {text, role, lead = text.length, id, isJoined}] of side.entries()) {
			const blanks = index === 0 ? before : (isJoined ? 1 : gap);
			spans.push({text: ' '.repeat(blanks)}, {text: text.slice(0, lead), role, id}, {text: text.slice(lead), id});
		}
	}

	return spans.filter(({text}) => text !== '');
}
