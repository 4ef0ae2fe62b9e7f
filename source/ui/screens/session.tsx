import {useEffect, useLayoutEffect, useReducer, useSyncExternalStore} from 'react';
import {hasEnded} from '../../model/source.js';
import {viewOf} from '../../views/view-registry.js';
import {Pane} from '../components/detail.js';
import {linksOf} from '../components/detail-lines.js';
import {FooterInOneLine, Footer, promptOrMessage} from '../components/footer.js';
import {Findings, Header} from '../components/header.js';
import {Icicle} from '../components/icicle.js';
import {Menu, ScrolledPage} from '../components/layer.js';
import {Screen} from '../components/screen.js';
import {Tabs} from '../components/tabs.js';
import {Lines} from '../components/text.js';
import {TimeLine} from '../components/time-line.js';
import {ViewTable} from '../components/view-table.js';
import {targetAt, useHitAreas, type HitAreas} from '../hooks/hit-areas.js';
import {useQueuedEffects} from '../hooks/use-queued-effects.js';
import {useRepaint, useSize, useTerminal, useTerminalEvent} from '../hooks/use-terminal.js';
import {press, pressMouse} from '../state/reduce.js';
import {paste} from '../state/reduce-input.js';
import {followRow} from '../state/screen-context.js';
import {rowsOf, selectedLink, sourceKindOf, type DetailOf, type ScreenData} from '../state/screen-data.js';
import type {SessionData} from '../state/session-data.js';
import type {Feed, SessionStore} from '../state/session-store.js';
import {
	coveringLayer, initialState, queryOfView, type InitialView, type UiState,
} from '../state/state.js';
import {playNext} from '../state/time.js';
import {findingLines} from '../status/finding-lines.js';
import type {Size} from '../terminal/terminal.js';
import type {Theme} from '../terminal/theme.js';
import {layoutOf, type Layout} from '../text/screen-layout.js';
import {wrappedSpans, type Spans} from '../text/spans.js';
import {screenContextOf} from './session-context.js';
import {performEffect, type Change, type EffectContext, type SessionPorts} from './session-effects.js';

type SessionScreenProps = SessionPorts & {
	readonly store: SessionStore;
	readonly session: SessionData;
	readonly view: InitialView;
	readonly theme: Theme;
	/** `back`: to the table of a backend. */
	readonly onLeave: (reason: 'quit' | 'back') => void;
};

/** Time after which a recording that is played goes on to its next window. */
const playMs = 1000;

/** Applies a change to the state, with what the screen shows. */
type Dispatch = (change: Change) => void;

/** Has keys, pastes and the mouse change the state. */
function useScreenInput(dispatch: Dispatch, layout: Layout, hitAreas: HitAreas): void {
	useTerminalEvent('key', key => {
		const atMs = performance.now();
		dispatch((current, screenAt) => press(current, key, screenAt(layout), atMs));
	});
	useTerminalEvent('paste', text => {
		dispatch(current => paste(current, text));
	});
	useTerminalEvent('mouse', input => {
		const target = targetAt(hitAreas, input.line, input.column);
		const atMs = performance.now();
		dispatch((current, screenAt) => pressMouse(current, input, target, screenAt(layout), atMs));
	});
}

/** Goes on to the next window while a recording is played. */
function usePlaying(playSpeed: UiState['playSpeed'], dispatch: Dispatch, layout: Layout): void {
	useEffect(() => {
		const next = playSpeed && setTimeout(() => {
			dispatch((current, screenAt) => playNext(current, screenAt(layout)));
		}, playMs);
		return () => {
			clearTimeout(next);
		};
	}, [playSpeed, dispatch, layout]);
}

/** Returns the layout of the screen, and the lines on which its heights depend. */
function laidOut(ui: UiState, data: ScreenData, size: Size, hasColor: boolean) {
	const width = size.columns - 1;
	const message = promptOrMessage(ui, data, width, hasColor);
	const findingCount = findingLines(ui, data, width).flat().length;
	const [firstFinding = []] = findingLines(ui, data, width, true);
	const caption = data.table?.caption === undefined ? [] : wrappedSpans(data.table.caption, width, 'hot');
	const layout = layoutOf(size, {
		footer: message.length, findings: findingCount, firstFinding: firstFinding.length, caption: caption.length,
		hasTimeLine: data.past !== undefined || sourceKindOf(data) === 'recording', hasPane: !viewOf(ui.view).isIcicle,
	});
	return {message, caption, layout};
}

/** Whether the session has ended, and nothing was sampled. */
function hasEndedWithoutSamples({status, isRead, snapshot}: Feed): boolean {
	return hasEnded(status) && isRead && (snapshot?.session.samples ?? 0) === 0;
}

/** Returns whether the detail on top has links, and whether one is selected. */
function linksOfTop(ui: UiState, detailOf: DetailOf) {
	const top = ui.layers.at(-1);
	const links = top?.kind === 'detail' ? linksOf(detailOf(top.view, top.key)) : [];
	return {
		hasLinks: links.length > 0,
		isLinkSelected: top?.kind === 'detail' && selectedLink(links, top.link) !== undefined,
	};
}

type MiddleProps = {
	readonly ui: UiState;
	readonly data: ScreenData;
	readonly layout: Layout;
	readonly caption: readonly Spans[];
	readonly detailOf: DetailOf;
};

/** The current view with its caption and pane, or the layer that covers it. */
function Middle({caption, detailOf, ...parts}: MiddleProps) {
	const {ui, layout} = parts;
	const layer = coveringLayer(ui);
	if (layer) {
		return layer.kind === 'menu'
			? <Menu {...parts} layer={layer}/>
			: <ScrolledPage {...parts} layer={layer} detailOf={detailOf}/>;
	}

	return (
		<>
			<Lines lines={caption} width={layout.width} height={layout.captionLines}/>
			{viewOf(ui.view).isIcicle ? <Icicle {...parts}/> : <ViewTable {...parts}/>}
			<Pane {...parts} detailOf={detailOf}/>
		</>
	);
}

/** The screen of a session: header, tabs, the current view or a layer over it, footer. */
export function SessionScreen({store, session, view, theme, onLeave, ...ports}: SessionScreenProps) {
	const terminal = useTerminal();
	const size = useSize();
	const repaint = useRepaint();
	const feed = useSyncExternalStore(store.subscribe, store.get);
	const [state, dispatch] = useReducer(
		// Each render has a reducer of its own, so that a key acts on the data that the screen is about to show.
		(current: UiState, change: Change) => change(current, layout => (
			screenContextOf({session, ui: current, feed, layout})
		)),
		view,
		initialState,
	);
	const hitAreas = useHitAreas();
	const data = session.screenData(state, feed);
	const {message, caption, layout} = laidOut(state, data, size, theme.hasColor);
	const ui = followRow(state, rowsOf(data), layout.tableRows);
	if (ui !== state) {
		// React renders again at once, before Ink draws.
		dispatch(() => ui);
	}

	useScreenInput(dispatch, layout, hitAreas);
	const effectContext: EffectContext = {
		...ports, dispatch, store, session, data, query: queryOfView(ui), terminal, repaint, onLeave,
	};
	useQueuedEffects(ui.effects, dispatch, effect => {
		void performEffect(effect, effectContext);
	});
	usePlaying(ui.playSpeed, dispatch, layout);
	useLayoutEffect(() => {
		store.keepSnapshot(ui.isPaused);
	}, [store, ui.isPaused]);
	useEffect(() => {
		store.setDelay(ui.delayMs);
	}, [store, ui.delayMs]);
	const isEmpty = hasEndedWithoutSamples(feed);
	useLayoutEffect(() => {
		// Nothing to show: the reason is printed after the screen has closed.
		if (isEmpty) {
			onLeave('quit');
		}
	}, [isEmpty, onLeave]);

	const parts = {ui, data, layout};
	const detailOf = session.detailOf(ui, feed);
	const links = linksOfTop(ui, detailOf);
	// Without a footer, the prompt or the message of the last key replaces the header's line.
	const isInHeader = !layout.hasFooter && (ui.layers.at(-1)?.kind === 'input' || ui.message !== undefined);
	const replacement = isInHeader
		? <FooterInOneLine message={message} ui={ui} data={data} width={layout.width} links={links}/>
		: undefined;
	return (
		<Screen theme={theme} hitAreas={hitAreas}>
			<Header {...parts} replacement={replacement}/>
			<Findings {...parts}/>
			{layout.hasTabs ? <Tabs ui={ui} data={data} width={layout.width}/> : null}
			<TimeLine {...parts}/>
			<Middle {...parts} caption={caption} detailOf={detailOf}/>
			{layout.hasFooter ? <Footer {...parts} message={message} links={links}/> : null}
		</Screen>
	);
}
