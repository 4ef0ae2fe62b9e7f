import {Box} from 'ink';
import {cellWidth} from '../../model/cell-width.js';
import {viewOf} from '../../views/registry.js';
import {useHitArea} from '../hooks/hit-areas.js';
import {shownKeys, keysOf} from '../state/keys.js';
import type {LayerSize} from '../state/screen-context.js';
import {keySourceOf, type DetailOf, type ScreenData} from '../state/screen-data.js';
import {firstRow, type MenuLayer, type ScrolledLayer, type UiState} from '../state/state.js';
import type {Theme} from '../terminal/theme.js';
import {layerRoom, type Layout} from '../text/layout.js';
import {layOut} from '../text/line-items.js';
import {cut, type Spans} from '../text/spans.js';
import {detailLines} from './detail.js';
import {helpOf, helpTitle} from './help.js';
import {Line, Lines, useTheme} from './text.js';

type Screen = {readonly ui: UiState; readonly data: ScreenData; readonly layout: Layout; readonly detailOf: DetailOf};

/** A list to choose from, over the table. */
export function Menu({layer, ...screen}: Pick<Screen, 'ui' | 'data' | 'layout'> & {readonly layer: MenuLayer}) {
	const {layout} = screen;
	const {items, index} = layer;
	const room = layerRoom(layout, items.length);
	const top = firstRow(0, index, items.length, Math.max(1, room));
	const lines = items.map(({title}, at): Spans => [{text: cut(`${at === index ? '>' : ' '} ${title}`, layout.width), role: at === index ? 'selected' : undefined}]);
	const hitArea = useHitArea(line => line < room && top + line < items.length ? {kind: 'item', index: top + line} : undefined);
	return <Page {...screen} context={layer.kind} title={layer.title} lines={lines} top={top} hitArea={hitArea}/>;
}

/** The help, or a row's detail, over the table. */
export function ScrolledPage({layer, ...screen}: Screen & {readonly layer: ScrolledLayer}) {
	const {ui, layout} = screen;
	const {lines} = linesOf(layer, screen, useTheme());
	const top = Math.min(layer.top, Math.max(0, lines.length - layerRoom(layout, lines.length)));
	const title = layer.kind === 'detail' ? `Detail, ${viewOf(layer.view).title}` : helpTitle(layer, ui);
	return <Page {...screen} context={layer.kind} title={title} lines={lines} top={top}/>;
}

function linesOf(layer: ScrolledLayer, {ui, data, layout: {width}, detailOf}: Screen, {levels}: Pick<Theme, 'levels'>): {readonly lines: readonly Spans[]; readonly linkLine?: number} {
	if (layer.kind === 'help') {
		return {lines: helpOf(layer, ui, data, width)};
	}

	const detail = detailOf(layer.view, layer.key);
	const trend = layer.view === ui.view ? data.trendOf(layer.key) : undefined;
	return detailLines(detail && {...detail, trend: trend?.some(value => value > 0) ? trend : undefined}, layer, {width, fullNames: ui.query.fullNames, levels});
}

/** Returns how far a layer can be scrolled. */
export function sizeOfLayer(layer: MenuLayer | ScrolledLayer, screen: Screen, theme: Pick<Theme, 'levels'>): LayerSize {
	const {lines, linkLine} = layer.kind === 'menu' ? {lines: layer.items, linkLine: undefined} : linesOf(layer, screen, theme);
	return {lines: lines.length, page: layerRoom(screen.layout, lines.length), linkLine};
}

type PageProps = Pick<Screen, 'ui' | 'data' | 'layout'> & {
	/** The context that defines the keys on this page. */
	readonly context: string;
	readonly title: string;
	readonly lines: readonly Spans[];
	/** The first line on the screen. */
	readonly top: number;
	readonly hitArea?: ReturnType<typeof useHitArea>;
};

/** The visible lines under a title with the keys that close the page; below, unless all fit, which lines these are. */
function Page({ui, data, layout, context, title, lines, top, hitArea}: PageProps) {
	const {width, hasHeading, hasFooter, layerLines} = layout;
	const room = layerRoom(layout, lines.length);
	const keysFor = (action: 'close' | 'back' | 'page-down') => keysOf(context, keySourceOf(data)).filter(row => row.action === action).map(row => shownKeys(row, ui.keyChanges)).join(' ').split(' ').filter(Boolean);
	const down = keysFor('page-down').at(-1) ?? '';
	const isLong = room < lines.length && hasFooter;
	return (
		<>
			{hasHeading ? <Rule title={title} note={`${[...keysFor('close'), ...keysFor('back')].slice(0, 2).join(' or ')}: back`} width={width}/> : null}
			<Box ref={hitArea} flexDirection='column'>
				<Lines lines={lines.slice(top, top + room)} width={width} height={layerLines - (hasHeading ? 1 : 0) - (isLong ? 1 : 0)}/>
			</Box>
			{isLong ? <Rule title={`${top + 1}-${top + room} of ${lines.length}`} note={lines.length > top + room ? `more below: ${down}` : 'end'} width={width}/> : null}
		</>
	);
}

/** A horizontal rule across the screen with a title, and a note at its right end. */
function Rule({title, note, width}: {readonly title: string; readonly note: string; readonly width: number}) {
	const rule = (useTheme().isAscii ? '-' : '─').repeat(width);
	const texts = layOut([
		{
			text: ` ${title} `, priority: 0, leastWidth: 6, role: 'title',
		},
		{
			text: ` ${note} `, priority: 0, role: 'key', isRight: true,
		},
	], Math.max(0, width - 4));
	const spans: Spans = [{text: rule.slice(0, 2), role: 'dim'}, ...texts.map(span => span.role ? span : {text: rule.slice(0, cellWidth(span.text)), role: 'dim' as const}), {text: rule, role: 'dim'}];
	return <Line spans={spans} width={width}/>;
}
