import {safe, type Printable} from '../../util/printable.js';
import {sumOf} from '../../util/sum.js';
import {cellWidth} from '../../util/cell-width.js';
import type {Role} from '../../model/role.js';
import {elideEnd} from './spans.js';

/** A part of a line that is laid out by priority. */
export type Item = {
	/** Empty: the item is not drawn. */
	readonly text: Printable;
	/** The id of the view that a click on it shows. */
	readonly view?: string;
	/** The name of the key that a click on it presses. */
	readonly key?: string;
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

/** Items that fit into a line, and the blanks between them. */
export type FittedItems = {readonly items: readonly Item[]; readonly gap: number};

export const defaultGaps: readonly number[] = [2];

/**
Returns the items that fit into `width` cells, with the first of `gaps` with which all fit. If none is small enough,
truncates items, then drops them, the highest priority number first.
*/
export function fitItems(items: readonly Item[], width: number, gaps = defaultGaps): FittedItems {
	let kept = items.filter(({text}) => text !== '');
	const gap = gaps.find(candidate => itemsWidth(kept, candidate) <= width) ?? gaps.at(-1)!;
	const excessOf = () => itemsWidth(kept, gap) - width;
	for (let excess = excessOf(); excess > 0 && kept.length > 0; excess = excessOf()) {
		const highest = Math.max(...kept.map(({priority}) => priority));
		const index = kept.findLastIndex(({priority}) => priority === highest);
		const {leastWidth = Infinity, ...item} = kept[index];
		const cells = cellWidth(item.text);
		const least = kept.length === 1 ? 0 : leastWidth;
		const text = least < cells ? (item.elide ?? elideEnd)(item.text, Math.max(least, cells - excess)) : safe``;
		// A truncated item loses its `leastWidth`: if the line is still too long, the item is dropped.
		kept = text === '' ? kept.toSpliced(index, 1) : kept.with(index, {...item, text});
	}

	return {items: kept, gap};
}

function itemsWidth(items: readonly Item[], gap: number): number {
	return sumOf(
		items.entries(),
		([index, {text, isJoined}]) => cellWidth(text) + (index === 0 ? 0 : (isJoined ? 1 : gap)),
	);
}

/** Returns the items in groups: each joined item is in the group of the item before it. */
export function joinedGroups(items: readonly Item[]): ReadonlyArray<readonly Item[]> {
	const groups: Item[][] = [];
	for (const item of items) {
		if (item.isJoined && groups.length > 0) {
			groups.at(-1)!.push(item);
		} else {
			groups.push([item]);
		}
	}

	return groups;
}
