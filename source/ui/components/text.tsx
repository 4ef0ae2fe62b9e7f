import {Transform} from 'ink';
import {createContext, memo, use} from 'react';
import type {Theme} from '../terminal/theme.js';
import {clipSpans, type Spans} from '../text/spans.js';

/*
Escape sequences are made here and nowhere else. No text is given to Ink's layout, because Ink keeps every text it ever
measured: it measures a blank, which the text replaces when it is drawn.
*/

export const ThemeContext = createContext<Theme | undefined>(undefined);

export function useTheme(): Theme {
	return use(ThemeContext)!;
}

type LineProps = {
	readonly spans: Spans;
	/** Cells that the line has; the rest is truncated. */
	readonly width: number;
};

/** A line of the screen, in the colours of its roles. */
export const Line = memo(({spans, width}: LineProps) => {
	const text = useTheme().paint(clipSpans(spans, width));
	return <Transform transform={() => text}>{' '}</Transform>;
}, (before, after) => before.width === after.width && isSame(before.spans, after.spans));

function isSame(before: Spans, after: Spans): boolean {
	return before === after || (before.length === after.length && before.every(({text, role}, index) => text === after[index].text && role === after[index].role));
}

type LinesProps = {
	readonly lines: readonly Spans[];
	readonly width: number;
	/** Number of lines, filled up with empty ones; all of `lines` by default. */
	readonly height?: number;
};

export function Lines({lines, width, height = lines.length}: LinesProps) {
	return Array.from({length: height}, (_, index) => <Line key={index} spans={lines[index] ?? []} width={width}/>);
}
