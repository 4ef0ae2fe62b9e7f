import type {Role} from '../ui/terminal/theme.js';

/** A mistake in a file, as one printable line of text, and its line number, 0 for the whole file. */
export type Fault = {readonly line: number; readonly text: string};

/** The checked contents of a configuration file. */
export type Settings = {
	/** Values of options as they would be typed, by the options' names; "true" or "false" for switches. */
	readonly options: ReadonlyMap<string, string>;
	/** Ids of the columns that a view shows, in order, by the view's id; other views show as many as fit. */
	readonly columns: Readonly<Record<string, readonly string[]>>;
	/** Styles of roles, in words (`readStyle`). */
	readonly colors: ReadonlyMap<Role, string>;
	/** Short names of packages, by their names. */
	readonly packages: ReadonlyMap<string, string>;
	/** Maps a key to the key whose action it has, or to null for none; the key decoder's names. */
	readonly keys: ReadonlyMap<string, string | null>;
};

export const noSettings: Settings = {
	options: new Map(), columns: {}, colors: new Map(), packages: new Map(), keys: new Map(),
};

export type Configuration = {
	readonly settings: Settings;
	/** The file that changes are written to; undefined if there is none. */
	readonly file?: string;
	/** Mistakes in the file, a printable line each. */
	readonly faults: readonly string[];
	/** Other remarks on it, such as whose it is. */
	readonly notes: readonly string[];
};

export const noConfiguration: Configuration = {settings: noSettings, faults: [], notes: []};
