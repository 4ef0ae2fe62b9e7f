import {Box} from 'ink';
import {useEffect, useLayoutEffect, useReducer, useState, useSyncExternalStore} from 'react';
import {viewOf} from '../../views/view-registry.js';
import {linksOf, Pane} from '../components/detail.js';
import {footerInOneLine, Footer, promptOrMessage} from '../components/footer.js';
import {findingLines, Findings, Header} from '../components/header.js';
import {Icicle} from '../components/icicle.js';
import {Menu, ScrolledPage} from '../components/layer.js';
import {Tabs} from '../components/tabs.js';
import {Lines, ThemeContext} from '../components/text.js';
import {TimeLine} from '../components/time-line.js';
import {ViewTable} from '../components/view-table.js';
import {HitAreasContext, targetAt, type HitAreas} from '../hooks/hit-areas.js';
import {useRepaint, useSize, useTerminal, useTerminalEvent} from '../hooks/use-terminal.js';
import {press, pressMouse} from '../state/reduce.js';
import {paste} from '../state/reduce-input.js';
import {followRow} from '../state/screen-context.js';
import {rowsOf, selectedLink, sourceKindOf} from '../state/screen-data.js';
import type {SessionData} from '../state/session-data.js';
import type {SessionStore} from '../state/session-store.js';
import {coveringLayer, initialState, queryOf, type InitialView, type UiState} from '../state/state.js';
import {playNext} from '../state/time.js';
import type {Theme} from '../terminal/theme.js';
import {layoutOf} from '../text/screen-layout.js';
import {wrappedSpans} from '../text/spans.js';
import {screenContextOf} from './session-context.js';
import {performEffect, type Change, type SessionPorts} from './session-effects.js';

type SessionScreenProps = SessionPorts & {
	readonly store: SessionStore;
	readonly data: SessionData;
	readonly view: InitialView;
	readonly theme: Theme;
	/** `back`: to the table of a backend. */
	readonly onLeave: (reason: 'quit' | 'back') => void;
};

/** Time after which a recording that is played goes on to its next window. */
const playMs = 1000;

/** The screen of a session: header, tabs, the current view or a layer over it, footer. */
export function SessionScreen({store, data: session, view, theme, onLeave, ...ports}: SessionScreenProps) {
	const terminal = useTerminal();
	const size = useSize();
	const repaint = useRepaint();
	const feed = useSyncExternalStore(store.subscribe, store.get);
	const [state, dispatch] = useReducer(
		// A new reducer each render: keys act on the data that is on the screen.
		(current: UiState, change: Change) => change(current, layout => (
			screenContextOf({session, ui: current, feed, layout})
		)),
		view,
		initialState,
	);
	// eslint-disable-next-line react/hook-use-state -- It is never replaced: what is drawn adds itself.
	const [hitAreas] = useState<HitAreas>(() => new Set());
	const data = session.screenData(state, feed);
	const width = size.columns - 1;
	const message = promptOrMessage(state, data, width, theme.hasColor);
	const findingCount = findingLines(state, data, width).flat().length;
	const [firstFinding = []] = findingLines(state, data, width, true);
	const caption = data.table?.caption === undefined ? [] : wrappedSpans(data.table.caption, width, 'hot');
	const {isIcicle} = viewOf(state.view);
	const layout = layoutOf(size, {
		footer: message.length, findings: findingCount, firstFinding: firstFinding.length, caption: caption.length,
		hasTimeLine: data.past !== undefined || sourceKindOf(feed) === 'recording', hasPane: !isIcicle,
	});
	const ui = followRow(state, rowsOf(data), layout.tableRows);
	if (ui !== state) {
		// React renders again at once, before Ink draws.
		dispatch(() => ui);
	}

	useTerminalEvent('key', key => {
		const atMs = performance.now();
		dispatch((current, screenAt) => press(current, key, screenAt(layout), atMs));
	});
	useTerminalEvent('paste', text => {
		dispatch(current => paste(current, text));
	});
	useTerminalEvent('mouse', input => {
		const target = targetAt(hitAreas, input.line, input.column);
		dispatch((current, screenAt) => pressMouse(current, input, target, screenAt(layout)));
	});
	useLayoutEffect(() => {
		if (ui.effects.length > 0) {
			dispatch(current => ({
				...current,
				effects: current.effects.filter(effect => !ui.effects.includes(effect)),
			}));
			for (const effect of ui.effects) {
				void performEffect(effect, {
					...ports,
					dispatch,
					store,
					session,
					data,
					query: queryOf(ui),
					terminal,
					repaint,
					onLeave,
				});
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
		const next = ui.playSpeed && setTimeout(() => {
			dispatch((current, screenAt) => playNext(current, screenAt(layout)));
		}, playMs);
		return () => {
			clearTimeout(next);
		};
	}, [ui.playSpeed, layout]);
	const isOver = feed.status.phase === 'ended' || feed.status.phase === 'failed';
	const isEmpty = isOver && feed.isRead && (feed.snapshot?.session.samples ?? 0) === 0;
	useLayoutEffect(() => {
		// Nothing to show: the reason is printed after the screen has closed.
		if (isEmpty) {
			onLeave('quit');
		}
	}, [isEmpty, onLeave]);

	const parts = {ui, data, layout};
	const detailOf = session.detailOf(ui, feed);
	const layer = coveringLayer(ui);
	const top = ui.layers.at(-1);
	const rowLinks = top?.kind === 'detail' ? linksOf(detailOf(top.view, top.key)) : [];
	const isLinkSelected = top?.kind === 'detail' && selectedLink(rowLinks, top.link) !== undefined;
	const links = {hasLinks: rowLinks.length > 0, isLinkSelected};
	// Without a footer, the prompt or the message of the last key replaces the header's line.
	const isInHeader = !layout.hasFooter && (top?.kind === 'input' || ui.message !== undefined);
	return (
		<ThemeContext value={theme}>
			<HitAreasContext value={hitAreas}>
				<Box flexDirection='column'>
					<Header
						{...parts}
						replacement={isInHeader ? footerInOneLine(message, ui, data, {width, links}) : undefined}
					/>
					<Findings {...parts}/>
					{layout.hasTabs ? <Tabs ui={ui} data={data} width={width}/> : null}
					<TimeLine {...parts}/>
					{layer === undefined
						? (
							<>
								<Lines lines={caption} width={width} height={layout.captionLines}/>
								{isIcicle ? <Icicle {...parts}/> : <ViewTable {...parts}/>}
								<Pane {...parts} detailOf={detailOf}/>
							</>
						)
						: (layer.kind === 'menu'
							? <Menu {...parts} layer={layer}/>
							: <ScrolledPage {...parts} layer={layer} detailOf={detailOf}/>)}
					{layout.hasFooter ? <Footer {...parts} message={message} links={links}/> : null}
				</Box>
			</HitAreasContext>
		</ThemeContext>
	);
}
