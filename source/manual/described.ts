import {commandTable} from '../options/command.js';
import {longForm, optionHelp} from '../options/help.js';
import type {Option} from '../options/option.js';
import {optionRows} from '../options/table.js';

/** An option as completions know it. */
export type Completed = {
	/** As they are typed: --delay, -d. */
	readonly long: readonly string[];
	readonly short?: string;
	readonly help: string;
	/** What the value is called; undefined for a switch. */
	readonly value?: string;
	/** Values there are, where these are known. */
	readonly words: readonly string[];
	readonly path?: 'file' | 'folder';
};

/** All options, in the order of the help. */
export const completedOptions: readonly Completed[] = optionRows.map(([, option]: readonly [string, Option]) => ({
	long: [longForm(option), ...(option.orNone ? [`--no-${option.name}`] : [])],
	short: option.short === undefined ? undefined : `-${option.short}`,
	help: optionHelp(option),
	value: option.value,
	words: option.value === undefined ? [] : option.words ?? [],
	path: option.value === undefined ? undefined : option.path,
}));

/** First words that are no target, with what follows them. */
export const completedCommands = commandTable.filter(({word}) => word !== '');

/** A text in single quotes, as a shell of the Bourne family has it. */
export function quoted(text: string): string {
	return `'${text.replaceAll('\'', String.raw`'\''`)}'`;
}
