import {usage} from '../runtime/errors.js';
import {nearest} from './nearest.js';

export type Command =
	| {readonly kind: 'profile'; readonly target: string}
	| {readonly kind: 'choose'}
	| {readonly kind: 'list'}
	/** Without `file`: the session kept last. */
	| {readonly kind: 'open'; readonly file: string | undefined}
	| {readonly kind: 'demo'}
	| {readonly kind: 'completion'; readonly shell: string}
	| {readonly kind: 'man'}
	| {readonly kind: 'tasks'; readonly target: string}
	| {readonly kind: 'record'; readonly target: string}
	| {readonly kind: 'watch'}
	/** Without `target`: all JVMs. */
	| {readonly kind: 'push'; readonly target: string | undefined}
	/** Files, spans of recordings or JVMs. */
	| {readonly kind: 'diff'; readonly sides: readonly [string, string]}
	| {readonly kind: 'probes'}
	| {
		readonly kind: 'trace';
		readonly target: string; /** Class#method, Class.method, globs, @Annotation. */
		readonly patterns: readonly string[];
	};
export type CommandKind = Command['kind'];

export const shells: readonly string[] = ['bash', 'zsh', 'fish'];

/** The possible first words of the command line, a record each, from which help, manual and completions are made. */
export const commandTable: ReadonlyArray<{
	/** The first word; empty for a target. */
	readonly word: string;
	/** The command as it is typed after tprof-top. */
	readonly spelling: string;
	readonly help: string;
	/** The words, or the file, that may follow it. */
	readonly values?: readonly string[];
	readonly path?: 'file';
}> = [
	{word: '', spelling: '[options] PID', help: 'live; PID, or a part of the main class\'s name that matches one JVM'},
	{word: '', spelling: '', help: 'choose a JVM from a list'},
	{word: 'list', spelling: 'list', help: 'the JVMs on this host, with CPU and heap, the busiest first'},
	{
		word: 'open',
		spelling: 'open FILE',
		help: 'a snapshot, recording or pyroscope://HOST, with the same keys; --last: your last session',
		path: 'file',
	},
	{word: 'demo', spelling: 'demo', help: 'a small bundled Java program with known hot lines'},
	{word: 'record', spelling: 'record PID -o FILE', help: 'write a recording; open and diff show any moment of it'},
	{word: 'watch', spelling: 'watch --all', help: 'record every JVM on this host around moments that match --when'},
	{
		word: 'push',
		spelling: 'push PID --to URL',
		help: 'keep sending profiles to Pyroscope or an OpenTelemetry collector; --all: of every JVM',
	},
	{
		word: 'diff',
		spelling: 'diff A B',
		help: 'what B uses more or less than A: snapshots, recordings, spans (FILE@14:02..14:03) or JVMs',
		path: 'file',
	},
	{
		word: 'trace',
		spelling: 'trace PID PATTERN',
		help: 'count and time calls of matching methods, with an agent in the JVM',
	},
	{
		word: 'tasks',
		spelling: 'tasks PID',
		help: 'how long tasks (executors and others) spend in each state, with an agent in the JVM',
	},
	{word: 'probes', spelling: 'probes', help: 'the probes that tasks can use, and what each watches'},
	{word: 'completion', spelling: 'completion SHELL', help: 'print completions for bash, zsh or fish', values: shells},
	{word: 'man', spelling: 'man', help: 'the manual page'},
	{word: 'help', spelling: 'help', help: 'all options'},
];

export const commandWords = commandTable.map(({word}) => word).filter(Boolean);

/** Parses the words of the command line that belong to no option. `isLast`: --last is given. Throws UserError (2). */
export function parseCommand(words: readonly string[], {isLast = false} = {}): Command {
	const [first, second, ...others] = words;
	switch (first) {
		case undefined: {
			return {kind: 'choose'};
		}

		case 'list':
		case 'watch':
		case 'man':
		case 'probes':
		case 'demo': {
			rejectWords(words.slice(1));
			return {kind: first};
		}

		case 'open': {
			rejectWords(others);
			if (isLast === Boolean(second)) {
				throw usage(
					isLast ? 'open --last takes no file' : 'open needs a file, or --last',
					'tprof-top open tprof-PID-TIME.pb.gz',
				);
			}

			return {kind: 'open', file: second};
		}

		case 'completion': {
			rejectWords(others);
			if (!shells.includes(second)) {
				throw usage(`completions are for ${shells.join(', ')}`, 'for example: tprof-top completion bash');
			}

			return {kind: 'completion', shell: second};
		}

		case 'tasks':
		case 'record': {
			const example = first === 'tasks'
				? 'tprof-top tasks 4711 --probe executors'
				: 'tprof-top record 4711 -o FILE.tprof';
			if (second === undefined) {
				throw usage(`${first} needs a target`, example);
			}

			rejectWords(others, example);
			return {kind: first, target: second};
		}

		case 'diff': {
			const example = 'tprof-top diff before.tprof after.tprof, or diff A@14:02..14:03 A@15:02..15:03';
			const [third, ...more] = others;
			if (second === undefined || third === undefined) {
				throw usage('diff needs two sides', example);
			}

			rejectWords(more, example);
			return {kind: 'diff', sides: [second, third]};
		}

		case 'push': {
			rejectWords(others, 'give one target, or --all');
			return {kind: 'push', target: second};
		}

		case 'trace': {
			return parseTrace(second, others);
		}

		default: {
			const suggested = nearest(first, commandWords);
			rejectWords(words.slice(1), suggested && `did you mean tprof-top ${suggested}?`);
			return {kind: 'profile', target: first};
		}
	}
}

function rejectWords(
	words: readonly string[],
	hint = 'give one target at a time; quote a name that contains spaces',
): void {
	if (words.length > 0) {
		throw usage(`unexpected argument: "${words.join(' ')}"`, hint);
	}
}

/** Longer than any method's name in practice. */
const maxPatternLength = 400;
const maxPatterns = 500;

function parseTrace(target: string | undefined, patterns: readonly string[]): Command {
	const example = 'tprof-top trace 4711 com.acme.Foo#bar "com.acme.dao.*"';
	if (target === undefined || patterns.length === 0) {
		throw usage(
			target === undefined
				? 'trace needs a target and at least one pattern'
				: 'trace needs at least one pattern: the methods to trace',
			example,
		);
	}

	if (patterns.length > maxPatterns) {
		throw usage(`more than ${maxPatterns} patterns`, `* and ? match any characters: ${example}`);
	}

	return {kind: 'trace', target, patterns: patterns.map(pattern => checkPattern(pattern, example))};
}

/** Returns a pattern of methods as the agent expects it. Throws UserError (2). */
export function checkPattern(text: string, example: string): string {
	const pattern = text.trim().replace(/\(\)$/, '');
	if (!/^@?[^\s@#,;/()[\]]+(?:#[^\s@#,;/()[\]]+)?$/u.test(pattern) || pattern.length > maxPatternLength) {
		throw usage(
			`not a pattern of methods: "${text}"`,
			`Class#method, Class.method, with * and ?, or @Annotation: ${example}`,
		);
	}

	return pattern;
}
