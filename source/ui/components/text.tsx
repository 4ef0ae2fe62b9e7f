import {Box, Text} from 'ink';
import {createContext, memo, use, type ReactNode} from 'react';
import {boxStyle, type Theme} from '../terminal/theme.js';
import {joinAlike, truncateSpans, type Spans} from '../text/spans.js';

/*
A line of the screen is one `Text`, its pieces are `Text` within it, each in the style that the theme gives its role:
Ink lays out a line, not its pieces.
*/

export const ThemeContext = createContext<Theme | undefined>(undefined);

export function useTheme(): Theme {
	return use(ThemeContext)!;
}

/** The pieces of a line, each in the style of its role; letters of thread states each in the colour of their state. */
export function Pieces({spans}: {readonly spans: Spans}) {
	const theme = useTheme();
	return joinAlike(spans).flatMap(({text, role, isFilled, boxColor}, index): ReactNode => {
		if (role === undefined) {
			return theme.shown(text);
		}

		const runs = role === 'states' ? theme.stateRuns(text) : [{text, role}];
		return runs.map((run, at) => {
			const style = boxColor === undefined ? theme.styleOf(run.role, isFilled) : boxStyle(boxColor);
			// eslint-disable-next-line react/no-array-index-key -- A piece is identified by its place.
			return <Text key={`${index} ${at}`} {...style}>{theme.shown(run.text)}</Text>;
		});
	});
}

type LineProps = {
	readonly spans: Spans;
	/** Cells of the line; text beyond them is truncated. */
	readonly width: number;
};

/** A line of the screen, each span in the style of its role. */
export const Line = memo(({spans, width}: LineProps) => {
	const shown = truncateSpans(spans, width);
	return shown.some(({text}) => text !== '') ? <Text wrap='truncate'><Pieces spans={shown}/></Text> : <EmptyLine/>;
}, (before, after) => before.width === after.width && areSame(before.spans, after.spans));

/** A line without text: Ink gives a text of no character no line. */
export function EmptyLine() {
	return <Text> </Text>;
}

/** Whether two lines look alike. */
export function areSame(before: Spans, after: Spans): boolean {
	return before === after || (before.length === after.length && before.every((span, index) => {
		const other = after[index];
		const isSameStyle = span.role === other.role && span.isFilled === other.isFilled
			&& span.boxColor === other.boxColor;
		return span.text === other.text && isSameStyle;
	}));
}

type LinesProps = {
	readonly lines: readonly Spans[];
	readonly width: number;
	/** Height in lines; by default that of `lines`. */
	readonly height?: number;
};

/** Lines below each other, as many as fit. */
export function Lines({lines, width, height = lines.length}: LinesProps) {
	return (
		<Box flexDirection='column' height={height}>
			{/* eslint-disable-next-line react/no-array-index-key -- A line is identified by its place. */}
			{lines.slice(0, height).map((spans, index) => <Line key={index} spans={spans} width={width}/>)}
		</Box>
	);
}
