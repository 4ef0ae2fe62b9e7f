import {firstRow, type MenuLayer} from '../state/state.js';
import type {Theme} from '../terminal/theme.js';
import {cut} from './cells.js';

/** A menu's lines. */
export function menuLines({title, items, index}: MenuLayer, lines: number, width: number, theme: Theme): string[] {
	const room = Math.max(1, lines - 1);
	const top = firstRow(0, index, items.length, room);
	return [
		theme.paint('title', cut(title, width)),
		...items.slice(top, top + room).map((item, at) => {
			const isSelected = top + at === index;
			const text = cut(`${isSelected ? '>' : ' '} ${item.title}`, width);
			return isSelected ? theme.paint('selected', text) : text;
		}),
	].slice(0, Math.max(0, lines));
}
