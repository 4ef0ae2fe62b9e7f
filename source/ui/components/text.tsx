/* eslint-disable react/react-in-jsx-scope -- TypeScript's automatic JSX runtime needs no React in scope. */
import {Box} from 'ink';
import {
	createContext, memo, use, type ComponentType,
} from 'react';
import type {Theme} from '../terminal/theme.js';
import {clipSpans, type Spans} from '../text/spans.js';

/*
Escape sequences are made here and nowhere else. No text is given to Ink's layout, because Ink keeps every text it ever
measured: it measures blanks, which the text replaces when it is drawn.
*/

export const ThemeContext = createContext<Theme | undefined>(undefined);

/** How this screen looks. */
export function useTheme(): Theme {
	return use(ThemeContext)!;
}

type CellProps = {
	readonly spans: Spans;
	/** Terminal cells it takes in the layout, at least 1. */
	readonly width: number;
};

/** Ink's own element for a text: <Transform> adds a component for each cell, with a new style object each time. */
const InkText = 'ink-text' as unknown as ComponentType<{readonly style: object; readonly internal_transform: () => string; readonly children: string}>;
const textStyle = {flexGrow: 0, flexShrink: 1, flexDirection: 'row'};

/** Spans in the colours of their roles. */
export const Cell = memo(({spans, width}: CellProps) => {
	const text = useTheme().paint(spans);
	return <InkText style={textStyle} internal_transform={() => text}>{' '.repeat(width)}</InkText>;
}, (before, after) => before.width === after.width && isSame(before.spans, after.spans));

/** Whether two lines show the same. */
function isSame(before: Spans, after: Spans): boolean {
	return before === after || (before.length === after.length && before.every(({text, role}, index) => text === after[index].text && role === after[index].role));
}

type LineProps = {
	readonly spans: Spans;
	/** Cells that the line has; the rest is truncated. */
	readonly width: number;
};

/** A line of the screen. */
export function Line({spans, width}: LineProps) {
	return <Cell spans={clipSpans(spans, width)} width={1}/>;
}

type LinesProps = {
	readonly lines: readonly Spans[];
	readonly width: number;
	/** Number of lines, filled up with empty ones; all of `lines` by default. */
	readonly height?: number;
};

/** Lines below each other. */
export function Lines({lines, width, height = lines.length}: LinesProps) {
	return (
		<Box flexDirection='column'>
			{Array.from({length: height}, (_, index) => <Line key={index} spans={lines[index] ?? []} width={width}/>)}
		</Box>
	);
}
