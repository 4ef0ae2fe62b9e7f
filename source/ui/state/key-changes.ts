import {keyTable, type KeyRow} from './keys.js';

/** Keys that the user changed, by the key decoder's names: what a key does is what the other one does; null: nothing. */
export type KeyChanges = ReadonlyMap<string, string | null>;

const named = new Set([
	...keyTable.flatMap(({keys}) => keys).filter(key => key.length > 1),
	...Array.from({length: 12}, (_, index) => `f${index + 1}`),
	...Array.from({length: 26}, (_, index) => `ctrl-${String.fromCodePoint(0x61 + index)}`),
	'insert',
	'delete',
]);

/** Names of keys as they are written in files and on the screen. */
export const keyNames = {
	/** The key decoder's name for a written one; undefined if there is no such key. */
	decoded(name: string): string | undefined {
		const key = name === 'space' ? ' ' : ([...name].length === 1 ? name : name.toLowerCase());
		return named.has(key) || ([...key].length === 1 && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(key)) ? key : undefined;
	},
	/** How the key decoder's name stands in the help: Space, Ctrl-U, F6, PgUp. */
	shown(key: string): string {
		const short = {' ': 'Space', escape: 'Esc', pageup: 'PgUp', pagedown: 'PgDn'}[key];
		return short ?? (key.length === 1 ? key : key.replaceAll(/(?:^|-)[a-z]/g, letter => letter.toUpperCase()));
	},
};

/** What a key means after the changes: the name of another one, or an empty one for nothing. */
export function meaningOf(key: string, changes: KeyChanges): string {
	const meaning = changes.get(key);
	return meaning === undefined ? key : meaning ?? '';
}

/** The keys of a row as people write them after the changes; empty when none is left. */
export function shownKeys({label, keys}: Pick<KeyRow, 'label' | 'keys'>, changes: KeyChanges): string {
	if (changes.size === 0) {
		return label;
	}

	const gone = new Set([...changes].filter(([key, meaning]) => keys.includes(key) && !(meaning !== null && keys.includes(meaning))).map(([key]) => keyNames.shown(key)));
	const added = [...changes].filter(([key, meaning]) => meaning !== null && keys.includes(meaning) && !keys.includes(key)).map(([key]) => keyNames.shown(key));
	return [...added, ...label.split(' ').filter(word => !gone.has(word))].join(' ');
}
