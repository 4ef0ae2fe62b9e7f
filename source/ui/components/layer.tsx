import {Box} from 'ink';
import {joined, printable, safe, type Printable} from '../../util/printable.js';
import {cellWidth} from '../../util/cell-width.js';
import {sumOf} from '../../util/sum.js';
import {viewOf} from '../../views/view-registry.js';
import {useHitArea} from '../hooks/hit-areas.js';
import {keysOf, labelAfter, type Action} from '../state/keys.js';
import {sourceKindOf} from '../state/screen-data.js';
import {scrollIntoView, type MenuLayer, type ScrolledLayer} from '../state/state.js';
import {layerRoom} from '../text/screen-layout.js';
import {fitItems} from '../text/line-items.js';
import {elideEnd, type Spans} from '../text/spans.js';
import {helpTitle, type HelpLine} from './help-lines.js';
import {linesOf, type LayerContext} from './layer-lines.js';
import {TermTable, type TermLine} from './term-table.js';
import {Line} from './text.js';

/** A list to choose from, over the table. */
export function Menu({layer, ...screen}: Pick<LayerContext, 'ui' | 'data' | 'layout'> & {readonly layer: MenuLayer}) {
	const {layout} = screen;
	const {items, index} = layer;
	const room = layerRoom(layout, items.length);
	const scrollTop = scrollIntoView(0, index, items.length, Math.max(1, room));
	const lines = items.map((
		{title},
		at,
	): Spans => [{
		text: elideEnd(safe`${at === index ? '>' : ' '} ${printable(title)}`, layout.width),
		role: at === index ? 'selected' : undefined,
	}]);
	const hitArea = useHitArea(line =>
		line < room && scrollTop + line < items.length ? {kind: 'item', index: scrollTop + line} : undefined);
	return (
		<Page
			{...screen}
			context={layer.kind}
			title={layer.title}
			lines={lines}
			scrollTop={scrollTop}
			hitArea={hitArea}
		/>
	);
}

/** The help, or a row's detail, over the table. */
export function ScrolledPage({layer, ...screen}: LayerContext & {readonly layer: ScrolledLayer}) {
	const {ui, layout} = screen;
	const {lines} = linesOf(layer, screen);
	const scrollTop = Math.min(layer.scrollTop, Math.max(0, lines.length - layerRoom(layout, lines.length)));
	const title = layer.kind === 'detail' ? safe`Detail, ${printable(viewOf(layer.view).title)}` : helpTitle(layer, ui);
	return <Page {...screen} context={layer.kind} title={title} lines={lines} scrollTop={scrollTop}/>;
}

type PageProps = Pick<LayerContext, 'ui' | 'data' | 'layout'> & {
	/** The context that defines the keys on this page. */
	readonly context: string;
	readonly title: Printable;
	readonly lines: readonly HelpLine[];
	/** Index of the first line on the screen. */
	readonly scrollTop: number;
	readonly hitArea?: ReturnType<typeof useHitArea>;
};

/** A title with the keys that close the page, and the lines that fit; if not all fit, their numbers are below them. */
function Page({ui, data, layout, context, title, lines, scrollTop, hitArea}: PageProps) {
	const {width, hasHeading, hasFooter, layerLines} = layout;
	const room = layerRoom(layout, lines.length);
	const keysFor = (action: Action) =>
		keysOf(context, sourceKindOf(data)).filter(binding => binding.action === action).flatMap(binding =>
			labelAfter(ui.keyChanges, binding).split(' ').filter(Boolean));
	const pageDown = keysFor('page-down').at(-1) ?? '';
	const isScrollable = room < lines.length && hasFooter;
	return (
		<Box flexDirection='column' height={layerLines}>
			{hasHeading
				? (
					<Rule
						title={title}
						note={safe`${joined([...keysFor('close'), ...keysFor('back')].slice(0, 2), safe` or `)}: back`}
						width={width}
					/>
				)
				: null}
			<Box ref={hitArea} flexDirection='column'>
				<PageLines lines={lines.slice(scrollTop, scrollTop + room)} width={width}/>
			</Box>
			{isScrollable
				? (
					<Rule
						title={safe`${scrollTop + 1}-${scrollTop + room} of ${lines.length}`}
						note={lines.length > scrollTop + room ? safe`more below: ${pageDown}` : safe`end`}
						width={width}
					/>
				)
				: null}
		</Box>
	);
}

/** Lines below each other. A table whose heading is above them has it in place of its first line. */
export function PageLines({lines, width}: {readonly lines: readonly HelpLine[]; readonly width: number}) {
	const parts: Array<TermLine[] | {readonly spans: Spans}> = [];
	for (const line of lines) {
		const last = parts.at(-1);
		if (!('heading' in line)) {
			parts.push({spans: line});
		} else if (Array.isArray(last) && last[0].heading === line.heading) {
			last.push(line);
		} else {
			parts.push([line]);
		}
	}

	/* eslint-disable react/no-array-index-key -- A part is identified by its place. */
	return parts.map((part, index) => Array.isArray(part)
		? <TermTable key={index} heading={part[0].heading} rows={part.slice(1)} width={width}/>
		: <Line key={index} spans={part.spans} width={width}/>);
	/* eslint-enable react/no-array-index-key */
}

/** Cells of the rule before the title, and after the note. */
const ruleEnd = 2;

/** A horizontal rule across the screen with a title, and a note at its right end. */
function Rule({title, note, width}: {readonly title: Printable; readonly note: Printable; readonly width: number}) {
	const rule = safe`─`.repeat(width);
	const room = Math.max(0, width - (2 * ruleEnd));
	const {items} = fitItems([
		{text: safe` ${title} `, priority: 0, leastWidth: 6, role: 'title'},
		{text: safe` ${note} `, priority: 0, role: 'key', isRight: true},
	], room);
	const between = rule.slice(0, Math.max(0, room - sumOf(items, ({text}) => cellWidth(text))));
	const [left, right] = [items.filter(({isRight}) => !isRight), items.filter(({isRight}) => isRight)];
	const spans: Spans = [
		{text: rule.slice(0, ruleEnd), role: 'dim'},
		...left,
		{text: between, role: 'dim'},
		...right,
		{text: rule, role: 'dim'},
	];
	return <Line spans={spans} width={width}/>;
}
