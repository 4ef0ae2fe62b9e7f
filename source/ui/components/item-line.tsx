import {Box, Text} from 'ink';
import {memo, type ReactNode} from 'react';
import {safe} from '../../util/printable.js';
import {useHitArea} from '../hooks/hit-areas.js';
import type {HitTarget} from '../state/screen-context.js';
import {defaultGaps, fitItems, joinedGroups, type FittedItems, type Item} from '../text/line-items.js';
import type {Spans} from '../text/spans.js';
import {EmptyLine, Pieces} from './text.js';

type ItemLineProps = {
	readonly items: readonly Item[];
	readonly width: number;
	/** The widths that the gap between items may have, the best first. */
	readonly gaps?: readonly number[];
};

/** As many of the items as fit in a line; those with `isRight` at its right end. */
export function ItemLine({items, width, gaps = defaultGaps}: ItemLineProps) {
	const {items: fitted, gap} = fitItems(items, width, gaps);
	if (fitted.length === 0) {
		return <EmptyLine/>;
	}

	const right = fitted.filter(({isRight}) => isRight);
	return (
		<Box width={width} justifyContent='space-between'>
			<ItemGroup items={fitted.filter(({isRight}) => !isRight)} gap={gap}/>
			{right.length > 0 ? <ItemGroup items={right} gap={gap}/> : null}
		</Box>
	);
}

/** Items side by side. */
export function ItemGroup({items, gap}: FittedItems) {
	return (
		<Box columnGap={gap}>
			{/* eslint-disable-next-line react/no-array-index-key -- An item is identified by its place. */}
			{joinedGroups(items).map((group, index) => <ItemText key={index} items={group}/>)}
		</Box>
	);
}

type ItemTextProps = Pick<FittedItems, 'items'>;

/** Items with a blank between them. A click on them shows the view of the first, or presses its key, if any. */
const ItemText = memo(({items}: ItemTextProps) => {
	const [{view, key}] = items;
	const spans = items.flatMap(({text, role, roleLength = text.length}, index): Spans => [
		{text: index === 0 ? safe`` : safe` `},
		{text: text.slice(0, roleLength), role},
		{text: text.slice(roleLength)},
	]);
	const line = <Text wrap='truncate'><Pieces spans={spans}/></Text>;
	const target = view === undefined ? key && {kind: 'key', key} as const : {kind: 'tab', view} as const;
	return target ? <Clickable target={target}>{line}</Clickable> : line;
}, areAlike);

function areAlike({items: before}: ItemTextProps, {items: after}: ItemTextProps): boolean {
	return before.length === after.length && before.every(({text, role, roleLength, view, key}, index) => {
		const other = after[index];
		return text === other.text && role === other.role && roleLength === other.roleLength && view === other.view
			&& key === other.key;
	});
}

function Clickable({target, children}: {readonly target: HitTarget; readonly children: ReactNode}) {
	return <Box ref={useHitArea(() => target)}>{children}</Box>;
}
