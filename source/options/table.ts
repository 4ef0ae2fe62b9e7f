import {existsSync} from 'node:fs';
import {timerIds} from '../engines/common/engine.js';
import {auto, engines} from '../engines/engine-registry.js';
import {allFormats, exportFormats, usualFormat} from '../exports/formats/format-registry.js';
import {eventKinds, type EventKind} from '../model/schema.js';
import {shippedProbes} from '../model/task-probe.js';
import {globsOf} from '../util/glob.js';
import {printable} from '../util/printable.js';
import {defaultQuery, groupings} from '../query/types/query.js';
import {parseFilter} from '../query/filter/filter.js';
import {stateNames, stateSets, parseStates} from '../query/filter/state-sets.js';
import {views} from '../views/view-registry.js';
import {usage} from '../runtime/errors.js';
import {
	anyText, eitherOf, number, oneOf, wordsOf, type Option, type ValueOf,
} from './option.js';
import {checkPattern} from './method-pattern.js';
import {isDumb, showsUnicode} from './environment.js';

const engineIds = [auto, ...engines.map(({id}) => id)];
const viewIds = views.map(({id}) => id);
const columnIds = [...new Set(views.flatMap(({columns}) => columns.map(({id}) => id)))];

/**
A condition of --when: a figure that exceeds a limit. `cpu`: percent of a core; `blocked`: threads; `stuck`: seconds
that a thread waits for a lock; `gc`: percent of time in collections; `deadlock`: deadlocks.
*/
export type Condition = {readonly figure: 'cpu' | 'blocked' | 'stuck' | 'gc' | 'deadlock'; readonly above: number};

const conditionForms = 'cpu>300, blocked>20, stuck>10s, gc>20, deadlock, joined by ","';
/** What stands in braces in a value of --label. */
const labelPlace = /^(?:main|user|pid|hostname|service_name|namespace|pod|container|(?:env|property):[\w.-]+)$/;
const filterForms = 'words, !word, a|b, /regex/, state:B, thread:http-*, pct>1';

/** All options in the order of the help, by the keys of their values in `Options`; keys of times end in the unit. */
const optionTable = {
	engine: {
		name: 'engine',
		group: 'sampling',
		value: 'NAME',
		default: auto,
		help: `how samples are taken: ${eitherOf(engineIds)}`,
		...oneOf(engineIds),
	},
	timer: {
		name: 'timer',
		group: 'sampling',
		value: 'NAME',
		default: auto,
		help: 'how the memory engine reads running threads: auto, perf (events) or stop (ptrace)',
		...oneOf([auto, ...timerIds] as const),
	},
	intervalMs: {
		name: 'interval',
		group: 'sampling',
		inConfig: 'always',
		value: 'MS',
		help: 'time between two samples (default: the engine\'s own)',
		...number(1, 60_000),
	},
	/** Undefined: all frames, or as many as the format writes. */
	depth: {
		name: 'depth',
		group: 'sampling',
		value: 'FRAMES',
		help: 'frames to keep of each stack, from the top (default: all)',
		...number(1, 100_000, {isWhole: true}),
	},
	maxVirtualThreads: {
		name: 'max-virtual-threads',
		group: 'sampling',
		value: 'N',
		default: '100000',
		help: 'read unmounted virtual threads if there are at most N; 0: never',
		...number(0, 10_000_000, {isWhole: true}),
	},
	/** Globs of thread names, at least one; undefined: all threads. */
	threads: {
		name: 'threads',
		group: 'sampling',
		value: 'GLOB',
		help: 'only threads named like "http-*,main"; without * or ?, part of the name matches',
		read(text: string, spelling: string) {
			if (globsOf(text).length === 0) {
				throw usage(
					`${spelling} needs at least one name`,
					'for example --threads "http-*,main"; leave it out to sample all threads',
				);
			}

			return text;
		},
	},
	idleCalls: {
		name: 'idle-calls',
		group: 'sampling',
		inConfig: 'always',
		value: 'LIST',
		default: '',
		help: 'more native calls that count as idle: "pkg.Class.method,..."',
		read(text: string, spelling: string): readonly string[] {
			const calls = wordsOf(text);
			const wrong = calls.find(call => !/^[^\s()]+\.[^\s().]+$/.test(call)) ?? (calls.length === 0 ? text : '');
			if (wrong !== '') {
				throw usage(
					`${spelling}: "${wrong}" is not a method`,
					'write it as in a thread dump, for example org.acme.Native.waitForWork',
				);
			}

			return calls;
		},
	},
	waits: {
		name: 'waits',
		group: 'sampling',
		inConfig: 'always',
		isOn: true,
		help: 'do not read what threads wait for in system calls: sockets, files, pipes, child processes',
	},
	events: {
		name: 'events',
		group: 'sampling',
		value: 'LIST',
		default: '',
		words: eventKinds,
		help:
			'events to record, separated by commas, at a cost that --max-overhead limits: alloc (bytes allocated), '
			+ 'exceptions (made with a stack trace), starts (threads started, not virtual ones)',
		read(text: string, spelling: string): readonly EventKind[] {
			const words = wordsOf(text);
			const wrong = words.find(word => !(eventKinds as readonly string[]).includes(word));
			if (wrong !== undefined) {
				throw usage(`${spelling}: "${wrong}" is no kind of event`, `use ${eitherOf(eventKinds)}`);
			}

			return eventKinds.filter(kind => words.includes(kind));
		},
	},
	maxOverheadPercent: {
		name: 'max-overhead',
		group: 'sampling',
		value: 'PERCENT',
		default: '2',
		help: 'share of time for which the target may be stopped',
		...number(0.01, 100),
	},
	maxCpuPercent: {
		name: 'max-cpu',
		group: 'sampling',
		value: 'PERCENT',
		default: '5',
		help: 'share of a core that tprof-top itself may use; 100: no limit',
		...number(0.1, 100),
	},
	delayS: {
		name: 'delay',
		group: 'view',
		inConfig: 'screen',
		short: 'd',
		value: 'S',
		help: 'seconds between refreshes (default 1), or per batch iteration (default 5)',
		...number(0.1, 86_400),
	},
	/** Undefined: the first view, or what the format prints by default. */
	view: {
		name: 'view',
		group: 'view',
		inConfig: 'screen',
		value: 'NAME',
		help: `${viewIds.join(', ')}; default ${viewIds[0]}`,
		...oneOf(viewIds),
	},
	compare: {
		name: 'compare',
		group: 'view',
		value: 'FILE',
		help: 'show changes since a snapshot or, with a backend, against label=value,...; per second, with their error',
		...anyText,
	},
	/** The id of a column of the view; undefined: the view's default order. */
	sort: {
		name: 'sort',
		group: 'view',
		value: 'COLUMN',
		words: columnIds,
		help: 'column of the view to sort by: self, total, ticks, total-ticks, cpu, line... (default self)',
		...anyText,
	},
	reverse: {name: 'reverse', group: 'view', help: 'smallest first'},
	filter: {
		name: 'filter', group: 'view', value: 'EXPR', default: '', help: `show only matching rows: ${filterForms}`,
		read(text: string, spelling: string) {
			const parsed = parseFilter(text);
			if (!parsed.ok) {
				throw usage(`${spelling}: ${parsed.error}`, filterForms);
			}

			return text;
		},
	},
	/** Undefined: those of the view or of the format. */
	states: {
		name: 'state',
		group: 'view',
		value: 'LIST',
		words: stateSets.map(({id}) => id),
		help: `thread states to count: ${stateSets.map(({id}) => id).join(', ')}, or state names (default ${stateSets[0].id})`,
		read(text: string, spelling: string) {
			const found = parseStates(text);
			if ('unknown' in found) {
				throw usage(`unknown thread state in ${spelling}: "${found.unknown}"`, `use ${stateNames}`);
			}

			if (found.states.length === 0) {
				throw usage(`${spelling} needs at least one state`, `use ${stateNames}`);
			}

			return found.states;
		},
	},
	measure: {
		name: 'measure',
		group: 'view',
		value: 'WHAT',
		default: 'cpu',
		help:
			'what is counted by stack: cpu, alloc (bytes), exceptions or starts, which are then recorded; in text, collapsed, '
			+ 'speedscope and html, and on the screen, where % changes it',
		...oneOf(['cpu' as const, ...eventKinds]),
	},
	by: {
		name: 'by',
		group: 'view',
		value: 'WHAT',
		default: defaultQuery.by,
		help: 'what a row is: a line, a method or a class',
		...oneOf(groupings),
	},
	method: {
		name: 'method',
		group: 'view',
		value: 'PATTERN',
		help: 'method for the focus view: com.acme.Dao.find, a part of it, or "*.Dao.find*"',
		read(text: string, spelling: string) {
			if (text.trim() === '') {
				throw usage(`${spelling} needs a name`, 'for example --method com.acme.Dao.find, or a part of it');
			}

			return text.trim();
		},
	},
	/** Folders and jars, at least one; undefined: only those beside the target's jars. */
	sources: {
		name: 'source',
		group: 'view',
		value: 'DIR|JAR',
		repeats: true,
		path: 'folder',
		help: 'the program\'s sources and class files; may be repeated (x-sources.jar in its class path is found)',
		read(text: string, spelling: string): readonly string[] {
			if (!existsSync(text)) {
				throw usage(
					`${spelling}: there is no ${text}`,
					'give a folder in which packages begin, a project, or a jar of sources',
				);
			}

			return [text];
		},
	},
	ownFirst: {
		name: 'own-first',
		group: 'view',
		help: 'count a sample for the program\'s own line, not for what it called in the JDK',
	},
	app: {
		name: 'app',
		group: 'view',
		value: 'PREFIXES',
		help: 'packages that are own code or, with !, are not: "com.acme,!com.acme.gen"; sets --own-first',
		read(text: string, spelling: string): readonly string[] {
			const prefixes = wordsOf(text);
			const wrong = prefixes.find(prefix => !/^!?[^\s!*()/]+$/.test(prefix));
			if (prefixes.length === 0 || wrong !== undefined) {
				throw usage(
					wrong === undefined
						? `${spelling} needs at least one package`
						: `${spelling}: "${wrong}" is not a package`,
					'for example --app "com.acme,!com.acme.generated": packages or classes, with all below them',
				);
			}

			return prefixes;
		},
	},
	firstLine: {
		name: 'first-line',
		group: 'view',
		help:
			'count a sample of a method without line numbers for its first caller that has them, as --format lines does',
	},
	javaOnly: {
		name: 'java-only',
		group: 'view',
		help: 'leave out native threads and the JVM\'s own: collectors, compilers',
	},
	native: {
		name: 'native',
		group: 'view',
		help: 'count CPU time in native code there, not for the Java line that called it',
	},
	top: {name: 'top', group: 'view', value: 'N', help: 'at most N rows', ...number(1, 1_000_000, {isWhole: true})},
	idle: {name: 'idle', group: 'view', inConfig: 'screen', help: 'also show threads that wait for work'},
	color: {
		name: 'color',
		group: 'view',
		inConfig: 'screen',
		isOn: true,
		help: 'no colors (NO_COLOR and TERM=dumb do the same)',
		inEnvironment(isOn: boolean, environment: NodeJS.ProcessEnv) {
			return isOn && !environment.NO_COLOR && !isDumb(environment);
		},
	},
	ascii: {
		name: 'ascii',
		group: 'view',
		inConfig: 'screen',
		help:
			'draw the screen with ASCII characters only (the default if the locale is not UTF-8, and on the Linux console)',
		inEnvironment: (isOn: boolean, environment: NodeJS.ProcessEnv) => isOn || !showsUnicode(environment),
	},
	mouse: {
		name: 'mouse',
		group: 'view',
		inConfig: 'screen',
		isOn: true,
		help: 'leave the mouse to the terminal (otherwise Shift selects text)',
	},
	batch: {
		name: 'batch',
		group: 'batch',
		short: 'b',
		asksForReport: true,
		help: 'print a report instead of the live screen (the default without a terminal)',
	},
	iterations: {
		name: 'iterations',
		group: 'batch',
		short: 'n',
		value: 'N',
		asksForReport: true,
		help: 'number of reports (default 1), each for its own time window',
		...number(1, 1_000_000, {isWhole: true}),
	},
	durationS: {
		name: 'duration',
		group: 'batch',
		value: 'S',
		asksForReport: true,
		help: 'total sampling time, seconds',
		...number(0.1, 31_536_000),
	},
	format: {
		name: 'format',
		group: 'batch',
		value: 'FORMAT',
		asksForReport: true,
		default: usualFormat('report').id,
		help: `${eitherOf(exportFormats.map(({id}) => id))}; of traces also ${
			eitherOf(allFormats.filter(({write}) => !write).map(({id}) => id))
		}`,
		...oneOf(allFormats.map(({id}) => id)),
	},
	withThreads: {
		name: 'with-threads',
		group: 'batch',
		help: 'collapsed, speedscope: stacks begin with a frame for the thread',
	},
	withStates: {
		name: 'with-states',
		group: 'batch',
		help: 'collapsed, speedscope: stacks begin with a frame for the thread\'s state, and count ticks',
	},
	output: {
		name: 'output',
		group: 'batch',
		short: 'o',
		value: 'FILE',
		path: 'file',
		asksForReport: true,
		help: 'write to FILE instead of standard output; never overwrites',
		...anyText,
	},
	snapshotDir: {
		name: 'snapshot-dir',
		group: 'files',
		value: 'DIR',
		path: 'folder',
		help: 'folder in which s saves (default: the current one)',
		...anyText,
	},
	keepSessions: {
		name: 'keep-sessions',
		group: 'files',
		inConfig: 'screen',
		value: 'N',
		default: '5',
		help: 'sessions kept for open --last when you quit; 0: none',
		...number(0, 1000, {isWhole: true}),
	},
	last: {name: 'last', group: 'files', help: 'open your last session'},
	/** Undefined: the default file; false: none. */
	config: {
		name: 'config',
		group: 'files',
		value: 'FILE',
		path: 'file',
		orNone: true,
		help: 'read settings from FILE (default ~/.config/tprof-top/config.json); --no-config: read none',
		...anyText,
	},
	record: {
		name: 'record',
		group: 'recordings',
		value: 'FILE',
		path: 'file',
		help: 'also record while the live screen runs',
		...anyText,
	},
	maxBytes: {
		name: 'max-size',
		group: 'recordings',
		value: 'MB',
		default: '256',
		help: 'maximum size; beyond it older windows are merged into longer ones',
		read: (text: string, spelling: string) => number(1, 1024).read(text, spelling) * 1024 * 1024,
	},
	/** Any one of the conditions is enough. */
	when: {
		name: 'when',
		group: 'recordings',
		value: 'CONDITION',
		help: `record only around moments: ${conditionForms}`,
		read(text: string, spelling: string) {
			const conditions = wordsOf(text).map((word): Condition => {
				const [, figure = word, above = 0] = /^(cpu|blocked|stuck|gc)\s*>\s*(\d+(?:\.\d+)?)[%s]?$/.exec(word)
					?? [];
				if (figure === word && word !== 'deadlock') {
					throw usage(`${spelling}: "${word}" is not a condition`, conditionForms);
				}

				return {figure: figure as Condition['figure'], above: Number(above)};
			});
			if (conditions.length === 0) {
				throw usage(`${spelling} needs a condition`, conditionForms);
			}

			return conditions;
		},
	},
	maxFiles: {
		name: 'max-files',
		group: 'recordings',
		value: 'N',
		needs: 'when',
		default: '20',
		help: 'with --when: at most N files',
		...number(1, 10_000, {isWhole: true}),
	},
	exec: {
		name: 'exec',
		group: 'recordings',
		value: 'CMD',
		needs: 'when',
		help: 'with --when: run this shell command after each file, with its path appended',
		...anyText,
	},
	tracePatterns: {
		name: 'trace',
		group: 'recordings',
		value: 'PATTERN',
		repeats: true,
		help: 'also record calls of these methods, as trace does; may be repeated',
		read: (text: string): readonly string[] => [checkPattern(text, 'com.acme.Shop#checkout')],
	},
	taskProbe: {
		name: 'tasks',
		group: 'recordings',
		value: 'PROBE',
		path: 'file',
		help: 'also record states of tasks, as tasks --probe does',
		...anyText,
	},
	all: {
		name: 'all',
		group: 'recordings',
		help: 'watch or push all JVMs on this host, including later ones',
	},
	/** The times are parsed when the recording is open, as they may be relative to its end. */
	at: {
		name: 'at',
		group: 'recordings',
		value: 'TIME',
		help: 'go to a moment of the recording, and the ten seconds around it: "10m ago", 14:02:30, "2026-11-23 14:02"',
		...anyText,
	},
	from: {
		name: 'from',
		group: 'recordings',
		value: 'TIME',
		help: 'start of the reported span; TIME as for --at',
		...anyText,
	},
	to: {
		name: 'to',
		group: 'recordings',
		value: 'TIME|URL',
		help: 'end of the reported span; of push: address of the backend, see docs/fleet.md',
		...anyText,
	},
	everyS: {
		name: 'every',
		group: 'push',
		value: 'TIME',
		default: '15s',
		help: 'time between two profiles of a JVM, 1s to 600s',
		read: (text: string, spelling: string) => number(1, 600).read(text.trim().replace(/s$/, ''), spelling),
	},
	labels: {
		name: 'label',
		group: 'push',
		value: 'NAME=VALUE',
		repeats: true,
		help: 'a label for all profiles, such as env=prod or service_name={main}-{env:STAGE}',
		read(text: string, spelling: string): ReadonlyArray<readonly [string, string]> {
			const [, name, value] = /^([a-z][\w.]{0,99})=(.{1,1000})$/is.exec(text) ?? [];
			if (name === undefined) {
				throw usage(
					`${spelling}: "${text}" is not a label`,
					'NAME=VALUE, with letters, digits, _ and . in NAME',
				);
			}

			const wrong = [...value.matchAll(/{([^{}]*)}/g)].find(([, place]) => !labelPlace.test(place));
			if (wrong !== undefined) {
				const known = '{main}, {user}, {pid}, {hostname}, {service_name}, {namespace}, {pod}, {container}';
				throw usage(
					`${spelling}: ${printable(wrong[0])} is not known`,
					`use ${known}, {env:NAME} or {property:NAME}`,
				);
			}

			return [[name, printable(value, 1000)]];
		},
	},
	withoutLabels: {
		name: 'without-label', group: 'push', value: 'NAME', repeats: true,
		help: 'leave out a label, such as pid: then a restart begins no new series',
		read: (text: string): readonly string[] => wordsOf(text),
	},
	include: {
		name: 'include', group: 'push', value: 'LIST', needs: 'all',
		help: 'with --all, only JVMs whose main class or jar is like "shop*,Mail"; user:NAME: by user',
		read: (text: string): readonly string[] => wordsOf(text),
	},
	exclude: {
		name: 'exclude', group: 'push', value: 'LIST', needs: 'all',
		help: 'with --all, all JVMs but those like these, as --include',
		read: (text: string): readonly string[] => wordsOf(text),
	},
	headers: {
		name: 'headers',
		group: 'push',
		value: 'FILE',
		path: 'file',
		help: 'HTTP headers for the backend, one a line, such as credentials (or in TPROF_HEADERS)',
		...anyText,
	},
	metrics: {
		name: 'metrics',
		group: 'push',
		value: '[HOST:]PORT',
		help: 'serve figures for Prometheus at /metrics, to this host alone unless HOST is given',
		read(text: string, spelling: string) {
			const [, host = '127.0.0.1', port] = /^(?:(\[[\da-f:.]+]|[^:[\]]+):)?(\d{1,5})$/i.exec(text) ?? [];
			if (port === undefined || Number(port) > 65_535) {
				throw usage(
					`${spelling} must be a port, or HOST:PORT: "${text}"`,
					'for example 9464, for this host alone, or 0.0.0.0:9464',
				);
			}

			return {host: host.replaceAll(/[[\]]/g, ''), port: Number(port)};
		},
	},
	leastNs: {
		name: 'min',
		group: 'trace',
		value: 'TIME',
		default: '0ms',
		help: 'keep only traces of at least this long: 50ms, 2s, 300us',
		read(text: string, spelling: string) {
			const [, amount, unit] = /^(\d+(?:\.\d+)?)(ns|us|ms|s)?$/.exec(text.trim()) ?? [];
			if (amount === undefined) {
				throw usage(`${spelling} must be a time: "${text}"`, 'for example 50ms, 2s or 300us');
			}

			return Number(amount) * {ns: 1, us: 1e3, ms: 1e6, s: 1e9}[unit ?? 'ms']!;
		},
	},
	under: {
		name: 'under',
		group: 'trace',
		value: 'METHOD',
		default: '',
		help: 'count only calls made below METHOD; a pattern, or several: a,b',
		read(text: string): readonly string[] {
			return wordsOf(text).map(pattern => checkPattern(pattern, 'com.acme.Shop#checkout'));
		},
	},
	slowest: {
		name: 'slowest', group: 'trace', value: 'N', default: '10', help: 'number of slowest traces to keep',
		...number(0, 100, {isWhole: true}),
	},
	maxMethods: {
		name: 'max-methods',
		group: 'trace',
		value: 'N',
		default: '500',
		help: 'maximum number of methods, at most 10000; asks before tracing more',
		...number(1, 10_000, {isWhole: true}),
	},
	withRunningLoops: {
		name: 'running-loops', group: 'trace',
		help: 'change classes in which a loop runs, or a deep recursion, too: the JVM interprets it until it returns',
	},
	yes: {
		name: 'yes',
		group: 'trace',
		help: 'do not ask before changing the target',
	},
	probe: {
		name: 'probe',
		group: 'tasks',
		value: 'NAME',
		path: 'file',
		default: shippedProbes[0],
		help: `probe that defines tasks: ${eitherOf(shippedProbes)}, or a file`,
		...anyText,
	},
	maxTasks: {
		name: 'max-tasks',
		group: 'tasks',
		value: 'N',
		default: '100000',
		help: 'maximum number of tasks to follow at a time; beyond it only a sample of new ones',
		...number(1000, 10_000_000, {isWhole: true}),
	},
	pid: {
		name: 'pid', group: 'other', short: 'p', value: 'PID', help: 'the JVM to profile, like PID alone',
		...anyText,
	},
	help: {name: 'help', group: 'other', short: 'h', help: 'show this help'},
	version: {name: 'version', group: 'other', short: 'V', help: 'show the version'},
} as const satisfies Readonly<Record<string, Option>>;

type Table = typeof optionTable;

/** The name of an option, without the dashes. */
export type OptionName = Table[keyof Table]['name'];

export type OptionValues = {readonly [Key in keyof Table]: ValueOf<Table[Key]>};

/** The options with their keys, in the order of the help. */
export const optionRows: ReadonlyArray<readonly [keyof Table, Option]> = Object.entries(optionTable) as Array<
	[keyof Table, Option]
>;
