import {useEffect, useRef, useState} from 'react';
import {cellWidth} from '../../model/cell-width.js';
import {Lines, ThemeContext} from '../components/text.js';
import {useRepaint, useSize, useTerminal, useTerminalEvent} from '../hooks/terminal.js';
import {actionOf, keysOf, type KeySource} from '../state/keys.js';
import {erasures, typed} from '../state/reduce-input.js';
import {stepOf} from '../state/screen-context.js';
import {firstRow} from '../state/state.js';
import type {MouseInput} from '../terminal/key-decoder.js';
import type {Theme} from '../terminal/theme.js';
import {layOut, type Item} from '../text/line-items.js';
import {cut, fit, wrappedSpans, type Spans} from '../text/spans.js';

export type ChoiceRow = {
	readonly id: string;
	/** A cell for each column. Printable, as all texts are. */
	readonly cells: readonly string[];
	/** The text after the cells: main class and arguments. */
	readonly name: string;
	/** The text that the filter searches. */
	readonly words: string;
	/** Why it cannot be chosen; undefined if it can. */
	readonly problem?: string;
};

/** A column before the name. */
export type ChoiceColumn = {
	readonly heading: string;
	readonly align: 'left' | 'right';
	/** Least terminal width, in columns, at which it is shown. */
	readonly fromColumns: number;
};

export type ChooserState = {
	readonly filter: string;
	/** Id of the row with the cursor; undefined for the first. */
	readonly selected: string | undefined;
	readonly message: string;
};

/** The state after an input, and what else to do. `chosen`: id of the chosen row; `steps`: see `ChooserPorts`. */
export type ChooserStep = {readonly state: ChooserState; readonly effect?: 'leave' | 'redraw' | 'suspend'; readonly chosen?: string; readonly steps?: number};

/** What there is to choose from. Texts are printable. */
export type ChoiceList = {
	readonly title: string;
	/** Where the rows are from. */
	readonly from?: string;
	readonly columns: readonly ChoiceColumn[];
	readonly nameHeading: string;
	readonly rows: readonly ChoiceRow[];
	/** Said if there are no rows. */
	readonly none: string;
	/** Said while there is nothing else to say. */
	readonly message?: string;
};

/** What the screen calls in the rest of the program. */
export type ChooserPorts = {
	/** Lists the rows; called once a second. */
	readonly list: () => ChoiceList;
	/** What the last screen was left with. */
	readonly initial?: ChooserState;
	/** Moves the span of the rows by `steps` of its length. Absent for a list without spans. */
	readonly move?: (steps: number) => Promise<void>;
	/** Called before the screen is left with a row; it stays unless this resolves to true, and says why if it rejects. */
	readonly prepare?: (id: string, state: ChooserState) => Promise<boolean>;
	/** Makes `prepare` resolve to false soon. */
	readonly cancel?: () => void;
};

type ChooserScreenProps = ChooserPorts & {
	readonly theme: Theme;
	readonly onLeave: (id?: string) => void;
};

const nothingTyped: ChooserState = {filter: '', selected: undefined, message: ''};

const listEveryMs = 1000;

/** Lines besides the rows and the message: title, headings, keys, and the last of the screen, which stays empty. */
const otherLines = 4;

/** A live list; `onLeave` gets the id of the row chosen, if any. */
export function ChooserScreen({theme, list, initial = nothingTyped, move, prepare, cancel, onLeave}: ChooserScreenProps) {
	const terminal = useTerminal();
	const repaint = useRepaint();
	const size = useSize();
	const {rows: height} = size;
	const [listed, setListed] = useState(list);
	const [requests, setRequests] = useState(0);
	const {rows} = listed;
	useEffect(() => {
		const timer = setInterval(() => {
			setListed(list());
		}, listEveryMs);
		return () => {
			clearInterval(timer);
		};
	}, [list]);
	const width = size.columns - 1;
	const source = move && 'backend';
	const messageOf = ({message}: ChooserState) => wrappedSpans(message || (requests > 0 ? 'asking the backend...' : listed.message ?? ''), width, message === '' ? undefined : 'error').slice(0, Math.max(1, Math.floor((height - otherLines) / 2)));
	const roomOf = (state: ChooserState) => Math.max(0, height - otherLines - messageOf(state).length);
	const [state, setState] = useState(initial);
	// One read may bring several keys before the next render.
	const newest = useRef(state);
	const phase = useRef<'choosing' | 'preparing' | 'left'>('choosing');
	const show = (next: ChooserState) => {
		newest.current = next;
		setState(next);
	};

	/** Waits for an answer; resolves to undefined, with a message, if there is none. */
	const request = async <Answer,>(answer: Promise<Answer> | undefined): Promise<Answer | undefined> => {
		setRequests(count => count + 1);
		try {
			return await answer;
		} catch (error) {
			show({...newest.current, message: (error as Error).message});
			return undefined;
		} finally {
			setListed(list());
			setRequests(count => count - 1);
		}
	};

	const leave = async (id: string | undefined) => {
		phase.current = id === undefined || !prepare ? 'left' : 'preparing';
		if (id === undefined || !prepare || await request(prepare(id, newest.current))) {
			onLeave(id);
		} else {
			phase.current = 'choosing';
		}
	};

	const press = (input: string | MouseInput) => {
		const room = roomOf(newest.current);
		const step = typeof input === 'string' ? pressChooser(newest.current, input, rows, room, source) : clickChooser(newest.current, input, rows, room);
		const action = typeof input === 'string' ? actionOf('chooser', input, source) : undefined;
		if (phase.current === 'preparing' && action === 'back') {
			cancel?.();
		}

		// Ignores the rest of the read that contained the last key.
		if (phase.current === 'left' || (phase.current === 'preparing' && action !== 'quit')) {
			return;
		}

		show(step.state);
		if (step.steps !== undefined) {
			void request(move?.(step.steps));
		}

		if (step.effect === 'leave') {
			void leave(step.chosen);
		}

		if (step.effect === 'redraw') {
			repaint();
		} else if (step.effect === 'suspend') {
			terminal.suspend();
		}
	};

	useTerminalEvent('key', press);
	useTerminalEvent('mouse', press);
	const message = messageOf(state);
	const room = roomOf(state);
	const lines: Spans[] = [
		titleLine(state, listed, width),
		...choiceLines(state, listed, {room, width}),
		...message,
		keyLine(state, width, source),
	];
	return (
		<ThemeContext value={theme}>
			<Lines lines={lines.slice(0, Math.max(0, height - 1))} width={width}/>
		</ThemeContext>
	);
}

function titleLine({filter}: ChooserState, {title, from = ''}: ChoiceList, width: number): Spans {
	const item = (text: string, priority: number): Item => ({text, priority, leastWidth: priority === 3 ? undefined : 8, role: 'title', isJoined: true});
	return layOut([item('tprof-top:', 3), item(title, 0), item(from, 2), item(filter === '' ? '(type to filter)' : `filter: ${filter}`, 1)], width);
}

function keyLine({filter}: ChooserState, width: number, source: KeySource | undefined): Spans {
	const items = keysOf('chooser', source).filter(({title}) => title !== undefined).map(({action, label, title}): Item => ({
		text: `${label}:${action === 'back' && filter !== '' ? 'clear' : title}`, lead: label.length, role: 'key', priority: action === 'earlier' || action === 'later' ? 1 : 0,
	}));
	return layOut(items, width);
}

const gap = ' ';

/** Returns the heading and `room` lines below it: the rows around the cursor, or why there are none. */
function choiceLines(state: ChooserState, {columns, nameHeading, rows, none}: ChoiceList, {room, width}: {readonly room: number; readonly width: number}): readonly Spans[] {
	const line = lineOf(columns, rows, width);
	const shown = matching(rows, state.filter);
	const {top, selected} = scrollPosition(state, shown, room);
	const lines = shown.slice(top, top + room).map((row, index): Spans => {
		const isSelected = top + index === selected;
		const text = (isSelected ? '>' : ' ') + line(row.cells, `${row.name}${row.problem === undefined ? '' : ` (${row.problem})`}`);
		return [{text, role: isSelected ? 'selected' : (row.problem === undefined ? undefined : 'dim')}];
	});
	if (lines.length === 0 && room > 0) {
		lines.push([{text: cut(rows.length === 0 ? none : 'nothing matches; Esc clears the filter', width), role: 'dim'}]);
	}

	return [
		[{text: ` ${line(columns.map(({heading}) => heading), nameHeading)}`, role: 'heading'}],
		...lines,
		...Array.from({length: room - lines.length}, () => []),
	];
}

/** Returns a formatter of lines: the columns that fit, as wide as their longest cells, at most half the screen. `width`: screen columns - 1. */
function lineOf(columns: readonly ChoiceColumn[], rows: readonly ChoiceRow[], width: number): (cells: readonly string[], name: string) => string {
	const shownColumns = columns.map(({heading, align, fromColumns}, index) => ({
		index, align, isShown: width + 1 >= fromColumns, cells: Math.min(Math.floor(width / 2), Math.max(cellWidth(heading), ...rows.map(row => cellWidth(row.cells[index])))),
	})).filter(({isShown}) => isShown);
	return (cells, name) => cut([...shownColumns.map(column => fit(cells[column.index], column.cells, column.align)), name].join(gap), Math.max(0, width - 1));
}

/** Returns the rows that contain all words of the filter. */
export function matching(rows: readonly ChoiceRow[], filter: string): readonly ChoiceRow[] {
	const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
	return rows.filter(({words: text}) => words.every(word => text.toLowerCase().includes(word)));
}

/** Lines above the first row: title and headings. */
const linesAbove = 2;

/** Returns the indices of the first row on the screen, which has room for `room` rows, and of the selected row. */
function scrollPosition({selected: selectedId}: ChooserState, shown: readonly ChoiceRow[], room: number): {readonly top: number; readonly selected: number} {
	const selected = Math.max(0, shown.findIndex(({id}) => id === selectedId));
	return {selected, top: firstRow(0, selected, shown.length, room)};
}

/** Returns the state after a mouse input; `room`: rows that fit. The wheel moves the cursor, a click sets it. Pure. */
function clickChooser(state: ChooserState, {mouse, line}: MouseInput, rows: readonly ChoiceRow[], room: number): ChooserStep {
	const shown = matching(rows, state.filter);
	const {top, selected} = scrollPosition(state, shown, room);
	const isOnRow = line >= linesAbove && line < linesAbove + room;
	const index = mouse === 'click' ? (isOnRow ? top + line - linesAbove : -1) : Math.min(shown.length - 1, Math.max(0, selected + (mouse === 'wheel-up' ? -1 : 1)));
	const row = index < 0 ? undefined : shown.at(index);
	return {state: row ? {...state, selected: row.id, message: ''} : state};
}

/** Returns the state after a key; `pageRows`: rows that page up and page down move. Pure. */
export function pressChooser(state: ChooserState, key: string, rows: readonly ChoiceRow[], pageRows: number, source?: KeySource): ChooserStep {
	const action = actionOf('chooser', key, source);
	const shown = matching(rows, state.filter);
	const at = Math.max(0, shown.findIndex(({id}) => id === state.selected));
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
			return {state: {...state, selected: row.id, message: `${row.id}: ${row.problem}`}};
		}

		return row ? {state: {...state, message: ''}, effect: 'leave', chosen: row.id} : {state};
	}

	if (action === 'erase' || action === 'erase-word' || action === 'erase-all') {
		return withFilter(erasures[action](line).text);
	}

	if (action === 'earlier' || action === 'later') {
		return {state: {...state, message: ''}, steps: action === 'later' ? 1 : -1};
	}

	if (action === 'filter') {
		return {state};
	}

	if (action === undefined) {
		return [...key].length === 1 ? withFilter(typed(line, key).text) : {state};
	}

	const index = Math.min(shown.length - 1, Math.max(0, at + stepOf(action, pageRows, shown.length)));
	return {state: {...state, selected: shown.at(index)?.id, message: ''}};
}
