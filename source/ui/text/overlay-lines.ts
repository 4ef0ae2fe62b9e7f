import {firstRow, type MenuLayer} from '../state/state.js';
import type {Theme} from '../terminal/theme.js';
import {cut} from './cells.js';

/** The first item of a menu that is on the screen, which has so many lines for it. */
export function firstItem({items, index}: Pick<MenuLayer, 'items' | 'index'>, lines: number): number {
	return firstRow(0, index, items.length, Math.max(1, lines - 1));
}

/** A menu's lines. */
export function menuLines({title, items, index}: MenuLayer, lines: number, width: number, theme: Theme): string[] {
	const room = Math.max(1, lines - 1);
	const top = firstItem({items, index}, lines);
	return [
		theme.paint('title', cut(title, width)),
		...items.slice(top, top + room).map((item, at) => {
			const isSelected = top + at === index;
			const text = cut(`${isSelected ? '>' : ' '} ${item.title}`, width);
			return isSelected ? theme.paint('selected', text) : text;
		}),
	].slice(0, Math.max(0, lines));
}
