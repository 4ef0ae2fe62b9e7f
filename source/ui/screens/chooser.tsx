import {useEffect, useRef, useState} from 'react';
import {cellWidth} from '../../model/cell-width.js';
import {Lines, ThemeContext} from '../components/text.js';
import {
	useRepaint, useSize, useTerminal, useTerminalEvent,
} from '../hooks/terminal.js';
import {
	clickChooser, matching, pressChooser, scrollPosition, type ChoiceColumn, type ChoiceRow, type ChooserState,
} from '../state/chooser-state.js';
import {keysOf} from '../state/keys.js';
import type {MouseInput} from '../terminal/key-decoder.js';
import type {Theme} from '../terminal/theme.js';
import {layOut, type Item} from '../text/line-items.js';
import {
	cut, pad, wrappedSpans, type Spans,
} from '../text/spans.js';

type ChooserScreenProps = {
	readonly columns: readonly ChoiceColumn[];
	readonly theme: Theme;
	readonly list: () => readonly ChoiceRow[];
	readonly onLeave: (pid?: number) => void;
};

const listEveryMs = 1000;

/** Lines besides the rows and the message: title, headings, keys, and the last of the screen, which stays empty. */
const otherLines = 4;

/** A live list of JVMs; `onLeave` gets the pid of the one chosen, if any. */
export function ChooserScreen({columns, theme, list, onLeave}: ChooserScreenProps) {
	const terminal = useTerminal();
	const repaint = useRepaint();
	const size = useSize();
	const {rows: height} = size;
	const [rows, setRows] = useState(list);
	useEffect(() => {
		const timer = setInterval(() => {
			setRows(list());
		}, listEveryMs);
		return () => {
			clearInterval(timer);
		};
	}, [list]);
	const width = size.columns - 1;
	const messageOf = ({message}: ChooserState) => wrappedSpans(message, width, 'error').slice(0, Math.max(1, Math.floor((height - otherLines) / 2)));
	const roomOf = (state: ChooserState) => Math.max(0, height - otherLines - messageOf(state).length);
	const [state, setState] = useState<ChooserState>({filter: '', selected: undefined, message: ''});
	// One read may bring several keys before the next render.
	const newest = useRef(state);
	const hasLeft = useRef(false);
	const press = (input: string | MouseInput) => {
		// Ignores the rest of the read that contained the last key.
		if (hasLeft.current) {
			return;
		}

		const room = roomOf(newest.current);
		const step = typeof input === 'string' ? pressChooser(newest.current, input, rows, room) : clickChooser(newest.current, input, rows, room);
		newest.current = step.state;
		setState(step.state);
		switch (step.effect) {
			case 'leave': {
				hasLeft.current = true;
				onLeave(step.chosen);
				break;
			}

			case 'redraw': {
				repaint();
				break;
			}

			case 'suspend': {
				terminal.suspend();
				break;
			}

			case undefined: {
				break;
			}
		}
	};

	useTerminalEvent('key', press);
	useTerminalEvent('mouse', press);
	const message = messageOf(state);
	const room = roomOf(state);
	const lines: Spans[] = [
		[{text: cut(`tprof-top: which JVM? ${state.filter === '' ? '(type to filter)' : `filter: ${state.filter}`}`, width), role: 'title'}],
		...choiceLines(state, rows, {columns, room, width}),
		...message,
		keyLine(state, width),
	];
	return (
		<ThemeContext value={theme}>
			<Lines lines={lines.slice(0, Math.max(0, height - 1))} width={width}/>
		</ThemeContext>
	);
}

function keyLine({filter}: ChooserState, width: number): Spans {
	const items = keysOf('chooser').filter(({title}) => title !== undefined).map(({action, label, title}): Item => ({
		text: `${label}:${action === 'back' && filter !== '' ? 'clear' : title}`, lead: label.length, role: 'key', priority: 0,
	}));
	return layOut(items, width);
}

const pidWidth = 7;
const gap = ' ';

/** Returns the heading and `room` lines below it: the rows around the cursor, or why there are none. */
function choiceLines(state: ChooserState, rows: readonly ChoiceRow[], {columns, room, width}: {readonly columns: readonly ChoiceColumn[]; readonly room: number; readonly width: number}): readonly Spans[] {
	const line = lineOf(columns, rows, width);
	const shown = matching(rows, state.filter);
	const {top, selected} = scrollPosition(state, shown, room);
	const lines = shown.slice(top, top + room).map((row, index): Spans => {
		const isSelected = top + index === selected;
		const text = (isSelected ? '>' : ' ') + line(String(row.pid), row.cells, `${row.name}${row.problem === undefined ? '' : ` (${row.problem})`}`);
		return [{text, role: isSelected ? 'selected' : (row.problem === undefined ? undefined : 'dim')}];
	});
	if (lines.length === 0 && room > 0) {
		lines.push([{text: cut(rows.length === 0 ? 'no JVMs found; one that starts will appear here' : 'no JVMs match; Esc clears the filter', width), role: 'dim'}]);
	}

	return [
		[{text: ` ${line('PID', columns.map(({heading}) => heading), 'MAIN CLASS')}`, role: 'heading'}],
		...lines,
		...Array.from({length: room - lines.length}, () => []),
	];
}

/** Returns a formatter of lines: the columns that fit, as wide as their longest cells. `width`: screen columns - 1. */
function lineOf(columns: readonly ChoiceColumn[], rows: readonly ChoiceRow[], width: number): (pid: string, cells: readonly string[], name: string) => string {
	const shownColumns = columns.map(({heading, align, fromColumns}, index) => ({
		index, align, isShown: width + 1 >= fromColumns, cells: Math.max(cellWidth(heading), ...rows.map(row => cellWidth(row.cells[index]))),
	})).filter(({isShown}) => isShown);
	return (pid, cells, name) => cut([pad(pid, pidWidth, 'right'), ...shownColumns.map(column => pad(cells[column.index], column.cells, column.align)), name].join(gap), Math.max(0, width - 1));
}
