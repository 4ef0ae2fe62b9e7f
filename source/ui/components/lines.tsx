/* eslint-disable react/react-in-jsx-scope -- TypeScript's automatic JSX runtime needs no React in scope. */
import {Box, Transform} from 'ink';
import {memo} from 'react';
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

/** A finished text, with its attributes, in so many cells of a line. */
export const Cell = memo(({text, width}: CellProps) => <Transform transform={() => text}>{' '.repeat(width)}</Transform>);

/** A line of the screen, cut where it ends. */
export function Line({text}: {readonly text: string}) {
	const {theme, width} = useLooks();
	return <Cell text={clip(theme.finish(text), width)} width={1}/>;
}

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
