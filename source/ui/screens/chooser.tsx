import {useEffect, useRef, useState} from 'react';
import {cellWidth} from '../../model/cell-width.js';
import {Lines, ThemeContext} from '../components/text.js';
import {
	useRepaint, useSize, useTerminal, useTerminalEvent,
} from '../hooks/terminal.js';
import {actionOf, keysOf} from '../state/keys.js';
import {erasures, typed} from '../state/reduce-input.js';
import {stepOf} from '../state/screen-context.js';
import {firstRow} from '../state/state.js';
import type {MouseInput} from '../terminal/key-decoder.js';
import type {Theme} from '../terminal/theme.js';
import {layOut, type Item} from '../text/line-items.js';
import {
	cut, pad, wrappedSpans, type Spans,
} from '../text/spans.js';

export type ChoiceRow = {
	readonly pid: number;
	/** A cell for each column. Printable, as all texts are. */
	readonly cells: readonly string[];
	/** The text after the cells: main class and arguments. */
	readonly name: string;
	/** The text that the filter searches, besides the pid. */
	readonly words: string;
	/** Why it cannot be chosen; undefined if it can. */
	readonly problem?: string;
};

/** A column between the pid and the name. */
export type ChoiceColumn = {
	readonly heading: string;
	readonly align: 'left' | 'right';
	/** Least terminal width, in columns, at which it is shown. */
	readonly fromColumns: number;
};

export type ChooserState = {
	readonly filter: string;
	/** Pid of the row with the cursor; undefined for the first. */
	readonly selected: number | undefined;
	readonly message: string;
};

/** The state after an input, and what else to do. `chosen`: the pid that the screen is left with, if any. */
export type ChooserStep = {readonly state: ChooserState; readonly effect?: 'leave' | 'redraw' | 'suspend'; readonly chosen?: number};

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

/** Returns the rows that contain all words of the filter. */
export function matching(rows: readonly ChoiceRow[], filter: string): readonly ChoiceRow[] {
	const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
	return rows.filter(({pid, words: text}) => words.every(word => `${pid} ${text}`.toLowerCase().includes(word)));
}

/** Lines above the first row: title and headings. */
const linesAbove = 2;

/** Returns the indices of the first row on the screen, which has room for `room` rows, and of the selected row. */
function scrollPosition({selected: selectedPid}: ChooserState, shown: readonly ChoiceRow[], room: number): {readonly top: number; readonly selected: number} {
	const selected = Math.max(0, shown.findIndex(({pid}) => pid === selectedPid));
	return {selected, top: firstRow(0, selected, shown.length, room)};
}

/** Returns the state after a mouse input; `room`: rows that fit. The wheel moves the cursor, a click sets it. Pure. */
function clickChooser(state: ChooserState, {mouse, line}: MouseInput, rows: readonly ChoiceRow[], room: number): ChooserStep {
	const shown = matching(rows, state.filter);
	const {top, selected} = scrollPosition(state, shown, room);
	const isOnRow = line >= linesAbove && line < linesAbove + room;
	const index = mouse === 'click' ? (isOnRow ? top + line - linesAbove : -1) : Math.min(shown.length - 1, Math.max(0, selected + (mouse === 'wheel-up' ? -1 : 1)));
	const row = index < 0 ? undefined : shown.at(index);
	return {state: row ? {...state, selected: row.pid, message: ''} : state};
}

/** Returns the state after a key; `pageRows`: rows that page up and page down move. Pure. */
export function pressChooser(state: ChooserState, key: string, rows: readonly ChoiceRow[], pageRows: number): ChooserStep {
	const action = actionOf('chooser', key);
	const shown = matching(rows, state.filter);
	const at = Math.max(0, shown.findIndex(({pid}) => pid === state.selected));
	const line = {text: state.filter, cursor: state.filter.length};
	const withFilter = (filter: string): ChooserStep => ({state: {filter, selected: state.selected, message: ''}});
	if (action === 'back' && state.filter !== '') {
		return withFilter('');
	}

	if (action === 'back' || action === 'quit') {
		return {state, effect: 'leave'};
	}

	if (action === 'redraw' || action === 'suspend') {
		return {state, effect: action};
	}

	if (action === 'accept') {
		const row = shown.at(at);
		if (row?.problem !== undefined) {
			return {state: {...state, selected: row.pid, message: `${row.pid}: ${row.problem}`}};
		}

		return row ? {state, effect: 'leave', chosen: row.pid} : {state};
	}

	if (action === 'erase' || action === 'erase-word' || action === 'erase-all') {
		return withFilter(erasures[action](line).text);
	}

	if (action === undefined) {
		return [...key].length === 1 ? withFilter(typed(line, key).text) : {state};
	}

	const index = Math.min(shown.length - 1, Math.max(0, at + stepOf(action, pageRows, shown.length)));
	return {state: {...state, selected: shown.at(index)?.pid, message: ''}};
}
