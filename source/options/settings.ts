import type {Role} from '../ui/terminal/theme.js';

/** What is wrong with a file, and in which line; 0 where it is about all of it. One printable line. */
export type Fault = {readonly line: number; readonly text: string};

/** What a configuration file says, checked. */
export type Settings = {
	/** Values of options as they would be typed, by the options' names; of switches "true" or "false". */
	readonly options: ReadonlyMap<string, string>;
	/** Ids of the columns that a view shows, in order, by the view's id; none for those that the width has room for. */
	readonly columns: Readonly<Record<string, readonly string[]>>;
	/** How texts look, in words (`readStyle`), by what they are. */
	readonly colors: ReadonlyMap<Role, string>;
	/** What packages are called, by their names. */
	readonly packages: ReadonlyMap<string, string>;
	/** Which key does what another one does, by the key decoder's names; null: nothing. */
	readonly keys: ReadonlyMap<string, string | null>;
};

export const noSettings: Settings = {
	options: new Map(), columns: {}, colors: new Map(), packages: new Map(), keys: new Map(),
};

export type Configuration = {
	readonly settings: Settings;
	/** Where changes are written; undefined: nowhere. */
	readonly file?: string;
	/** What was wrong with the file, a printable line each. */
	readonly faults: readonly string[];
	/** What else is to be said about it, such as whose it is. */
	readonly notes: readonly string[];
};

export const noConfiguration: Configuration = {settings: noSettings, faults: [], notes: []};
