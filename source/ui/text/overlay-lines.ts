import {views} from '../../views/registry.js';
import {shownKeys, type KeyChanges} from '../keys/key-changes.js';
import {contexts, keysOf, type Context} from '../state/keys.js';
import {firstRow, type MenuLayer} from '../state/state.js';
import type {Theme} from '../terminal/theme.js';
import {cut, pad, wrapped} from './cells.js';

/** Cells of a key's or column's name, and the width below which it stands on a line of its own. */
const termWidth = 17;
const narrowWidth = 60;

const contextTitles: Readonly<Record<Context, string>> = {
	...Object.fromEntries(views.map(({id, title}) => [id, `Keys in ${title}`])), detail: 'Keys in a row\'s detail', help: 'Keys in the help', menu: 'Keys in a menu', input: 'Keys in an input line', chooser: 'Keys in the list of JVMs',
};

/** What of the session stands above the keys, a sentence each: what the header has no room for. */
export type HelpNotes = {readonly warnings: readonly string[]; readonly notes: readonly string[]; readonly isRecording: boolean; readonly keyChanges?: KeyChanges};

/**
The help: what there is to know of the session, keys and columns of the view it was opened in, then the keys of input
lines; from the tables that the screen itself works by.
*/
export function helpLines(context: Context, width: number, theme: Theme, known?: HelpNotes): string[] {
	const sections = [context, ...(context === 'detail' ? [] : ['detail', 'input'] as const)].filter(name => contexts.includes(name));
	const {warnings = [], notes = [], isRecording = false, keyChanges = new Map()} = known ?? {};
	const session = [
		...section('Warnings', warnings.flatMap(text => wrapped(text, width - 1).map(line => theme.paint('error', ` ${line}`))), width, theme),
		...section('Notes', notes.flatMap(text => wrapped(text, width - 1).map(line => ` ${line}`)), width, theme),
	];
	const keys = sections.flatMap(name => section(contextTitles[name], keysOf(name, isRecording).flatMap(row => describedKeys(name === 'input' ? row.shown : shownKeys(row, keyChanges), row.help, width, theme)), width, theme));
	const lines = [...session, ...keys].slice(0, -1);
	const columns = views.find(({id}) => id === context)?.columns ?? [];
	return columns.length === 0
		? lines
		: [
			...lines,
			'',
			theme.paint('title', cut('Columns (wider terminals show more)', width)),
			...columns.flatMap(({heading, title, description}) => described(heading || title, description, width, theme)),
		];
}

/** Keys and what they do; nothing when all of them were changed. */
function describedKeys(shown: string, help: string, width: number, theme: Theme): string[] {
	return shown === '' ? [] : described(shown, help, width, theme);
}

/** A title and its lines, with an empty one below; nothing without lines. */
function section(title: string, lines: readonly string[], width: number, theme: Theme): string[] {
	return lines.length === 0 ? [] : [theme.paint('title', cut(title, width)), ...lines, ''];
}

/**
A term and its description, which goes on below itself where the line ends; on narrow screens the term has a line of its
own.
*/
function described(term: string, text: string, width: number, theme: Theme): string[] {
	const isNarrow = width < narrowWidth;
	const indent = isNarrow ? 3 : termWidth;
	const lines = wrapped(text, width - indent);
	const blanks = ' '.repeat(indent);
	const below = (isNarrow ? lines : lines.slice(1)).map(part => cut(blanks + part, width));
	const head = cut(` ${term}`, isNarrow ? width : termWidth - 1);
	return [isNarrow ? theme.paint('key', head) : theme.paint('key', pad(head, termWidth)) + cut(lines[0], width - termWidth), ...below];
}

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
