import meow, {type AnyFlag} from 'meow';
import type {Printable} from '../util/printable.js';
import {type UserError, usage} from '../runtime/errors.js';
import type {Baseline, Unit} from '../query/types/query.js';
import type {Role} from '../model/role.js';
import {nearest} from './nearest.js';
import {longForm, type Option, type Switch} from './option.js';
import {optionRows, type OptionValues} from './table.js';

/** The contents of a configuration file, checked. */
export type Settings = {
	/** Values of options as they would be typed, by the options' names; "true" or "false" for switches. */
	readonly options: ReadonlyMap<string, string>;
	/** Ids of the columns that a view shows, in order, by the view's id; other views show as many as fit. */
	readonly columns: Readonly<Record<string, readonly string[]>>;
	/** Styles of roles, in words (`readStyle`). */
	readonly colors: ReadonlyMap<Role, string>;
	/** Names that the screen shows for packages, by package; an empty name hides its package. */
	readonly packages: ReadonlyMap<string, Printable>;
	/** By name of a key (as the key decoder has them): the key whose action it has instead, or null for none. */
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
	readonly faults: readonly Printable[];
	/** Other remarks on it, such as whose it is. */
	readonly notes: readonly Printable[];
};

export const noConfiguration: Configuration = {settings: noSettings, faults: [], notes: []};

export type Options = {
	/** Whether to show the screen: the command has one, the terminal can draw it, and no option asks for a report. */
	readonly onScreen: boolean;
	readonly configuration: Configuration;
	/** The snapshot of --compare, once it has been read. */
	readonly baseline?: Baseline;
	/** The unit of shares at first, if what is opened has no CPU time. */
	readonly unit?: Unit;
} & OptionValues;

/**
meow's value of an option: for a switch and one that repeats, a list, empty if not given; '' if a value is missing.
*/
type Flag = string | boolean | undefined | ReadonlyArray<string | boolean>;

/** A command line, taken apart; the values of its options are not read yet. */
type Words = {
	/** The words that belong to no option. */
	readonly words: readonly string[];
	readonly given: ReadonlySet<Option>;
	isSwitchedOn(name: keyof OptionValues): boolean;
	/** Returns the values of all options. Throws UserError (2). */
	readValues(environment: NodeJS.ProcessEnv): OptionValues;
};

/** Takes a command line apart (without node and the script). Throws UserError (2). */
export function readWords(argv: readonly string[]): Words {
	const {input, flags} = parseWords(argv);
	const options = optionRows.map(([key, option]) => ({key, option, flag: flags[camelCase(option.name)] as Flag}));
	checkKnown(argv, Object.keys(flags));
	const isInFlags = (flag: Flag) => flag !== undefined && !(Array.isArray(flag) && flag.length === 0);
	return {
		words: input,
		given: new Set(options.filter(({flag}) => isInFlags(flag)).map(({option}) => option)),
		isSwitchedOn: name => Array.isArray(flags[name]) && (flags[name] as readonly boolean[]).includes(true),
		readValues(environment) {
			const values = options.map(({key, option, flag}) =>
				[key, valueOf(option, flag, {argv, environment})] as const);
			return Object.fromEntries(values) as OptionValues;
		},
	};
}

/** Throws UserError (2) if meow has found a flag that is no option. */
function checkKnown(argv: readonly string[], flags: readonly string[]): void {
	const names = new Set(optionRows.map(([, option]) => camelCase(option.name)));
	const unknown = flags.find(name => !names.has(name));
	if (unknown !== undefined) {
		// As it was typed; a letter may follow others, as in -bx.
		const words = argv.map(word => word.split('=')[0]);
		throw unknownOption(words.find(word => camelCase(word.replace(/^--?(?:no-)?/, '')) === unknown)
			?? `-${unknown}`);
	}
}

function parseWords(argv: readonly string[]) {
	try {
		return meow({
			importMeta: import.meta,
			pkg: {name: 'tprof-top'},
			argv,
			autoHelp: false,
			autoVersion: false,
			description: false,
			booleanDefault: undefined,
			flags: Object.fromEntries(optionRows.map(([, option]): [string, AnyFlag] => [camelCase(option.name), {
				type: option.value === undefined ? 'boolean' : 'string',
				// For a switch too: only a list tells whether it was given, and how often.
				...(option.value === undefined || option.repeats ? {isMultiple: true} : {}),
				...(option.short ? {shortFlag: option.short} : {}),
			}])),
		});
	} catch (error) {
		const [, name] = /^The flag (--\S+) can only be set once/.exec((error as Error).message) ?? [];
		throw name === undefined ? error : usage(`${name} is given twice`);
	}
}

/** Returns an error that suggests the nearest long option, or the same letter in the other case. */
function unknownOption(word: string): UserError {
	const isLong = word.startsWith('--');
	const spellings = (option: Option) =>
		isLong ? [...new Set([`--${option.name}`, longForm(option)])] : [`-${option.short}`];
	const options = optionRows.map(([, option]) => option);
	const all = options.flatMap(option => spellings(option));
	const suggested = isLong ? nearest(word, all) : all.find(other => other.toLowerCase() === word.toLowerCase());
	const option = options.find(candidate => suggested !== undefined && spellings(candidate).includes(suggested));
	return usage(
		`unknown option ${word}`,
		option && `did you mean ${spellings(option).at(-1)}? tprof-top --help lists the options`,
	);
}

function valueOf(
	option: Option,
	flag: Flag,
	{argv, environment}: {readonly argv: readonly string[]; readonly environment: NodeJS.ProcessEnv},
): unknown {
	const flags = Array.isArray(flag) ? flag as ReadonlyArray<string | boolean> : [flag];
	if (flags.includes(false) && !(option.value === undefined ? option.isOn : option.orNone)) {
		throw unknownOption(`--no-${option.name}`);
	}

	if (option.value === undefined) {
		return isSwitchOn(option, flags, environment);
	}

	// If the value is missing, meow returns '' or, if the option repeats, an empty list.
	if (flags.includes('') || (flags.length === 0 && argv.includes(`--${option.name}`))) {
		throw usage(`--${option.name} needs a value: ${option.value}`);
	}

	if (flag === false) {
		return false;
	}

	const texts = (flags as ReadonlyArray<string | undefined>).map(text => text ?? option.default).filter(text =>
		text !== undefined);
	const values = texts.map(text => option.read(text, `--${option.name}`));
	return values.length === 0 ? undefined : (option.repeats ? values.flat() : values[0]);
}

function isSwitchOn(option: Switch, flags: readonly unknown[], environment: NodeJS.ProcessEnv): boolean {
	if (flags.length > 1) {
		throw usage(`--${option.name} is given twice`);
	}

	const isOn = flags.length === 0 ? option.isOn === true : flags[0] === true;
	return option.inEnvironment ? option.inEnvironment(isOn, environment) : isOn;
}

function camelCase(name: string): string {
	return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
