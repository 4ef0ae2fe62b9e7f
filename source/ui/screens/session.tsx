import {Box} from 'ink';
import {useEffect, useLayoutEffect, useReducer, useState, useSyncExternalStore} from 'react';
import type {Snapshot} from '../../model/snapshot.js';
import type {Ring} from '../../query/past/ring.js';
import type {Baseline, Location, Query} from '../../query/types/query.js';
import {viewOf} from '../../views/registry.js';
import {linksOf, Pane} from '../components/detail.js';
import {firstLine, Footer, promptOrMessage} from '../components/footer.js';
import {findingLines, Findings, Header} from '../components/header.js';
import {Icicle} from '../components/icicle.js';
import {Menu, ScrolledPage} from '../components/layer.js';
import {Tabs} from '../components/tabs.js';
import {ThemeContext} from '../components/text.js';
import {TimeLine} from '../components/time-line.js';
import {aboveLines, ViewTable} from '../components/view-table.js';
import {HitAreasContext, targetAt, type HitAreas} from '../hooks/hit-areas.js';
import {useRepaint, useSize, useTerminal, useTerminalEvent} from '../hooks/terminal.js';
import {press, pressMouse} from '../state/reduce.js';
import {confirmTrace} from '../state/reduce-input.js';
import {followRow, type ScreenContext} from '../state/screen-context.js';
import {keySourceOf, rowsOf} from '../state/screen-data.js';
import type {SessionData} from '../state/session-data.js';
import type {SessionStore} from '../state/session-store.js';
import {
	coveringLayer, initialState, queryOf, say, withQuery, type InitialView, type Effect, type UiState,
} from '../state/state.js';
import {played} from '../state/time.js';
import {edit} from '../terminal/editor.js';
import type {Theme} from '../terminal/theme.js';
import {layoutOf, type Layout} from '../text/layout.js';
import {screenContextOf} from './session-context.js';

export type SaveRequest = {readonly name?: string; readonly format?: string; readonly ring?: Ring};

/** Writes the window on the screen to a file; resolves to a message, or rejects with an error that says why not. */
export type Save = (snapshot: Snapshot, baseline: Snapshot | undefined, query: Query, request: SaveRequest) => Promise<string>;

/** Saves the user's columns of a view, undefined for the default; resolves to a message, or rejects as `Save` does. */
type KeepColumns = (view: string, columns: readonly string[] | undefined) => Promise<string>;

/** Begins or ends a recording; resolves to a message, or rejects as `Save` does. */
export type RecordingToggle = {toggle(ring: Ring): Promise<string>};

/** The methods that a pattern matches: the question to the user, and the note to read before answering it. */
export type FoundMethods = {readonly question: string; readonly about: string};

/** Traces methods while the screen is up. `find` and `trace` reject with an error that says why they failed. */
export type MethodTracer = {
	/** Finds the methods that a pattern matches; does not trace them yet. */
	find(pattern: string): Promise<FoundMethods>;
	/** Traces the methods found last; resolves to a message. */
	trace(): Promise<string>;
	/** Discards the methods found last. */
	forget(): Promise<void>;
};

/** Moves the span of the profile that a backend has merged. */
export type SpanPort = {
	/** Whether Esc leads back to the table of the backend. */
	readonly canGoBack: boolean;
	/** Moves the span by `steps` of its length. Resolves to its baseline, or to undefined if a newer move has begun; rejects as `Save` does. */
	move(steps: number): Promise<{readonly baseline?: Baseline} | undefined>;
};

/** What the screen of a session calls in the rest of the program. */
export type SessionPorts = {
	readonly save: Save;
	readonly keepColumns?: KeepColumns;
	/** Undefined if this session cannot trace. */
	readonly tracer?: MethodTracer;
	/** Undefined for what is recorded or saved already. */
	readonly recording?: RecordingToggle;
	/** Undefined unless a backend is shown. */
	readonly spans?: SpanPort;
};

type SessionScreenProps = SessionPorts & {
	readonly store: SessionStore;
	readonly data: SessionData;
	readonly view: InitialView;
	readonly theme: Theme;
	readonly onQuit: () => void;
	readonly onBack?: () => void;
};

/** Time after which a recording that is played goes on to its next window. */
const playMs = 1000;

/** The screen of a session: header, tabs, the current view or a layer over it, footer. */
export function SessionScreen({store, data, view, theme, save, keepColumns, tracer, recording, spans, onQuit, onBack}: SessionScreenProps) {
	const terminal = useTerminal();
	const size = useSize();
	const repaint = useRepaint();
	const feed = useSyncExternalStore(store.subscribe, store.get);
	const [ui, dispatch] = useReducer(
		// A new reducer each render: keys act on the data that is on the screen.
		(state: UiState, change: Change) => change(state, drawnLayout => screenContextOf({
			session: data, ui: state, feed, layout: drawnLayout, theme,
		})),
		view,
		initialState,
	);
	// eslint-disable-next-line react/hook-use-state -- It is never replaced: what is drawn adds itself.
	const [hitAreas] = useState<HitAreas>(() => new Set());
	const shown = data.of(ui, feed);
	const source = keySourceOf(feed);
	const width = size.columns - 1;
	const message = promptOrMessage(ui, shown, width, theme.hasColor);
	const findings = findingLines(shown, width);
	const above = aboveLines(shown, width);
	const layout = layoutOf(size, {
		footer: message.length, findings: findings.flat().length, firstFinding: findings.at(0)?.length ?? 0, above: above.length, isPast: shown.past !== undefined || source === 'recording', hasPane: !viewOf(ui.view).isIcicle,
	});
	const detailOf = data.detailOf(ui, feed);
	const settled = followRow(ui, rowsOf(shown), layout.tableRows);
	if (settled !== ui) {
		// React renders again at once, before Ink draws.
		dispatch(() => settled);
	}

	useTerminalEvent('key', key => {
		const atMs = performance.now();
		dispatch((state, screenAt) => press(state, key, screenAt(layout), atMs));
	});
	useTerminalEvent('mouse', input => {
		const target = targetAt(hitAreas, input.line, input.column);
		dispatch((state, screenAt) => pressMouse(state, input, target, screenAt(layout)));
	});

	const performers: {readonly [Type in Effect['type']]: (effect: Effect & {readonly type: Type}) => void} = {
		quit: onQuit,
		redraw: repaint,
		suspend() {
			terminal.suspend();
		},
		copy({location}) {
			const text = copiedText(location);
			terminal.copy(text);
			dispatch(state => say(state, `copied ${text}`));
		},
		edit({location}) {
			void attempt(dispatch, '', async () => {
				const source = data.fileOf(location);
				if ('problem' in source) {
					throw new Error(source.problem);
				}

				const file = source.text.file();
				await terminal.lend(async () => edit(file, source.line));
			});
		},
		sampling() {
			store.toggleSampling();
		},
		holders() {
			store.askForHolders();
		},
		back() {
			if (spans?.canGoBack) {
				onBack?.();
			}
		},
		'move-span'(effect) {
			void attempt(dispatch, '', async () => {
				const moved = await spans?.move(effect.steps);
				if (moved) {
					store.refresh();
					dispatch(state => withQuery({...state, message: undefined}, {baseline: moved.baseline}));
				}
			});
		},
		reset({isUndone}) {
			store.reset(isUndone);
			const {length: resets} = store.get().starts.resets;
			dispatch(state => ({...state, resets, window: resets > 0 ? 'reset' : 'start'}));
		},
		'keep-columns'(effect) {
			void attempt(dispatch, 'not saved: ', async () => keepColumns?.(effect.view, effect.columns));
		},
		'find-methods'({pattern}) {
			void attempt(dispatch, 'not traced: ', async () => {
				if (!tracer) {
					throw new Error('only while a JVM is sampled');
				}

				const found = await tracer.find(pattern);
				dispatch(state => confirmTrace(state, found));
			});
		},
		record() {
			void attempt(dispatch, 'not recorded: ', async () => recording?.toggle(feed.ring));
		},
		trace() {
			void attempt(dispatch, 'not traced: ', async () => tracer?.trace());
		},
		'forget-methods'() {
			void tracer?.forget();
		},
		save(effect) {
			void attempt(dispatch, 'not saved: ', async () => shown.snapshot ? save(shown.snapshot, shown.baseline, queryOf(ui), {...effect, ring: feed.ring}) : 'nothing to save yet');
		},
	};
	const perform = <Type extends Effect['type']>(effect: Effect & {readonly type: Type}) => {
		performers[effect.type](effect);
	};

	useLayoutEffect(() => {
		if (ui.effects.length > 0) {
			dispatch(state => ({...state, effects: state.effects.filter(effect => !ui.effects.includes(effect))}));
			for (const effect of ui.effects) {
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
	useEffect(() => {
		const next = ui.playing && setTimeout(() => {
			dispatch((state, screenAt) => played(state, screenAt(layout)));
		}, playMs);
		return () => {
			clearTimeout(next);
		};
	}, [ui.playing, layout]);
	const isOver = feed.status.phase === 'ended' || feed.status.phase === 'failed';
	const isEmpty = isOver && feed.isRead && (feed.shown?.session.samples ?? 0) === 0;
	useLayoutEffect(() => {
		// Nothing to show: the reason is printed after the screen has closed.
		if (isEmpty) {
			onQuit();
		}
	}, [isEmpty, onQuit]);

	const layer = coveringLayer(settled);
	const top = settled.layers.at(-1);
	const parts = {ui: settled, data: shown, layout};
	const keyRoom = {width, hasLinks: top?.kind !== 'detail' || linksOf(detailOf(top.view, top.key)).length > 0};
	// Without a footer, the prompt or the message of the last key replaces the header's line.
	const isInHeader = !layout.hasFooter && (top?.kind === 'input' || ui.message !== undefined);
	return (
		<ThemeContext value={theme}>
			<HitAreasContext value={hitAreas}>
				<Box flexDirection='column'>
					<Header {...parts} instead={isInHeader ? firstLine(message, settled, shown, keyRoom) : undefined}/>
					<Findings data={shown} layout={layout}/>
					{layout.hasTabs ? <Tabs ui={settled} data={shown} width={width}/> : null}
					<TimeLine {...parts}/>
					{layer === undefined
						? (
							<>
								{viewOf(settled.view).isIcicle ? <Icicle {...parts} above={above}/> : <ViewTable {...parts} above={above}/>}
								<Pane {...parts} detailOf={detailOf}/>
							</>
						)
						: (layer.kind === 'menu' ? <Menu {...parts} layer={layer}/> : <ScrolledPage {...parts} layer={layer} detailOf={detailOf}/>)}
					{layout.hasFooter ? <Footer {...parts} message={message} hasLinks={keyRoom.hasLinks}/> : null}
				</Box>
			</HitAreasContext>
		</ThemeContext>
	);
}

/** Returns the next state. Pure; `screenAt` returns what keys depend on beside the state, given the layout on the screen. */
type Change = (state: UiState, screenAt: (layout: Layout) => ScreenContext) => UiState;

/** Runs an action, then shows the message that it resolves to, if any, or `failure` and the error's message. */
async function attempt(dispatch: (change: Change) => void, failure: string, action: () => Promise<string | void>): Promise<void> {
	try {
		const text = await action();
		if (text !== undefined) {
			dispatch(state => say(state, text));
		}
	} catch (error) {
		const text = failure + (error instanceof Error ? error.message : String(error));
		dispatch(state => ({...state, message: {text, tone: 'error'}}));
	}
}

/** Returns `Class.java:line`, or the method or class if the file or line is unknown. */
function copiedText({className, method, file, line}: Location): string {
	return file !== '' && line > 0 ? `${file}:${line}` : (method === '' ? className : `${className}.${method}`);
}
