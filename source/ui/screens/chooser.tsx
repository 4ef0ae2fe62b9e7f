/* eslint-disable react/react-in-jsx-scope -- TypeScript's automatic JSX runtime needs no React in scope. */
import {Box} from 'ink';
import {
	useEffect, useLayoutEffect, useReducer, useState, type ReactElement,
} from 'react';
import {cut, pad, wrapped} from '../text/cells.js';
import {
	matching, pressChooser, type ChoiceRow, type ChooserState, type ChooserStep,
} from '../state/chooser-state.js';
import {Lines} from '../components/lines.js';
import {LooksContext} from '../hooks/looks.js';
import {
	useKeys, useRepaint, useSize, useTerminal,
} from '../hooks/terminal.js';
import {firstRow} from '../state/state.js';
import type {Theme} from '../terminal/theme.js';

export type ChooserScreenProps = {
	/** What stands above the rows. */
	readonly heading: string;
	readonly theme: Theme;
	/** The JVMs there are now; called once a second. */
	readonly list: () => readonly ChoiceRow[];
	/** Ends the screen, with the pid that was chosen. */
	readonly onLeave: (pid?: number) => void;
};

/** Time between two looks at the JVMs there are. */
const lookEveryMs = 1000;

/** Lines around the rows: title, heading, message, keys. */
const otherLines = 4;

/** A list of JVMs to choose one from. */
export function ChooserScreen({heading, theme, list, onLeave}: ChooserScreenProps) {
	const terminal = useTerminal();
	const repaint = useRepaint();
	const {columns, rows: height} = useSize();
	const [rows, setRows] = useState(list);
	useEffect(() => {
		const timer = setInterval(() => {
			setRows(list());
		}, lookEveryMs);
		return () => {
			clearInterval(timer);
		};
	}, [list]);
	const [step, press] = useReducer(
		({state}: ChooserStep, key: string) => pressChooser(state, key, rows, height - 1 - otherLines),
		{state: {filter: '', selected: undefined, message: ''}} satisfies ChooserStep as ChooserStep,
	);
	useKeys(press);
	useLayoutEffect(() => {
		if (step.chosen !== undefined || step.effect === 'quit') {
			onLeave(step.chosen);
		} else if (step.effect === 'redraw') {
			repaint();
		} else if (step.effect === 'suspend') {
			terminal.suspend();
		}
	}, [step, onLeave, repaint, terminal]);

	const {state} = step;
	const width = columns - 1;
	const message = wrapped(state.message, width).slice(0, Math.max(1, Math.floor((height - otherLines) / 2)));
	const room = Math.max(0, height - otherLines - message.length);
	const lines = [
		theme.paint('title', cut(`tprof-top: which JVM? ${state.filter === '' ? '(type to filter)' : `filter: ${state.filter}`}`, width)),
		theme.paint('heading', cut(` ${pad('PID', 7, 'right')} ${heading}`, width)),
		...choiceLines(state, rows, {room, width, theme}),
		...message.map(line => theme.paint('error', line)),
		theme.paint('key', cut(`Enter:choose  Esc:${state.filter === '' ? 'quit' : 'clear'}`, width)),
	].slice(0, Math.max(0, height - 1));
	return (
		<LooksContext value={{theme, width}}>
			<Box flexDirection='column'>
				<Lines lines={lines}/>
			</Box>
		</LooksContext>
	);
}

/** The rows that fit, filled up with empty lines. */
function choiceLines(state: ChooserState, rows: readonly ChoiceRow[], {room, width, theme}: {readonly room: number; readonly width: number; readonly theme: Theme}): string[] {
	const shown = matching(rows, state.filter);
	const at = Math.max(0, shown.findIndex(({pid}) => pid === state.selected));
	const top = firstRow(0, at, shown.length, room);
	const lines = shown.slice(top, top + room).map((row, index) => {
		const isSelected = top + index === at;
		const text = cut(`${isSelected ? '>' : ' '}${pad(String(row.pid), 7, 'right')} ${row.text}${row.problem === undefined ? '' : ` (${row.problem})`}`, width);
		return isSelected ? theme.paint('selected', text) : (row.problem === undefined ? text : theme.paint('dim', text));
	});
	if (lines.length === 0 && room > 0) {
		lines.push(theme.paint('dim', cut(rows.length === 0 ? 'no JVMs to be seen; one that starts will appear here' : 'no JVMs match; Esc clears the filter', width)));
	}

	return [...lines, ...Array.from({length: room - lines.length}, () => '')];
}

/** The screen as an element, for those who have no JSX. */
export function chooserScreen(props: ChooserScreenProps): ReactElement {
	return <ChooserScreen {...props}/>;
}
