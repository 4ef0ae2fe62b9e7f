/* eslint-disable react/react-in-jsx-scope -- TypeScript's automatic JSX runtime needs no React in scope. */
import {Box} from 'ink';
import {
	useEffect, useLayoutEffect, useReducer, useState, type ReactElement,
} from 'react';
import {cut, wrapped} from '../text/cells.js';
import {choiceLines} from '../text/choice-lines.js';
import {
	clickChooser, pressChooser, type ChoiceColumn, type ChoiceRow, type ChooserState, type ChooserStep,
} from '../state/chooser-state.js';
import {Lines} from '../components/lines.js';
import {LooksContext} from '../hooks/looks.js';
import {
	useKeys, useMouse, useRepaint, useSize, useTerminal,
} from '../hooks/terminal.js';
import type {MouseInput} from '../terminal/mouse.js';
import type {Theme} from '../terminal/theme.js';

export type ChooserScreenProps = {
	readonly columns: readonly ChoiceColumn[];
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
export function ChooserScreen({columns, theme, list, onLeave}: ChooserScreenProps) {
	const terminal = useTerminal();
	const repaint = useRepaint();
	const size = useSize();
	const {rows: height} = size;
	const [rows, setRows] = useState(list);
	useEffect(() => {
		const timer = setInterval(() => {
			setRows(list());
		}, lookEveryMs);
		return () => {
			clearInterval(timer);
		};
	}, [list]);
	const width = size.columns - 1;
	const messageOf = ({message}: ChooserState) => wrapped(message, width).slice(0, Math.max(1, Math.floor((height - otherLines) / 2)));
	const roomOf = (state: ChooserState) => Math.max(0, height - otherLines - messageOf(state).length);
	const [step, press] = useReducer(
		({state}: ChooserStep, input: string | MouseInput) => typeof input === 'string' ? pressChooser(state, input, rows, height - 1 - otherLines) : clickChooser(state, input, rows, roomOf(state)),
		{state: {filter: '', selected: undefined, message: ''}} satisfies ChooserStep as ChooserStep,
	);
	useKeys(press);
	useMouse(press);
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
	const message = messageOf(state);
	const room = roomOf(state);
	const lines = [
		theme.paint('title', cut(`tprof-top: which JVM? ${state.filter === '' ? '(type to filter)' : `filter: ${state.filter}`}`, width)),
		...choiceLines(state, rows, {
			columns, room, width, theme,
		}),
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

/** The screen as an element, for those who have no JSX. */
export function chooserScreen(props: ChooserScreenProps): ReactElement {
	return <ChooserScreen {...props}/>;
}
