import {joined, printable, safe, type Printable} from '../../util/printable.js';
import {views} from '../../views/view-registry.js';
import type {ViewKey} from '../../views/common/view.js';

/*
Every key as an entry, from which help, key line and docs are made. A view's own keys are in its entry. Keys
are named as by terminal/key-decoder: `a`, `ctrl-a`, `pageup`.
*/

/** The tables of the views, by the view's id. */
const tables: readonly string[] = views.map(({id}) => id);

/** The digits that show the first views, in the views' order. */
const viewDigits: readonly string[] = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0'];

/** Returns the digit that shows a view; undefined if it has none. */
export function digitOf(view: string): string | undefined {
	return viewDigits.at(tables.indexOf(view));
}

/** Contexts in which a key has a meaning: a view's table, a layer over it, or the chooser's screen. */
export const contexts: readonly string[] = [...tables, 'detail', 'help', 'menu', 'input', 'chooser'];
export type KeyContext = string;

/** The actions of keys by purpose, in the order of the help. */
export const keyGroups = [
	{
		title: 'Look closer',
		actions: [
			'open',
			'focus',
			'trace',
			'own-code',
			'java-only',
			'native',
			'holders',
			'events',
			'next-finding',
			'next-link',
			'previous-link',
			'edit',
			'of-view',
			'show-view',
			'next-view',
			'previous-view',
		],
	},
	{title: 'Find', actions: ['filter', 'only-threads', 'states', 'idle', 'clear']},
	{
		title: 'Order',
		actions: [
			'sort-self',
			'sort-total',
			'sort-name',
			'sort-previous',
			'sort-next',
			'sort-menu',
			'reverse',
		],
	},
	{
		title: 'Time',
		actions: [
			'window',
			'earlier',
			'later',
			'busiest',
			'set-baseline',
			'changes',
			'reset',
			'undo-reset',
			'pause',
			'sampling',
			'delay',
		],
	},
	{title: 'Save', actions: ['save', 'save-as', 'record', 'copy', 'explain']},
	{title: 'Move', actions: ['up', 'down', 'page-up', 'page-down', 'home', 'end', 'left', 'right']},
	{title: 'How it looks', actions: ['columns-menu', 'column-left', 'column-right', 'names', 'unit', 'redraw']},
	{title: 'Type', actions: ['accept', 'erase', 'erase-word', 'erase-all']},
	{title: 'Help and leave', actions: ['help-view', 'help', 'back', 'close', 'suspend', 'quit']},
] as const;

export type Action = (typeof keyGroups)[number]['actions'][number];

/** Where the screen's data is from: a JVM that is sampled, a recording, a saved snapshot, or a backend. */
export type SourceKind = 'jvm' | 'recording' | 'snapshot' | 'backend';

export type KeyBinding = Pick<ViewKey, 'keys' | 'label' | 'help' | 'knownFrom'> & {
	readonly action: Action;
	readonly contexts: readonly KeyContext[];
	/** Short title in the key line; undefined: the key is not in that line. */
	readonly title?: string;
	/** The sources for which it does something; undefined: all. */
	readonly sources?: readonly SourceKind[];
	readonly press?: ViewKey['press'];
};

const live: readonly SourceKind[] = ['jvm'];
/** The sources with windows to step through. */
const liveOrRecorded: readonly SourceKind[] = [...live, 'recording'];

const lists: readonly KeyContext[] = [...tables, 'detail', 'help', 'menu', 'chooser'];

/** All keys in the order of the help screen, including those that a view overrides. */
const allKeys: readonly KeyBinding[] = [
	{
		action: 'close',
		keys: ['q'],
		contexts: tables,
		label: 'q',
		title: 'quit',
		help:
			'close help, detail or menu, and go back from focus; in a view: quit. A summary stays on the terminal, the session is kept for tprof-top open --last',
		knownFrom: 'htop, less',
	},
	{
		action: 'quit',
		keys: ['f10', 'ctrl-c'],
		contexts,
		label: 'F10 Ctrl-C',
		help: 'quit, from any screen',
		knownFrom: 'htop',
	},
	{
		action: 'close',
		keys: ['q'],
		contexts: ['chooser'],
		label: 'q',
		title: 'quit',
		help: 'quit; in the help: close it',
		knownFrom: 'htop, less',
	},
	{
		action: 'open',
		keys: ['enter'],
		contexts: ['chooser'],
		label: 'Enter',
		title: 'open',
		help: 'open the selected row',
		knownFrom: 'htop',
	},
	{
		action: 'record',
		keys: ['w'],
		contexts: ['chooser'],
		label: 'w',
		title: 'record all',
		help:
			'record all JVMs, each to tprof-PID-TIME.tprof, those that start later too; they share --max-cpu; again: end it',
		sources: live,
	},
	{
		action: 'back',
		keys: ['escape'],
		contexts: ['chooser'],
		label: 'Esc',
		title: 'clear',
		help: 'stop opening a row; clear the message, then the filter',
		knownFrom: 'htop',
	},
	{
		action: 'help',
		keys: ['?', 'h', 'f1'],
		contexts: ['chooser'],
		label: '? h F1',
		title: 'help',
		help: 'what the keys and columns of the table mean; again: close it',
		knownFrom: 'htop, less',
	},
	{
		action: 'help-view',
		keys: ['?'],
		contexts: [...tables, 'detail'],
		label: '?',
		title: 'help',
		help: 'help for the view: what it shows, its keys and columns',
		knownFrom: 'all',
	},
	{
		action: 'help',
		keys: ['h', 'f1'],
		contexts: [...tables, 'detail'],
		label: 'h F1',
		help: 'all of the help: the words of the header, every key, the columns',
		knownFrom: 'htop, less',
	},
	{
		action: 'help',
		keys: ['h', 'f1'],
		contexts: ['help'],
		label: 'h F1',
		title: 'all of it',
		help: 'from the help for the view to all of the help; there: close it',
	},
	{
		action: 'close',
		keys: ['q'],
		contexts: ['detail', 'help', 'menu'],
		label: 'q',
		title: 'back',
		help: 'close and go back; another q within half a second does nothing',
		knownFrom: 'less',
	},
	{
		action: 'back',
		keys: ['escape', '?', 'x'],
		contexts: ['help'],
		label: 'Esc ?',
		help: 'close the help',
		knownFrom: 'less, htop',
	},
	{
		action: 'show-view',
		keys: viewDigits,
		contexts: [...tables, 'detail', 'help'],
		label: '1-9 0',
		help: 'the view with this digit in the line of tabs',
		knownFrom: 'btop',
	},
	{
		action: 'next-view',
		keys: ['tab'],
		contexts: tables,
		label: 'Tab',
		title: 'view',
		help: 'next view',
		knownFrom: 'htop',
	},
	{
		action: 'previous-view',
		keys: ['shift-tab'],
		contexts: tables,
		label: 'Shift-Tab',
		help: 'previous view',
		knownFrom: 'htop',
	},
	{
		action: 'open',
		keys: ['enter'],
		contexts: tables,
		label: 'Enter',
		title: 'open',
		help: 'open the selected row: its threads, stacks, callers and who holds the lock',
		knownFrom: 'perf',
	},
	{
		action: 'focus',
		keys: ['f'],
		contexts: [...tables, 'detail'],
		label: 'f',
		help: 'focus on the row\'s method: where its time goes, waits included, and who calls it; Esc goes back',
	},
	{
		action: 'next-finding', keys: ['!'], contexts: tables, label: '!',
		help: 'select the next of the findings above the table (1/3); Enter then goes to the row that it is about',
	},
	{
		action: 'clear',
		keys: ['escape'],
		contexts: tables,
		label: 'Esc',
		help:
			'back to LIVE from the past; clear the message, then the filter, the thread selection, the focus; '
			+ 'then back to the table of JVMs in which it was opened',
		knownFrom: 'htop',
	},
	{
		action: 'edit',
		keys: ['e'],
		contexts: [...tables, 'detail'],
		label: 'e',
		help: 'open the row\'s source at its line in $VISUAL or $EDITOR (--source says where sources are)',
		knownFrom: 'less',
	},
	{
		action: 'copy',
		keys: ['y'],
		contexts: [...tables, 'detail'],
		label: 'y',
		help: 'copy Class.java:line, through the terminal (OSC 52)',
		knownFrom: 'vim',
	},
	{
		action: 'explain',
		keys: ['Y'],
		contexts: tables,
		label: 'Y',
		help: 'copy what is wrong in the window on the screen, with the evidence, as Markdown for a ticket or a chat',
	},
	{
		action: 'next-link',
		keys: ['tab'],
		contexts: ['detail'],
		label: 'Tab',
		title: 'next',
		help: 'select the next line that Enter opens: who holds the lock, threads, callers, callees',
	},
	{
		action: 'previous-link',
		keys: ['shift-tab'],
		contexts: ['detail'],
		label: 'Shift-Tab',
		help: 'select the previous line that Enter opens',
	},
	{
		action: 'accept',
		keys: ['enter'],
		contexts: ['detail'],
		label: 'Enter',
		title: 'open',
		help: 'open the selected line\'s own detail; without one, back to the table',
		knownFrom: 'perf',
	},
	{
		action: 'back',
		keys: ['escape', 'backspace'],
		contexts: ['detail'],
		label: 'Esc',
		help: 'back to where it was opened',
		knownFrom: 'less',
	},
	{
		action: 'up',
		keys: ['up', 'k'],
		contexts: lists,
		label: 'Up k',
		help: 'up; the selection stays on its row when rows move',
		knownFrom: 'htop, less',
	},
	{action: 'down', keys: ['down', 'j'], contexts: lists, label: 'Down j', help: 'down', knownFrom: 'htop, less'},
	{action: 'page-up', keys: ['pageup'], contexts: lists, label: 'PgUp', help: 'a page up', knownFrom: 'less'},
	{action: 'page-down', keys: ['pagedown'], contexts: lists, label: 'PgDn', help: 'a page down', knownFrom: 'less'},
	{
		action: 'page-up',
		keys: ['ctrl-u'],
		contexts: lists,
		label: 'Ctrl-U',
		help: 'a page up',
		knownFrom: 'less',
	},
	{
		action: 'page-down',
		keys: ['ctrl-d'],
		contexts: lists,
		label: 'Ctrl-D',
		help: 'a page down',
		knownFrom: 'less',
	},
	{
		action: 'page-down',
		keys: [' '],
		contexts: ['detail', 'help'],
		label: 'Space',
		help: 'a page down',
		knownFrom: 'less',
	},
	{action: 'home', keys: ['home', 'g'], contexts: lists, label: 'Home g', help: 'first row', knownFrom: 'htop, less'},
	{action: 'end', keys: ['end', 'G'], contexts: lists, label: 'End G', help: 'last row', knownFrom: 'htop, less'},
	{action: 'left', keys: ['left'], contexts: tables, label: 'Left', help: 'scroll sideways, left', knownFrom: 'htop'},
	{
		action: 'right',
		keys: ['right'],
		contexts: tables,
		label: 'Right',
		help: 'scroll sideways, right',
		knownFrom: 'htop',
	},
	{
		action: 'filter',
		keys: ['/', '\\', 'f4'],
		contexts: tables,
		label: String.raw`/ \ F4`,
		title: 'filter',
		help: 'filter as you type: words, !word, a|b, /regex/, state:B, thread:http-*, pct>1; Enter keeps, Esc clears',
		knownFrom: 'htop, perf',
	},
	{
		action: 'sort-self', keys: ['P'], contexts: tables, label: 'P',
		help: 'sort by the figure of the row itself (CPU%)', knownFrom: 'top',
	},
	{action: 'sort-total', keys: ['T'], contexts: tables, label: 'T', help: 'sort by TOTAL', knownFrom: 'top'},
	{action: 'sort-name', keys: ['N'], contexts: tables, label: 'N', help: 'sort by name', knownFrom: 'top'},
	{
		action: 'sort-previous',
		keys: ['<'],
		contexts: [...tables, 'chooser'],
		label: '<',
		help: 'sort by the previous column',
		knownFrom: 'top',
	},
	{
		action: 'sort-next',
		keys: ['>'],
		contexts: [...tables, 'chooser'],
		label: '>',
		help: 'sort by the next column',
		knownFrom: 'top',
	},
	{
		action: 'sort-menu',
		keys: ['f6'],
		contexts: tables,
		label: 'F6',
		title: 'sort',
		help: 'choose the column to sort by',
		knownFrom: 'htop',
	},
	{
		action: 'columns-menu',
		keys: ['C', 'f2'],
		contexts: tables,
		label: 'C F2',
		help: 'choose the columns of the view and their order; kept in the configuration file',
		knownFrom: 'htop',
	},
	{
		action: 'column-left',
		keys: ['<'],
		contexts: ['menu'],
		label: '<',
		help: 'in the menu of columns: move the column to the left',
	},
	{
		action: 'column-right',
		keys: ['>'],
		contexts: ['menu'],
		label: '>',
		help: 'in the menu of columns: move the column to the right',
	},
	{
		action: 'reverse',
		keys: ['R', 'I'],
		contexts: [...tables, 'chooser'],
		label: 'R I',
		help: 'reverse the order',
		knownFrom: 'top, htop',
	},
	{
		action: 'only-threads',
		keys: ['t'],
		contexts: tables,
		label: 't',
		help: 'only the threads of the selected row; again for all',
		knownFrom: 'perf',
	},
	{
		action: 'states',
		keys: ['x'],
		contexts: tables,
		label: 'x',
		help: 'thread states to count: active, all, blocked, waiting',
	},
	...views.flatMap(({id, keys}) => keys.map(key => ({...key, action: 'of-view', contexts: [id]} as const))),
	{
		action: 'own-code',
		keys: ['a'],
		contexts: tables,
		label: 'a',
		help:
			'own code first: the program\'s own line instead of the JDK line that it called; again: every line by itself',
	},
	{
		action: 'java-only',
		keys: ['J'],
		contexts: tables,
		label: 'J',
		help:
			'Java alone, or also what the JVM itself uses: [gc] collectors, [jit] compilers, [vm] its other threads, [native] threads of libraries',
	},
	{
		action: 'native',
		keys: ['n'],
		contexts: tables,
		label: 'n',
		help:
			'CPU time in native code by library and function (libzip.so!inflate_fast, [kernel] read), or folded into the Java line that called it',
	},
	{
		action: 'trace',
		keys: ['M'],
		contexts: [...tables, 'detail'],
		label: 'M',
		help:
			'measure every call of the row\'s method, or of a pattern, with an agent in the JVM; says how many methods match and asks first; see the Traces view',
		sources: live,
	},
	{
		action: 'holders',
		keys: ['L'],
		contexts: views.filter(({asksForHolders}) => asksForHolders).map(({id}) => id),
		label: 'L',
		help:
			'with the attach engine: ask the JVM who holds java.util.concurrent locks, with a full dump; says first what it costs',
		sources: live,
	},
	{
		action: 'events',
		keys: ['A'],
		contexts: tables,
		label: 'A',
		help:
			'record where the program allocates, makes exceptions and starts threads, or what --events names: ALLOC/s, EXC/s '
			+ 'and STARTS/s in Lines and Threads; the header says what an event costs (--max-overhead limits it). Exceptions '
			+ 'without a stack trace, those that the JVM has made in advance, and virtual threads are not seen; again: end it',
		sources: live,
	},
	{action: 'names', keys: ['c'], contexts: tables, label: 'c', help: 'full or shortened names', knownFrom: 'top'},
	{
		action: 'idle',
		keys: ['i'],
		contexts: tables,
		label: 'i',
		help: 'show or hide threads that wait for work',
		knownFrom: 'top, py-spy',
	},
	{
		action: 'unit', keys: ['%'], contexts: tables, label: '%',
		help: 'unit: percent of a core, share of CPU time, share of ticks, CPU ms; of the bytes allocated, the exceptions '
			+ 'or the threads started, where these were recorded (A): in Lines, Stacks, Tree and Flame, and in details',
	},
	{
		action: 'window',
		keys: ['z'],
		contexts: tables,
		label: 'z',
		help: 'window: since start, since reset, last 10 s, last refresh; of the past: 10 min, 1 min, 10 s, 1 s',
		knownFrom: 'perf',
		sources: liveOrRecorded,
	},
	{
		action: 'earlier',
		keys: ['['],
		contexts: [...tables, 'detail'],
		label: '[',
		title: 'earlier',
		help: 'show the window before; sampling goes on. Of a backend: the span before',
		sources: [...liveOrRecorded, 'backend'],
	},
	{
		action: 'later',
		keys: [']'],
		contexts: [...tables, 'detail'],
		label: ']',
		help: 'show the window after; past the newest it is LIVE again, or all of a recording',
		sources: [...liveOrRecorded, 'backend'],
	},
	{
		action: 'filter',
		keys: ['/', '\\', 'f4'],
		contexts: ['chooser'],
		label: String.raw`/ \ F4`,
		title: 'filter',
		help: 'only rows that contain all words; Enter keeps the filter, Esc clears it',
		knownFrom: 'htop, perf',
	},
	{
		action: 'earlier',
		keys: ['['],
		contexts: ['chooser'],
		label: '[',
		title: 'earlier',
		help: 'in the table of a backend: the span before',
		sources: ['backend'],
	},
	{
		action: 'later',
		keys: [']'],
		contexts: ['chooser'],
		label: ']',
		title: 'later',
		help: 'in the table of a backend: the span after, up to now',
		sources: ['backend'],
	},
	{
		action: 'busiest',
		keys: ['B'],
		contexts: [...tables, 'detail'],
		label: 'B',
		title: 'busiest',
		help: 'show the second with the most CPU time of those that are kept',
		sources: liveOrRecorded,
	},
	{
		action: 'set-baseline',
		keys: ['m'],
		contexts: [...tables, 'detail'],
		label: 'm',
		help: 'make the window on the screen, live or past, the baseline to compare with',
		sources: liveOrRecorded,
	},
	{
		action: 'changes',
		keys: ['D'],
		contexts: tables,
		label: 'D',
		help: 'what changed since the baseline, or against --compare FILE: CPU and ticks per second; again: back',
	},
	{
		action: 'reset',
		keys: ['r'],
		contexts: tables,
		label: 'r',
		help: 'reset: count from now on (nothing is lost)',
		knownFrom: 'py-spy',
		sources: live,
	},
	{action: 'undo-reset', keys: ['u'], contexts: tables, label: 'u', help: 'undo the reset', sources: live},
	{
		action: 'pause',
		keys: [' ', 'Z', 'p'],
		contexts: tables,
		label: 'Space Z p',
		title: 'pause',
		help: 'pause the screen; sampling goes on. In a recording: play it, 10 times as fast, 60 times, stop',
		knownFrom: 'htop',
		sources: liveOrRecorded,
	},
	{
		action: 'pause',
		keys: ['Z', 'p'],
		contexts: ['detail'],
		label: 'Z p',
		help: 'pause the screen; sampling goes on',
		sources: live,
	},
	{
		action: 'sampling',
		keys: ['o'],
		contexts: tables,
		label: 'o',
		help: 'stop and start sampling',
		knownFrom: 'perf',
		sources: live,
	},
	{
		action: 'record',
		keys: ['w'],
		contexts: [...tables, 'detail'],
		label: 'w',
		help: 'write what comes from now on to a recording, tprof-PID-TIME.tprof; again: end it',
		sources: live,
	},
	{
		action: 'save',
		keys: ['s'],
		contexts: [...tables, 'detail'],
		label: 's',
		title: 'save',
		help: 'save the window at once, as pprof and as text',
		knownFrom: 'austin, perf',
	},
	{
		action: 'save-as',
		keys: ['S'],
		contexts: tables,
		label: 'S',
		help: 'save under another name or in another format; as a recording: all of the past that is kept',
	},
	{
		action: 'delay',
		keys: ['d'],
		contexts: tables,
		label: 'd',
		help: 'change the refresh interval',
		knownFrom: 'top',
		sources: live,
	},
	{action: 'redraw', keys: ['ctrl-l'], contexts, label: 'Ctrl-L', help: 'redraw the screen', knownFrom: 'htop'},
	{action: 'suspend', keys: ['ctrl-z'], contexts, label: 'Ctrl-Z', help: 'suspend; fg resumes', knownFrom: 'htop'},
	{action: 'accept', keys: ['enter'], contexts: ['menu'], label: 'Enter', title: 'choose', help: 'accept'},
	{action: 'accept', keys: [' '], contexts: ['menu'], label: 'Space', help: 'the same'},
	{
		action: 'accept',
		keys: ['enter'],
		contexts: ['input'],
		label: 'Enter',
		title: 'keep',
		help: 'keep the filter, set the delay, save under this name; invalid input stays to be corrected',
	},
	{
		action: 'back',
		keys: ['escape'],
		contexts: ['menu'],
		label: 'Esc',
		title: 'cancel',
		help: 'close without choosing',
	},
	{
		action: 'back',
		keys: ['escape'],
		contexts: ['input'],
		label: 'Esc',
		title: 'cancel',
		help: 'cancel (in the filter: clear it)',
	},
	{
		action: 'erase',
		keys: ['backspace', 'delete'],
		contexts: ['input'],
		label: 'Backspace',
		help: 'erase a letter',
	},
	{action: 'erase-all', keys: ['ctrl-u'], contexts: ['input'], label: 'Ctrl-U', help: 'erase the line'},
	{action: 'erase-word', keys: ['ctrl-w'], contexts: ['input'], label: 'Ctrl-W', help: 'erase a word'},
	{action: 'left', keys: ['left'], contexts: ['input'], label: 'Left', help: 'a letter to the left'},
	{action: 'right', keys: ['right'], contexts: ['input'], label: 'Right', help: 'a letter to the right'},
	{action: 'home', keys: ['home', 'ctrl-a'], contexts: ['input'], label: 'Home', help: 'to the start of the line'},
	{action: 'end', keys: ['end', 'ctrl-e'], contexts: ['input'], label: 'End', help: 'to the end of the line'},
];

/** Whether a view's own keys override some of these keys in its table. */
function isOverridden(keys: readonly string[], context: KeyContext): boolean {
	return views.some(view => view.id === context && view.keys.some(own => own.keys.some(key => keys.includes(key))));
}

/** All keys in the order of the help screen, without those that a view overrides in its context. */
export const keyTable: readonly KeyBinding[] = allKeys
	.map(binding => binding.press
		? binding
		: {...binding, contexts: binding.contexts.filter(context => !isOverridden(binding.keys, context))});

const bindingsByContext = new Map(contexts.map(context => {
	const bindings = keyTable.filter(binding => binding.contexts.includes(context));
	const keys = bindings.flatMap(binding => binding.keys.map(key => [key, binding] as const));
	return [
		context,
		// In an input line a character is text.
		new Map(keys.filter(([key]) => key.length > 1 || context !== 'input')),
	];
}));

/** Returns the binding of a key in a context; undefined if it does nothing there or, in an input line, is text. */
export function bindingOf(context: KeyContext, key: string, source: SourceKind = 'jvm'): KeyBinding | undefined {
	const binding = bindingsByContext.get(context)?.get(key);
	return binding && isOffered(binding, source) ? binding : undefined;
}

export function actionOf(context: KeyContext, key: string, source?: SourceKind): Action | undefined {
	return bindingOf(context, key, source)?.action;
}

/** Whether a key does something in the table of some view. */
export function isOfTables({contexts}: KeyBinding): boolean {
	return contexts.some(context => tables.includes(context));
}

/** Returns the keys of a context, in the order of its help. */
export function keysOf(context: KeyContext, source: SourceKind = 'jvm'): readonly KeyBinding[] {
	return keyTable.filter(binding => binding.contexts.includes(context) && isOffered(binding, source));
}

function isOffered({sources}: KeyBinding, source: SourceKind): boolean {
	return sources === undefined || sources.includes(source);
}

/** Returns bindings by group, and within a group in the order of the key table; without empty groups. */
export function byGroup(bindings: readonly KeyBinding[]): ReadonlyArray<{
	readonly title: string;
	readonly bindings: readonly KeyBinding[];
}> {
	return keyGroups
		.map(({title, actions}) => ({
			title,
			bindings: bindings.filter(({action}) => (actions as readonly Action[]).includes(action)),
		}))
		.filter(group => group.bindings.length > 0);
}

/** Maps a key that the user remapped to the key whose action it now has; null: to none. */
export type KeyChanges = ReadonlyMap<string, string | null>;

const longNames = new Set([
	...keyTable.flatMap(({keys}) => keys).filter(key => key.length > 1),
	...Array.from({length: 12}, (_, index) => `f${index + 1}`),
	...Array.from({length: 26}, (_, index) => `ctrl-${String.fromCodePoint(0x61 + index)}`),
	'insert',
	'delete',
]);

/** Returns the key that has this name in the configuration file; undefined if there is no such key. */
export function keyNamed(name: string): string | undefined {
	const key = name === 'space' ? ' ' : ([...name].length === 1 ? name : name.toLowerCase());
	return longNames.has(key) || ([...key].length === 1 && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(key)) ? key : undefined;
}

/** Returns the label of a key: Space, Ctrl-U, F6, PgUp. */
export function keyLabel(key: string): Printable {
	const short = {' ': 'Space', escape: 'Esc', pageup: 'PgUp', pagedown: 'PgDn'}[key];
	return printable(
		short ?? (key.length === 1 ? key : key.replaceAll(/(?:^|-)[a-z]/g, letter => letter.toUpperCase())),
	);
}

/** Returns the key whose action a key has after the user's changes; empty for none. */
export function remapped(key: string, changes: KeyChanges): string {
	const target = changes.get(key);
	return target === undefined ? key : target ?? '';
}

/** Returns the label of a binding after the user's changes; empty if no key is left. */
export function labelAfter(changes: KeyChanges, {label, keys}: Pick<KeyBinding, 'label' | 'keys'>): Printable {
	const changed = [...changes].map(([key, target]) => ({
		key,
		wasBound: keys.includes(key),
		isBound: keys.includes(target ?? ''),
	}));
	const removed
		= new Set(changed.filter(({wasBound, isBound}) => wasBound && !isBound).map(({key}) => keyLabel(key)));
	const added = changed.filter(({wasBound, isBound}) => isBound && !wasBound).map(({key}) => keyLabel(key));
	return joined([...added, ...printable(label).split(' ').filter(word => !removed.has(word))], safe` `);
}
