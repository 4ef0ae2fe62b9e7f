import {joined, printable, safe, type Printable} from '../../util/printable.js';
import {sumOf} from '../../util/sum.js';
import {cellWidth} from '../../util/cell-width.js';
import {comparedFrom} from '../../views/changes/changes.js';
import {formatDuration, ago, clocks} from '../../query/columns/format.js';
import {stateLetters} from '../../query/columns/state-cells.js';
import {windows} from '../../query/past/windows.js';
import {windowMs} from '../../query/counters/share.js';
import type {View} from '../../views/common/view.js';
import {viewOf, views} from '../../views/view-registry.js';
import {digitOf, remapped} from '../state/keys.js';
import {sourceKindOf, type ScreenData} from '../state/screen-data.js';
import type {UiState} from '../state/state.js';
import {fitItems, type Item} from '../text/line-items.js';
import {ItemLine} from './item-line.js';

/** The tab for all views that do not fit; a click goes to the first of them. */
const moreTab = safe`…`;

/** Cells between tabs: two or, if they do not fit, one. */
const gaps = [2, 1] as const;
const [wideGap, gap] = gaps;

type TabsProps = {readonly ui: UiState; readonly data: ScreenData; readonly width: number};

/** As many views as fit, then the filters in force and the time window of the rows. */
export function Tabs({ui, data, width}: TabsProps) {
	const view = viewOf(ui.view);
	// Only the current view's tab and `moreTab` have their room reserved: a filtered table must say so, however long
	// the filter is.
	const reserved = cellWidth(safe`[${tabLabel(ui, view)}]`) + gap + cellWidth(moreTab);
	const fitted = fitItems(remarkItems(ui, data), Math.max(0, width - reserved - wideGap)).items;
	const remarks = fitted.map((item): Item => ({...item, priority: 0, isRight: true}));
	const room = width - sumOf(remarks, ({text}) => cellWidth(text) + wideGap);
	return <ItemLine items={[...tabItems(ui, data, room), ...remarks]} width={width} gaps={gaps}/>;
}

/** Returns the title of a view after the digit that shows it, if any. */
function tabLabel({keyChanges}: UiState, {id, title}: Pick<View, 'id' | 'title'>): Printable {
	const digit = digitOf(id);
	return digit !== undefined && remapped(digit, keyChanges) === digit
		? safe`${printable(digit)} ${printable(title)}`
		: printable(title);
}

/** Returns the tabs that fit, always with the current view's, and `moreTab` in place of the others. */
function tabItems(ui: UiState, data: ScreenData, room: number): Item[] {
	const tabs = views.map((view): Item => {
		const {id, tabCount} = view;
		const count = data.summary && tabCount ? tabCount(data.summary) : 0;
		const name = safe`${tabLabel(ui, view)}${count > 0 ? safe` ${count}!` : ''}`;
		return id === ui.view
			? {view: id, text: safe`[${name}]`, priority: 0, leastWidth: 0, role: 'tab'}
			: {view: id, text: name, priority: 1, role: count > 0 ? 'error' : undefined};
	});
	const widthOf = (items: readonly Item[]) => sumOf(items, ({text}) => cellWidth(text) + gap) - gap;
	if (widthOf(tabs) <= room) {
		return tabs;
	}

	const selected = tabs.findIndex(({view}) => view === ui.view);
	for (let count = tabs.length - 1; ; count--) {
		// If the current view's tab would not fit, it takes the last place.
		const kept = selected < count ? tabs.slice(0, count) : [...tabs.slice(0, count - 1), tabs[selected]];
		const firstHidden = tabs.find(tab => !kept.includes(tab))!;
		const items: Item[] = [...kept, {view: firstHidden.view, text: moreTab, priority: 2}];
		if (count === 1 || widthOf(items) <= room) {
			return items;
		}
	}
}

/** Returns the filters in force, the view's remark on its query, and the window of the rows. */
function remarkItems(ui: UiState, data: ScreenData): Item[] {
	const {query, onlyThreads, stateSet} = ui;
	const remark = viewOf(ui.view).remark?.(query) ?? safe``;
	const window = ['snapshot', 'backend'].includes(sourceKindOf(data))
		? formatDuration(data.snapshot?.session.durationMs ?? 0)
		: windowText(ui, data);
	const letters = joined(
		stateLetters.filter(({states}) => states.some(name => query.states.includes(name))).map(({letter}) => letter),
		safe``,
	);
	return [
		{
			text: query.filter === '' ? safe`` : safe`filter: ${printable(query.filter)}`,
			priority: 0,
			leastWidth: 0,
			role: 'hot',
		},
		{text: onlyThreads === undefined ? safe`` : safe`only ${onlyThreads}`, priority: 1, leastWidth: 8, role: 'hot'},
		{text: stateSet === 'active' ? safe`` : safe`states: ${stateSet ?? letters}`, priority: 1, role: 'hot'},
		{text: remark, priority: 2, leastWidth: 8},
		{text: window, priority: 3, role: 'dim'},
	];
}

function windowText(ui: UiState, {summary, past, nowMs, snapshot, since}: ScreenData): Printable {
	const {query: {baseline}} = ui;
	const from = snapshot && baseline && viewOf(ui.view).comparesWithBaseline
		? comparedFrom(baseline, snapshot, since)
		: since;
	if (snapshot && from !== since) {
		return safe`since the baseline ${formatDuration(windowMs(snapshot, from))}`;
	}

	if (past) {
		return safe`${clocks(past.fromMs, past.toMs)}, ${ago(past.toMs, nowMs)}`;
	}

	const duration = summary ? safe` ${formatDuration(summary.windowMs)}` : safe``;
	return ui.window === 'last-10s' ? safe`last 10s` : safe`${windows.find(({id}) => id === ui.window)!.title}${duration}`;
}
