import {usage} from '../runtime/errors.js';

/** A parameter of a tool: its JSON schema. */
type Parameter = {
	readonly type: 'string' | 'number';
	readonly description: string;
	readonly minimum?: number;
	readonly maximum?: number;
};

/** What a model may call. Each tool is a command line of ours, which changes nothing in the target. */
export type Tool = {
	readonly name: string;
	readonly description: string;
	readonly parameters: Readonly<Record<string, Parameter>>;
	readonly required: readonly string[];
	/** It writes a new file. */
	readonly writesFile?: true;
	/** Returns the words of the command line; throws UserError for arguments that it cannot have. */
	words(given: Arguments): readonly string[];
};

/** What a tool was called with. Nothing of it is trusted. */
export type Arguments = Readonly<Record<string, unknown>>;

const target: Parameter = {
	type: 'string',
	description: 'process id of a JVM, or a part of its main class\'s name; the tool list has them',
};
const seconds: Parameter = {type: 'number', minimum: 1, maximum: 600, description: 'how long to sample; default 10'};
const top: Parameter = {type: 'number', minimum: 1, maximum: 1000, description: 'maximum number of rows; default 20'};
const filter: Parameter = {
	type: 'string',
	description: 'only rows with these words; a word may be /regex/, a state such as BLOCKED, or pct>1',
};

const events: Parameter = {
	type: 'string',
	description:
		'events to record, at a cost that is limited: alloc (bytes allocated), exceptions, starts (of threads), or '
		+ 'several: alloc,starts',
};

/** Returns the option that records events, if any are asked for. */
const eventWords = (given: Arguments) => given.events === undefined ? [] : [`--events=${textOf(given, 'events')}`];

/** Returns the rows of a view as JSON. */
const ofView = (view: string, description: string): Tool => ({
	name: view,
	description: `${description}, as JSON; columns are those of the view ${view}`,
	parameters: {target, seconds, top, filter, events},
	required: ['target'],
	words: given => [
		wordOf(given, 'target'),
		'--batch',
		'--format',
		'json',
		'--view',
		view,
		'--duration',
		numberOf(given, 'seconds', seconds, 10),
		'--top',
		numberOf(given, 'top', top, 20),
		...(given.filter === undefined ? [] : [`--filter=${textOf(given, 'filter')}`]),
		...eventWords(given),
	],
});

export const tools: readonly Tool[] = [
	{
		name: 'list',
		description: 'The JVMs on this host with CPU and heap, as JSON',
		parameters: {},
		required: [],
		words: () => ['list', '--format', 'json'],
	},
	{
		name: 'explain',
		description: [
			'What is wrong with a JVM, with the evidence: findings (deadlocks, locks, servers, pools, heap, limits), their',
			'stacks, who holds others up, and the hottest lines of its own code; with events where it allocates, makes',
			'exceptions and starts threads. Begin with this one',
		].join(' '),
		parameters: {target, seconds, events},
		required: ['target'],
		words: given => [
			'explain',
			wordOf(given, 'target'),
			'--duration',
			numberOf(given, 'seconds', seconds, 10),
			...eventWords(given),
		],
	},
	ofView('lines', 'Source lines by CPU time, with sampling errors and thread states'),
	ofView('threads', 'Threads with CPU time, state, and what they wait for'),
	ofView('stacks', 'Stacks that were sampled, the most frequent first'),
	ofView('waits', 'Servers, files, locks and queues that threads wait for'),
	{
		name: 'record',
		description: 'Samples a JVM and writes a recording, a new file that tprof-top open and diff read',
		parameters: {
			target, seconds, file: {type: 'string', description: 'path of a file that does not exist yet; ends in .tprof'},
		},
		required: ['target', 'file'],
		writesFile: true,
		words: given => [
			'record', wordOf(given, 'target'), '-o', fileOf(given), '--duration', numberOf(given, 'seconds', seconds, 10),
		],
	},
	{
		name: 'diff',
		description: 'What has changed from one snapshot, recording or JVM to another, per line, as JSON',
		parameters: {
			before: {type: 'string', description: 'a snapshot, a recording (a.tprof@14:02..14:05), or a JVM'},
			after: {type: 'string', description: 'the same'},
		},
		required: ['before', 'after'],
		words: given => ['diff', wordOf(given, 'before'), wordOf(given, 'after'), '--format', 'json'],
	},
];

function textOf(given: Arguments, name: string): string {
	const text = given[name];
	if (typeof text !== 'string' && typeof text !== 'number') {
		throw usage(`${name} must be a text`);
	}

	return String(text);
}

/** Returns a text that is a word of its own on the command line: no option. */
function wordOf(given: Arguments, name: string): string {
	const word = textOf(given, name);
	if (word === '' || word.startsWith('-')) {
		throw usage(`${name} must not be empty or begin with a dash`);
	}

	return word;
}

function fileOf(given: Arguments): string {
	const file = wordOf(given, 'file');
	if (!file.endsWith('.tprof')) {
		throw usage('file must end in .tprof');
	}

	return file;
}

function numberOf(
	given: Arguments,
	name: string,
	{minimum = 0, maximum = Infinity}: Parameter,
	otherwise: number,
): string {
	const value = given[name] ?? otherwise;
	if (typeof value !== 'number' || !(value >= minimum && value <= maximum)) {
		throw usage(`${name} must be a number from ${minimum} to ${maximum}`);
	}

	return String(value);
}
