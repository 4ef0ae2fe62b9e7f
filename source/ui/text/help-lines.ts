import {views} from '../../views/registry.js';
import type {ViewRow} from '../../views/view.js';
import type {Column} from '../../query/columns/column.js';
import {shownKeys, type KeyChanges} from '../keys/key-changes.js';
import {byPurpose} from '../keys/purposes.js';
import {keysOf, type Context, type KeyRow} from '../state/keys.js';
import type {Theme} from '../terminal/theme.js';
import {cut, pad, wrapped} from './cells.js';
import {headerWords} from './header-words.js';

/** Cells of a key's or column's name, and the width below which it stands on a line of its own. */
const termWidth = 17;
const narrowWidth = 60;

/** What there is to know of the session, a sentence each: what the header has no room for. */
export type HelpNotes = {readonly warnings: readonly string[]; readonly notes: readonly string[]; readonly isRecording: boolean; readonly keyChanges?: KeyChanges};

const nothing: HelpNotes = {warnings: [], notes: [], isRecording: false};

/**
All of the help: the words of the header, what there is to know of the session, the keys of the view it was opened in by
what one wants to do, its columns, then the keys of a row's detail and of input lines; from the tables that the screen
itself works by.
*/
export function helpLines(context: Context, width: number, theme: Theme, known: HelpNotes = nothing): string[] {
	const {isRecording, keyChanges = new Map()} = known;
	const keys = (rows: readonly KeyRow[], isTyped = false) => rows.flatMap(row => describedKeys(isTyped ? row.shown : shownKeys(row, keyChanges), row.help, width, theme));
	const isDetail = context === 'detail';
	return withoutLast([
		...section('Words of the header', headerWords.flatMap(({word, meaning}) => described(word, meaning, width, theme)), width, theme),
		...sessionLines(known, width, theme),
		...byPurpose(keysOf(context, isRecording)).flatMap(({title, rows}) => section(isDetail ? `${title} (in a row's detail)` : title, keys(rows), width, theme)),
		...columnLines(columnsOf(context), width, theme),
		...(isDetail ? [] : section('In a row\'s detail', keys(keysOf('detail', isRecording)), width, theme)),
		...(isDetail ? [] : section('Where text is typed', keys(keysOf('input', isRecording), true), width, theme)),
	]);
}

/** Help for a view, or for a row's detail: what there is to know of the session, what it shows, its keys, its columns. */
export function viewHelpLines(context: Context, width: number, theme: Theme, known: HelpNotes = nothing): string[] {
	const {isRecording, keyChanges = new Map()} = known;
	const view = views.find(({id}) => id === context);
	const rows = keysOf(context, isRecording).filter(({action, press}) => !view || press !== undefined || ownToo.has(action));
	return [
		...sessionLines(known, width, theme),
		...(view ? section(view.title, wrapped(view.about, width - 1).map(line => ` ${line}`), width, theme) : []),
		...section(view ? 'Keys' : 'Keys in a row\'s detail', rows.flatMap(row => describedKeys(shownKeys(row, keyChanges), row.help, width, theme)), width, theme),
		...columnLines(view?.columns ?? [], width, theme),
		...wrapped('h: the words of the header and all keys', width).map(line => theme.paint('dim', line)),
	];
}

/** Beside a view's own keys. */
const ownToo: ReadonlySet<KeyRow['action']> = new Set(['open', 'look-into', 'filter', 'only-threads', 'next-view', 'sort-menu']);

function columnsOf(context: Context): ReadonlyArray<Column<ViewRow>> {
	return views.find(({id}) => id === context)?.columns ?? [];
}

function sessionLines({warnings, notes}: HelpNotes, width: number, theme: Theme): string[] {
	return [
		...section('Warnings', warnings.flatMap(text => wrapped(text, width - 1).map(line => theme.paint('error', ` ${line}`))), width, theme),
		...section('Notes', notes.flatMap(text => wrapped(text, width - 1).map(line => ` ${line}`)), width, theme),
	];
}

function columnLines(columns: ReadonlyArray<Column<ViewRow>>, width: number, theme: Theme): string[] {
	return section('Columns (wider terminals show more; C chooses)', columns.flatMap(({heading, title, description}) => described(heading || title, description, width, theme)), width, theme);
}

function withoutLast(lines: readonly string[]): string[] {
	return lines.slice(0, -1);
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
