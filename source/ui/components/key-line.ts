import {cellWidth} from '../../model/cell-width.js';
import {viewOf} from '../../views/registry.js';
import type {Hint} from '../../views/common/view.js';
import {backFromFocus} from '../state/rows.js';
import {
	shownKeys, actionOf, keyOf, keysOf, type KeyRow,
} from '../state/keys.js';
import {inputError} from '../state/reduce-input.js';
import {rowsOf, type ScreenData} from '../state/screen-data.js';
import {
	contextOf, queryOf, type InputLayer, type MenuLayer, type UiState,
} from '../state/state.js';
import {layOut, type Item} from '../text/line-items.js';
import type {Spans} from '../text/spans.js';

/** Keys that stay longest in a narrow key line, the most important first. */
const keyOrder = ['close', 'help-view', 'back', 'accept', 'filter', 'open', 'sort-menu', 'pause', 'save', 'next-view'];

/** The keys that matter now, as many as fit. `hasLinks`: Enter in the detail on top goes to another row. */
export function keyLine(state: UiState, data: ScreenData, {width, hasLinks}: {readonly width: number; readonly hasLinks: boolean}): Spans {
	return layOut(keyItems(state, data, {width, hasLinks}), width);
}

/** What Enter and Esc do in an input line, by its purpose. */
const inputTitles: Readonly<Record<InputLayer['purpose'], Readonly<Record<string, string>>>> = {
	filter: {accept: 'keep', back: 'clear'}, delay: {accept: 'set', back: 'cancel'}, 'save-name': {accept: 'save', back: 'cancel'}, trace: {accept: 'look up', back: 'cancel'}, 'agree-to-trace': {accept: 'answer', back: 'no'}, holders: {accept: 'ask', back: 'cancel'},
};

/** The same in a menu, if they differ from the usual ones. */
const menuTitles: Readonly<Record<MenuLayer['purpose'], Readonly<Record<string, string>>>> = {
	sort: {}, 'save-format': {}, columns: {accept: 'on or off', back: 'done'},
};

/** Keys of a detail that do nothing if it has no links. */
const onLinks: ReadonlySet<KeyRow['action']> = new Set(['next-link', 'accept']);

/** Priorities: quitting and help first, then the hints, then the other keys. */
const alwaysShown = 2;
const otherPriority = 10;

/** The keys that matter now; in a table quitting and help, then the hints for the selected row, then the others. */
function keyItems(state: UiState, data: ScreenData, {width, hasLinks}: {readonly width: number; readonly hasLinks: boolean}): Item[] {
	const input = state.layers.at(-1);
	const isInput = input?.kind === 'input';
	const ofTable: Readonly<Record<string, string>> = backFromFocus(state) ? {close: 'back'} : {};
	const ofLayer = isInput ? inputTitles[input.purpose] : (input?.kind === 'menu' ? menuTitles[input.purpose] : {});
	const titles = input ? ofLayer : ofTable;
	// Invalid input cannot be accepted.
	const isRefused = isInput && inputError(input) !== undefined;
	const isMeant = ({title, action}: KeyRow) => title !== undefined && !(isRefused && action === 'accept') && (hasLinks || !onLinks.has(action));
	const items = keysOf(contextOf(state), data.status.phase === 'recording').filter(row => isMeant(row)).flatMap((row): Item[] => {
		const {title, action} = row;
		const [key] = (isInput ? row.label : shownKeys(row, state.keyChanges)).split(' ');
		return key === ''
			? []
			: [{
				text: `${key}:${titles[action] ?? title}`, lead: key.length, role: 'key', priority: keyOrder.includes(action) ? keyOrder.indexOf(action) : keyOrder.length,
			}];
	});
	if (state.layers.length > 0) {
		return items;
	}

	const first = items.filter(({priority}) => priority < alwaysShown);
	const hints = hintItems(state, data, width - cellWidth(first.map(({text}) => `${text}  `).join('')));
	const keyOf = ({text, lead}: Item) => text.slice(0, lead);
	const others = items.filter(item => !first.includes(item) && !hints.some(hint => keyOf(hint) === keyOf(item)));
	return [...first, ...hints.map(hint => ({...hint, priority: hint.priority + alwaysShown})), ...others.map(item => ({...item, priority: item.priority + otherPriority}))];
}

const withoutRows: readonly Hint[] = [{key: 'x', title: 'other states', short: 'states'}, {key: 'i', title: 'idle threads', short: 'idle'}, {key: 'tab', title: 'next view', short: 'view'}];
const whileFiltered: readonly Hint[] = [{key: 'escape', title: 'clear the filter', short: 'clear'}, {key: '/', title: 'another filter', short: 'filter'}, {key: 'x', title: 'other states', short: 'states'}];

/** The keys that help most with the selected row, or if there are no rows. */
function hintsFor(state: UiState, data: ScreenData): readonly Hint[] {
	const row = rowsOf(data).at(state.selections[state.view].index);
	if (!row) {
		return state.query.filter === '' ? viewOf(state.view).emptyHints ?? withoutRows : whileFiltered;
	}

	const isOnly = ({key}: Hint) => state.onlyThreads !== undefined && actionOf(state.view, key) === 'only-threads';
	return viewOf(state.view).hints(row, queryOf(state)).map(hint => isOnly(hint) ? {...hint, title: 'all threads', short: 'all'} : hint);
}

/** The hints as items, such as `Enter: who holds the lock`, or `Enter:holder` if they do not all fit into `width` cells. */
function hintItems(state: UiState, data: ScreenData, width: number): Item[] {
	const hints = hintsFor(state, data).flatMap(({key, title, short}) => {
		const row = keyOf(state.view, key, data.status.phase === 'recording');
		const [name] = row ? shownKeys({...row, label: labelFrom(row.label, row.keys, key)}, state.keyChanges).split(' ') : [''];
		return name === '' ? [] : [{name, title: ` ${title}`, short}];
	});
	const isLong = cellWidth(hints.map(({name, title}) => `${name}:${title}`).join('  ')) <= width;
	return hints.map(({name, title, short}, index): Item => ({
		text: `${name}:${isLong ? title : short}`, lead: name.length, role: 'key', priority: index,
	}));
}

/** The label of a row of keys with the key that is meant first. */
function labelFrom(label: string, keys: readonly string[], key: string): string {
	const words = label.split(' ');
	const at = keys.indexOf(key);
	return words.length === keys.length && at > 0 ? [words[at], ...words.toSpliced(at, 1)].join(' ') : label;
}
