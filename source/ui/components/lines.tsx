/* eslint-disable react/react-in-jsx-scope -- TypeScript's automatic JSX runtime needs no React in scope. */
import {Box} from 'ink';
import {memo, type ComponentType} from 'react';
import {clip} from '../text/cells.js';
import {useLooks} from '../hooks/looks.js';

/*
A text is never given to Ink's layout: Ink keeps every text that it ever measured, for good, and those of a screen that
is up for days are ever new. What it measures are blanks, always the same; the text takes their place when it is drawn.
*/

type CellProps = {
	readonly text: string;
	/** Cells of the terminal, 1 at least. */
	readonly width: number;
};

/** Ink's own element for a text: <Transform> is one more component for each cell, with a style that is always new. */
const InkText = 'ink-text' as unknown as ComponentType<{readonly style: object; readonly internal_transform: () => string; readonly children: string}>;
const textStyle = {flexGrow: 0, flexShrink: 1, flexDirection: 'row'};

/** A finished text, with its attributes, in so many cells of a line. */
export const Cell = memo(({text, width}: CellProps) => <InkText style={textStyle} internal_transform={() => text}>{' '.repeat(width)}</InkText>);

/** A line of the screen, cut where it ends. */
export const Line = memo(({text}: {readonly text: string}) => {
	const {theme, width} = useLooks();
	return <Cell text={clip(theme.finish(text), width)} width={1}/>;
});

type LinesProps = {
	readonly lines: readonly string[];
	/** So many lines, whatever there is to show; as many as there are when left out. */
	readonly height?: number;
};

/** Lines below each other. */
export function Lines({lines, height = lines.length}: LinesProps) {
	return (
		<Box flexDirection='column'>
			{Array.from({length: height}, (_, index) => (
				<Line key={index} text={lines[index] ?? ''}/>
			))}
		</Box>
	);
}
