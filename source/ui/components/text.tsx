import {Transform} from 'ink';
import {createContext, memo, use} from 'react';
import type {Theme} from '../terminal/theme.js';
import {truncateSpans, type Spans} from '../text/spans.js';

/*
Only this file turns roles into escape sequences. Ink lays out a blank, which the text replaces when it is drawn: Ink
would keep every text that it ever measured.
*/

export const ThemeContext = createContext<Theme | undefined>(undefined);

export function useTheme(): Theme {
	return use(ThemeContext)!;
}

type LineProps = {
	readonly spans: Spans;
	/** Cells of the line; text beyond them is truncated. */
	readonly width: number;
};

/** A line of the screen, each span in the style of its role. */
export const Line = memo(({spans, width}: LineProps) => {
	const text = useTheme().paint(truncateSpans(spans, width));
	return <Transform transform={() => text}>{' '}</Transform>;
}, (before, after) => before.width === after.width && isSame(before.spans, after.spans));

function isSame(before: Spans, after: Spans): boolean {
	return before === after || (before.length === after.length && before.every(({text, role, isFilled}, index) => text === after[index].text && role === after[index].role && isFilled === after[index].isFilled));
}

type LinesProps = {
	readonly lines: readonly Spans[];
	readonly width: number;
	/** Number of lines drawn, the missing ones empty; all of `lines` by default. */
	readonly height?: number;
};

export function Lines({lines, width, height = lines.length}: LinesProps) {
	return Array.from({length: height}, (_, index) => <Line key={index} spans={lines[index] ?? []} width={width}/>);
}
