import process from 'node:process';
import {printable, safe, type Printable} from '../../util/printable.js';
import type {Snapshot, TargetVitals} from '../../model/snapshot.js';
import type {Ring} from '../../query/past/past-ring.js';
import type {Baseline, Location, Query} from '../../query/types/query.js';
import {confirmTrace} from '../state/reduce-input.js';
import type {ScreenContext} from '../state/screen-context.js';
import type {ScreenData} from '../state/screen-data.js';
import type {SessionData} from '../state/session-data.js';
import type {SessionStore} from '../state/session-store.js';
import {withMessage, withQuery, type Effect, type UiState} from '../state/state.js';
import type {Terminal} from '../terminal/terminal.js';
import type {Layout} from '../text/screen-layout.js';

export type SaveRequest = {readonly name?: string; readonly format?: string; readonly ring?: Ring};

/** Writes the window on the screen to a file; resolves to a message, or rejects with an error that says why not. */
export type Save = (
	snapshot: Snapshot,
	baseline: Snapshot | undefined,
	query: Query,
	request: SaveRequest,
) => Promise<Printable>;

/** Returns a page on what is wrong in the window on the screen. */
type Explain = (
	snapshot: Snapshot,
	baseline: Snapshot | undefined,
	query: Query,
	vitals: TargetVitals,
) => string;

/** Saves the user's columns of a view, undefined for the default; resolves to a message, or rejects as `Save` does. */
type KeepColumns = (view: string, columns: readonly string[] | undefined) => Promise<Printable>;

/** Begins or ends a recording; resolves to a message, or rejects as `Save` does. */
export type RecordingToggle = {toggle(ring: Ring): Promise<Printable>};

/** The methods that a pattern matches: the question to the user, and the note to read before answering it. */
export type FoundMethods = {readonly question: Printable; readonly about: Printable};

/** Traces methods while the screen is up. `find` and `trace` reject with an error that says why they failed. */
export type MethodTracer = {
	/** Finds the methods that a pattern matches; does not trace them yet. */
	find(pattern: string): Promise<FoundMethods>;
	/** Traces the methods found last; resolves to a message. */
	trace(): Promise<Printable>;
	/** Discards the methods found last. */
	forget(): Promise<void>;
};

/** Moves the span of the profile that a backend has merged. */
export type SpanPort = {
	/**
	Moves the span by `steps` of its length. Resolves to the new span's baseline, or to undefined if a newer move has
	begun; rejects as `Save` does.
	*/
	move(steps: number): Promise<{readonly baseline?: Baseline} | undefined>;
};

/** What the screen of a session calls in the rest of the program. */
export type SessionPorts = {
	readonly save: Save;
	readonly explain: Explain;
	readonly keepColumns?: KeepColumns;
	/** Undefined if this session cannot trace. */
	readonly tracer?: MethodTracer;
	/** Undefined for what is recorded or saved already. */
	readonly recording?: RecordingToggle;
	/** Undefined unless a backend is shown. */
	readonly spans?: SpanPort;
	/** Whether Esc leads back to the table in which the session was opened. */
	readonly canGoBack?: boolean;
};

/**
Returns the next state. Pure. `screenAt` returns what else keys depend on: what a layout of the screen shows.
*/
export type Change = (state: UiState, screenAt: (layout: Layout) => ScreenContext) => UiState;

export type EffectContext = SessionPorts & {
	readonly dispatch: (change: Change) => void;
	readonly store: SessionStore;
	readonly session: SessionData;
	/** What is on the screen, and the query that it answers. */
	readonly data: ScreenData;
	readonly query: Query;
	readonly terminal: Terminal;
	readonly repaint: () => void;
	readonly onLeave: (reason: 'quit' | 'back') => void;
};

/** Performs an effect. May return or resolve to a message, or reject with an error for the user. */
type Performer<Type extends Effect['type']> = (
	context: EffectContext,
	effect: Effect & {readonly type: Type},
) => Promise<Printable | void> | Printable | void;

const performers: {readonly [Type in Effect['type']]: Performer<Type>} = {
	quit({onLeave}) {
		onLeave('quit');
	},
	back({canGoBack, onLeave}) {
		if (canGoBack) {
			onLeave('back');
		}
	},
	redraw({repaint}) {
		repaint();
	},
	suspend({terminal}) {
		terminal.suspend();
	},
	copy({terminal}, {location}) {
		const text = copiedText(location);
		terminal.copy(text);
		return safe`copied ${text}`;
	},
	explain({explain, terminal, data: {snapshot, since, vitals}, query}) {
		if (!snapshot) {
			return safe`nothing to explain yet`;
		}

		terminal.copy(explain(snapshot, since, query, vitals));
		return safe`copied a page of Markdown`;
	},
	async edit({session, terminal}, {location}) {
		const source = session.fileOf(location);
		if ('problem' in source) {
			throw new Error(source.problem);
		}

		const file = source.text.file();
		await terminal.lend(async () => edit(file, source.line));
	},
	'toggle-sampling'({store}) {
		store.toggleSampling();
	},
	'toggle-events'({store}) {
		return store.toggleEvents()
			? safe`recording events, at a cost below --max-overhead; ALLOC/s, EXC/s, STARTS/s in Lines and Threads. A ends it`
			: safe`events are no longer recorded`;
	},
	'ask-for-holders'({store}) {
		store.askForHolders();
	},
	async 'move-span'({spans, store, dispatch}, {steps}) {
		const moved = await spans?.move(steps);
		if (moved) {
			store.refresh();
			dispatch(state => withQuery({...state, message: undefined}, {baseline: moved.baseline}));
		}
	},
	reset({store, dispatch}) {
		store.reset();
		dispatch(withResetsOf(store));
	},
	'undo-reset'({store, dispatch}) {
		store.undoReset();
		dispatch(withResetsOf(store));
	},
	'keep-columns': async ({keepColumns}, {view, columns}) => keepColumns?.(view, columns),
	async 'find-methods'({tracer, dispatch}, {pattern}) {
		if (!tracer) {
			throw new Error('only while a JVM is sampled');
		}

		const found = await tracer.find(pattern);
		dispatch(state => confirmTrace(state, found));
	},
	trace: async ({tracer}) => tracer?.trace(),
	'forget-methods': async ({tracer}) => tracer?.forget(),
	'toggle-recording': async ({recording, data}) => recording?.toggle(data.ring),
	save: async ({save, data: {snapshot, since, ring}, query}, effect) =>
		snapshot ? save(snapshot, since, query, {...effect, ring}) : safe`nothing to save yet`,
};

/** Effects whose errors are messages to the user, and how the messages begin. Errors of other effects are bugs. */
const failures: Readonly<Partial<Record<Effect['type'], Printable>>> = {
	edit: safe``,
	'move-span': safe``,
	'keep-columns': safe`not saved: `,
	save: safe`not saved: `,
	'find-methods': safe`not traced: `,
	trace: safe`not traced: `,
	'toggle-recording': safe`not recorded: `,
};

/** Performs an effect; dispatches its message, or its error as one. */
export async function performEffect<Type extends Effect['type']>(
	effect: Effect & {readonly type: Type},
	context: EffectContext,
): Promise<void> {
	const {dispatch} = context;
	try {
		const text = await performers[effect.type](context, effect);
		if (text !== undefined) {
			dispatch(state => withMessage(state, text));
		}
	} catch (error) {
		const failure: Printable | undefined = failures[effect.type];
		if (failure === undefined) {
			throw error;
		}

		const text = safe`${failure}${printable(error instanceof Error ? error.message : String(error), 1000)}`;
		dispatch(state => ({...state, message: {text, tone: 'error'}}));
	}
}

function withResetsOf(store: SessionStore): Change {
	const {length: resets} = store.get().starts.resets;
	return state => ({...state, resets, window: resets > 0 ? 'reset' : 'start'});
}

/** Returns `Class.java:line`, or the method or class if the file or line is unknown. */
function copiedText({className, method, file, line}: Location): Printable {
	return file !== '' && line > 0 ? safe`${file}:${line}` : (method === '' ? className : safe`${className}.${method}`);
}

/** Returns the command line of the user's editor in words: $VISUAL, else $EDITOR, else vi. */
export function editorOf({VISUAL, EDITOR}: NodeJS.ProcessEnv): readonly string[] {
	return [VISUAL, EDITOR].map(text => text?.trim() ?? '').find(text => text !== '')?.split(/\s+/) ?? ['vi'];
}

/** Runs the user's editor on a file at a line, from 1; rejects with an Error that says why it could not be started. */
async function edit(file: string, line: number): Promise<void> {
	const [command, ...args] = editorOf(process.env);
	// Loaded here, as it would delay every start.
	const {spawn} = await import('node:child_process');
	await new Promise<void>((resolve, reject) => {
		const child = spawn(command, [...args, `+${Math.max(1, line)}`, file], {stdio: 'inherit'});
		child.once('error', error => {
			reject(new Error(`cannot start ${command} (${(error as NodeJS.ErrnoException).code ?? error.message}); set EDITOR`));
		});
		child.once('exit', () => {
			resolve();
		});
	});
}
