/* eslint-disable react/react-in-jsx-scope -- TypeScript's automatic JSX runtime needs no React in scope. */
import {Box} from 'ink';
import {
	useEffect, useLayoutEffect, useMemo, useReducer, useSyncExternalStore, type ReactElement,
} from 'react';
import type {Snapshot} from '../../model/snapshot.js';
import type {Place, Query} from '../../query/types.js';
import {HintLine, KeyLine, Prompt} from '../components/footer.js';
import {Header, StateStrip, Tabs} from '../components/header.js';
import {TimeLine} from '../components/time-line.js';
import {LayerPage} from '../components/layer.js';
import {Pane, ViewTable} from '../components/view-table.js';
import {layoutFor} from '../text/footer-lines.js';
import {LooksContext} from '../hooks/looks.js';
import {SessionContext} from '../hooks/session.js';
import {
	useKeys, useMouse, useRepaint, useSize, useTerminal,
} from '../hooks/terminal.js';
import {coveringLayer} from '../text/layers.js';
import type {Effect} from '../state/reduce-menu.js';
import {keysOf} from '../state/screen-data.js';
import type {SessionData} from '../state/session-data.js';
import {reduceSession, type SessionAction, type SessionState} from '../state/session-state.js';
import type {SessionStore} from '../state/session-store.js';
import {initialState, queryOf, type InitialView} from '../state/state.js';
import {followRow} from '../state/surroundings.js';
import {edit} from '../terminal/editor.js';
import type {Theme} from '../terminal/theme.js';

/**
Writes what is on the screen to a file and says in one line where it is; rejects with an error whose message says why
not.
*/
export type Save = (snapshot: Snapshot, baseline: Snapshot | undefined, query: Query, how: {readonly name?: string; readonly format?: string}) => Promise<string>;

/** Keeps the columns of a view, undefined for the usual ones; says in one line where, or rejects as `Save` does. */
export type KeepColumns = (view: string, columns: readonly string[] | undefined) => Promise<string>;

/** What a pattern of methods means, as the user is asked about it: one line, and what is to be known before. */
export type FoundMethods = {readonly question: string; readonly about: string};

/** Traces methods while the screen is there. `find` and `trace` reject with an error whose message says why not. */
export type MethodTracer = {
	/** Looks up what a pattern means; nothing is traced yet. */
	find(pattern: string): Promise<FoundMethods>;
	/** Traces what was found last, and says so in one line. */
	trace(): Promise<string>;
	/** What was found last is not to be traced. */
	forget(): Promise<void>;
};

export type SessionScreenProps = {
	readonly store: SessionStore;
	readonly data: SessionData;
	readonly view: InitialView;
	readonly theme: Theme;
	readonly save: Save;
	/** Keeps the columns of a view (undefined: the usual ones) for the next time, and says where; undefined: they are not kept. */
	readonly keepColumns?: KeepColumns;
	/** Undefined where nothing can be traced. */
	readonly tracer?: MethodTracer;
	/** Ends the screen. */
	readonly onQuit: () => void;
};

/** The screen of a session: its views, and what lies above them. */
export function SessionScreen({store, data, view, theme, save, keepColumns, tracer, onQuit}: SessionScreenProps) {
	const terminal = useTerminal();
	const size = useSize();
	const repaint = useRepaint();
	const feed = useSyncExternalStore(store.subscribe, store.get);
	const [{ui, effects}, dispatch] = useReducer(
		(state: SessionState, action: SessionAction) => reduceSession(state, action, at => data.around(at, feed, size, theme)),
		view,
		(initial): SessionState => ({ui: initialState(initial), effects: []}),
	);
	const shown = data.of(ui, feed);
	const layout = layoutFor(ui, shown, size);
	const followed = followRow(ui, keysOf(shown), layout.tableRows);
	if (followed !== ui) {
		dispatch({type: 'follow', ui: followed});
	}

	useKeys(key => {
		dispatch({type: 'key', key});
	});

	useMouse(input => {
		dispatch({type: 'mouse', input});
	});

	const perform = (effect: Effect): void => {
		switch (effect.type) {
			case 'quit': {
				onQuit();
				break;
			}

			case 'redraw': {
				repaint();
				break;
			}

			case 'suspend': {
				terminal.suspend();
				break;
			}

			case 'copy': {
				const text = copiedText(effect.place);
				terminal.copy(text);
				dispatch({type: 'say', message: {text: `copied ${text}`, tone: 'plain'}});
				break;
			}

			case 'edit': {
				void edited(data.fileOf(effect.place), terminal, dispatch);
				break;
			}

			case 'sampling': {
				store.toggleSampling();
				break;
			}

			case 'holders': {
				store.askForHolders();
				break;
			}

			case 'reset':
			case 'undo-reset': {
				store.reset(effect.type === 'undo-reset');
				dispatch({type: 'resets', resets: store.get().past.resets.length});
				break;
			}

			case 'keep-columns': {
				if (keepColumns) {
					void answered(keepColumns(effect.view, effect.columns), 'not saved', dispatch);
				}

				break;
			}

			case 'find-methods': {
				void found(tracer, effect.pattern, dispatch);
				break;
			}

			case 'trace': {
				if (tracer) {
					void answered(tracer.trace(), 'not traced', dispatch);
				}

				break;
			}

			case 'forget-methods': {
				void tracer?.forget();
				break;
			}

			case 'save': {
				if (shown.snapshot) {
					void answered(save(shown.snapshot, shown.baseline, queryOf(ui), effect), 'not saved', dispatch);
				} else {
					dispatch({type: 'say', message: {text: 'nothing to save yet', tone: 'plain'}});
				}

				break;
			}
		}
	};

	useLayoutEffect(() => {
		if (effects.length > 0) {
			dispatch({type: 'performed', effects});
			for (const effect of effects) {
				perform(effect);
			}
		}
	});
	useLayoutEffect(() => {
		store.hold(ui.isPaused);
	}, [store, ui.isPaused]);
	useEffect(() => {
		store.setDelay(ui.delayMs);
	}, [store, ui.delayMs]);
	const isOver = feed.status.phase === 'ended' || feed.status.phase === 'failed';
	const isEmpty = isOver && feed.isRead && (feed.shown?.session.samples ?? 0) === 0;
	useLayoutEffect(() => {
		// There is nothing to look at: the reason is better read where the next command is typed.
		if (isEmpty) {
			onQuit();
		}
	}, [isEmpty, onQuit]);

	const layer = coveringLayer(ui);
	const looks = useMemo(() => ({theme, width: layout.width}), [theme, layout.width]);
	return (
		<LooksContext value={looks}>
			<SessionContext value={{
				ui: followed, data: shown, layout, theme, detailOf: data.detailOf(ui, feed),
			}}
			>
				<Box flexDirection='column'>
					<Header/>
					<StateStrip/>
					<Tabs/>
					<TimeLine/>
					{layer
						? <LayerPage layer={layer}/>
						: (
							<>
								{layout.tableRows > 0 ? <ViewTable/> : null}
								<HintLine/>
								<Pane/>
							</>
						)}
					<Prompt/>
					<KeyLine/>
				</Box>
			</SessionContext>
		</LooksContext>
	);
}

/** The screen as an element, for those who have no JSX. */
export function sessionScreen(props: SessionScreenProps): ReactElement {
	return <SessionScreen {...props}/>;
}

/** Says what came of it. */
async function answered(doing: Promise<string>, failure: string, dispatch: (action: SessionAction) => void): Promise<void> {
	try {
		dispatch({type: 'say', message: {text: await doing, tone: 'plain'}});
	} catch (error) {
		dispatch({type: 'say', message: {text: `${failure}: ${error instanceof Error ? error.message : String(error)}`, tone: 'error'}});
	}
}

/** Asks whether to trace what a pattern means. */
async function found(tracer: MethodTracer | undefined, pattern: string, dispatch: (action: SessionAction) => void): Promise<void> {
	try {
		if (!tracer) {
			throw new Error('only while a JVM is sampled');
		}

		dispatch({type: 'ask-to-trace', ...await tracer.find(pattern)});
	} catch (error) {
		dispatch({type: 'say', message: {text: `not traced: ${error instanceof Error ? error.message : String(error)}`, tone: 'error'}});
	}
}

/** `Class.java:line`, as editors and people take it; the method where no file or line is known. */
function copiedText({className, method, file, line}: Place): string {
	return file !== '' && line > 0 ? `${file}:${line}` : (method === '' ? className : `${className}.${method}`);
}

async function edited(source: ReturnType<SessionData['fileOf']>, terminal: ReturnType<typeof useTerminal>, dispatch: (action: SessionAction) => void): Promise<void> {
	try {
		if ('problem' in source) {
			throw new Error(source.problem);
		}

		const file = source.text.file();
		await terminal.lend(async () => edit(file, source.line));
	} catch (error) {
		dispatch({type: 'say', message: {text: error instanceof Error ? error.message : String(error), tone: 'error'}});
	}
}
