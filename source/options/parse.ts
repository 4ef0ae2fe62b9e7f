import process from 'node:process';
import meow, {type AnyFlag} from 'meow';
import {UserError} from '../process/errors.js';
import {globsOf} from '../model/glob.js';
import {threadStates, type ThreadState} from '../model/thread-state.js';
import type {GroupBy} from '../query/types.js';
import {stateSets} from '../query/filter/state-sets.js';
import {nearest} from './nearest.js';
import {commandWords, longForm, optionTable, type OptionRow} from './table.js';

/** Ids of the formats that --format takes; those of the registry of exports. */
export const formatIds = ['text', 'json', 'csv', 'lines', 'votes', 'pprof'] as const;
export type FormatId = (typeof formatIds)[number];

/** What is to be done, from the first words of the command line. */
export type Command =
	| {readonly kind: 'profile'; readonly target: string}
	| {readonly kind: 'choose'}
	| {readonly kind: 'list'}
	| {readonly kind: 'open'; readonly file: string}
	| {readonly kind: 'demo'};

/** The command line, checked. Times in the unit their names end with. */
export type Options = {
	readonly command: Command;
	readonly engine: string;
	/** Undefined: the engine's own. */
	readonly intervalMs?: number;
	/** Infinity: all frames. Undefined: the default of the format. */
	readonly depth?: number;
	/** Globs of thread names, at least one; undefined: all threads. */
	readonly threads?: string;
	/** "pkg.Class.method" of native calls that count as IDLE. */
	readonly idleCalls: readonly string[];
	readonly maxOverheadPercent: number;
	readonly delayS?: number;
	readonly sort?: string;
	readonly reverse: boolean;
	readonly filter: string;
	/** Undefined: the default of the format. */
	readonly states?: readonly ThreadState[];
	readonly by: GroupBy;
	readonly top?: number;
	readonly idle: boolean;
	readonly color: boolean;
	readonly ascii: boolean;
	readonly batch: boolean;
	readonly iterations?: number;
	readonly durationS?: number;
	readonly format: FormatId;
	readonly output?: string;
	readonly snapshotDir: string;
};

type Flags = Record<string, string | number | boolean | undefined>;

function usage(message: string, hint = 'tprof-top --help lists the options'): UserError {
	return new UserError(message, {hint, exitCode: 2});
}

function number(flags: Flags, name: string, min: number, max: number, isWhole = false): number | undefined {
	const value = flags[camelCase(name)];
	if (value === undefined) {
		return undefined;
	}

	if (typeof value !== 'number' || !(value >= min && value <= max) || (isWhole && !Number.isInteger(value))) {
		throw usage(`--${name} must be a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}`);
	}

	return value;
}

function oneOf<T extends string>(flags: Flags, name: string, values: readonly T[], fallback: T): T {
	const value = flags[name] ?? fallback;
	if (!values.includes(value as T)) {
		throw usage(`--${name} must be one of ${values.join(', ')}`);
	}

	return value as T;
}

/** States from a list of set names, state names and the letters of the STATE column. */
export function parseStates(list: string): ThreadState[] {
	const letters: Record<string, ThreadState> = {R: 'RUNNABLE', B: 'BLOCKED', w: 'WAITING', t: 'TIMED_WAITING', '.': 'IDLE'};
	const found = new Set<ThreadState>();
	for (const word of list.split(',').map(part => part.trim()).filter(Boolean)) {
		const set = stateSets.find(({id}) => id === word.toLowerCase());
		const state = letters[word] ?? threadStates.find(name => name === word.toUpperCase().replaceAll('-', '_'));
		if (set) {
			for (const member of set.states) {
				found.add(member);
			}
		} else if (state) {
			found.add(state);
		} else {
			throw usage(`unknown thread state in --state: "${word}"`, `use ${stateSets.map(({id}) => id).join(', ')}, or ${threadStates.join(', ')}`);
		}
	}

	if (found.size === 0) {
		throw usage('--state needs at least one state', `use ${stateSets.map(({id}) => id).join(', ')}, or ${threadStates.join(', ')}`);
	}

	return [...found];
}

function parseIdleCalls(list: string): string[] {
	const calls = list.split(',').map(part => part.trim()).filter(Boolean);
	const wrong = calls.find(call => !/^[^\s()]+\.[^\s().]+$/.test(call));
	if (wrong) {
		throw usage(`--idle-calls: "${wrong}" is not a method`, 'write it as in a thread dump, for example org.acme.Native.waitForWork');
	}

	return calls;
}

function parseThreads(list: string | undefined): string | undefined {
	if (list !== undefined && globsOf(list).length === 0) {
		throw usage('--threads needs at least one name', 'for example --threads "http-*,main"; leave it out to sample all threads');
	}

	return list;
}

function parseCommand(words: string[]): Command {
	const [first, second] = words;
	const most = first === 'open' ? 2 : 1;
	if (words.length > most) {
		const meant = nearest(first, commandWords);
		throw usage(`unexpected argument: "${words.slice(most).join(' ')}"`, meant && meant !== first ? `did you mean tprof-top ${meant}?` : 'give one target at a time; quote a name that contains spaces');
	}

	switch (first) {
		case undefined: {
			return {kind: 'choose'};
		}

		case 'list':
		case 'demo': {
			return {kind: first};
		}

		case 'open': {
			if (!second) {
				throw usage('open needs a snapshot file', 'tprof-top open tprof-PID-TIME.pb.gz');
			}

			return {kind: 'open', file: second};
		}

		default: {
			return {kind: 'profile', target: first};
		}
	}
}

function camelCase(name: string): string {
	return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function flagOf(row: OptionRow): AnyFlag {
	if (row.name === 'color') {
		return {type: 'boolean', default: true};
	}

	const shortFlag = row.short ? {shortFlag: row.short} : {};
	switch (row.type) {
		case 'boolean': {
			return {type: 'boolean', ...shortFlag};
		}

		case 'number': {
			return {type: 'number', ...shortFlag};
		}

		case 'string': {
			return {type: 'string', ...shortFlag};
		}
	}
}

/** Long options by their nearest, letters by the same one in the other case. */
function unknownOption(word: string): UserError {
	const meant = word.startsWith('--')
		? nearest(word, [...optionTable.map(row => longForm(row)), '--color'])
		: optionTable.find(({short}) => short?.toLowerCase() === word[1].toLowerCase())?.short;
	const hint = meant && `did you mean ${word.startsWith('--') ? meant.replace(/^--color$/, '--no-color') : `-${meant}`}? tprof-top --help lists the options`;
	return usage(`unknown option ${word}`, hint);
}

function flagsOf(argv: readonly string[]): {input: string[]; flags: Flags} {
	const known = new Map(optionTable.map(row => [row.name, row]));
	const letters = new Map(optionTable.filter(row => row.short).map(row => [row.short, row]));
	const options = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
	const seen = new Set<string>();
	for (let index = 0; index < options.length; index++) {
		const word = options[index];
		const match = /^--(no-)?([^=]+)(=.*)?$/s.exec(word) ?? /^-()([a-z])(.*)$/is.exec(word);
		if (!match) {
			continue;
		}

		const row = word.startsWith('--') ? known.get(match[2]) : letters.get(match[2]);
		if (!row || (match[1] && row.name !== 'color')) {
			throw unknownOption(word.split('=')[0]);
		}

		if (seen.has(row.name)) {
			throw usage(`--${row.name} is given twice`);
		}

		seen.add(row.name);
		if (row.value && !match[3]) {
			index++;
			if (options[index] === undefined || options[index].startsWith('--')) {
				throw usage(`--${row.name} needs a value: ${row.value}`);
			}
		}
	}

	const result = meow({
		importMeta: import.meta,
		pkg: {name: 'tprof-top'},
		argv,
		autoHelp: false,
		autoVersion: false,
		description: false,
		flags: Object.fromEntries(optionTable.map(row => [camelCase(row.name), flagOf(row)])),
	});
	const {flags} = result;
	return {input: result.input, flags: flags as Flags};
}

/** What `parseOptions` found: options, or a text to print and be done. */
export type Parsed = {readonly options: Options} | {readonly print: 'help' | 'version'};

/** Reads and checks the command line (without node and the script). Throws UserError with exit code 2. */
export function parseOptions(argv: readonly string[], environment: NodeJS.ProcessEnv = process.env): Parsed {
	const {input, flags} = flagsOf(argv);
	if (input[0] === 'help' || flags.help) {
		return {print: 'help'};
	}

	if (flags.version) {
		return {print: 'version'};
	}

	for (const row of optionTable) {
		if (row.value && flags[camelCase(row.name)] === '') {
			throw usage(`--${row.name} needs a value: ${row.value}`);
		}
	}

	const text = (name: string) => flags[name] as string | undefined;
	return {
		options: {
			command: parseCommand([...input.map(String), ...(flags.pid === undefined ? [] : [String(flags.pid)])]),
			engine: oneOf(flags, 'engine', ['auto', 'memory', 'attach'] as const, 'auto'),
			intervalMs: number(flags, 'interval', 1, 60_000),
			depth: number(flags, 'depth', 1, 100_000, true),
			threads: parseThreads(text('threads')),
			idleCalls: parseIdleCalls(text('idleCalls') ?? ''),
			maxOverheadPercent: number(flags, 'max-overhead', 0.01, 100) ?? 2,
			delayS: number(flags, 'delay', 0.1, 86_400),
			sort: text('sort'),
			reverse: flags.reverse === true,
			filter: text('filter') ?? '',
			states: text('state') === undefined ? undefined : parseStates(text('state')!),
			by: oneOf(flags, 'by', ['line', 'method', 'class'] as const, 'line'),
			top: number(flags, 'top', 1, 1_000_000, true),
			idle: flags.idle === true,
			color: flags.color !== false && !environment.NO_COLOR && environment.TERM !== 'dumb',
			ascii: flags.ascii === true,
			batch: flags.batch === true || text('format') !== undefined || text('output') !== undefined
				|| flags.iterations !== undefined || flags.duration !== undefined,
			iterations: number(flags, 'iterations', 1, 1_000_000, true),
			durationS: number(flags, 'duration', 0.1, 31_536_000),
			format: oneOf(flags, 'format', formatIds, 'text'),
			output: text('output'),
			snapshotDir: text('snapshotDir') ?? '.',
		},
	};
}
