import {useEffect, useRef, useState} from 'react';
import {joined, printable, safe, type Printable} from '../../util/printable.js';
import {cellWidth} from '../../util/cell-width.js';
import {Lines, ThemeContext} from '../components/text.js';
import {useRepaint, useSize, useTerminal, useTerminalEvent} from '../hooks/use-terminal.js';
import {actionOf, keysOf, type SourceKind} from '../state/keys.js';
import {erasures, insert} from '../state/reduce-input.js';
import {stepOf} from '../state/screen-context.js';
import {scrollIntoView} from '../state/state.js';
import type {Input, MouseInput} from '../terminal/key-decoder.js';
import type {Theme} from '../terminal/theme.js';
import {layOut, type Item} from '../text/line-items.js';
import {cut, fit, wrappedSpans, type Spans} from '../text/spans.js';

export type ChoiceRow = {
	readonly id: string;
	/** A cell for each column. Printable, as all texts are. */
	readonly cells: readonly Printable[];
	/** The text after the cells: main class and arguments. */
	readonly name: Printable;
	/** The text that the filter searches. */
	readonly words: string;
	/** Why it cannot be chosen; undefined if it can. */
	readonly problem?: Printable;
};

/** A column before the name. */
export type ChoiceColumn = {
	readonly heading: Printable;
	readonly align: 'left' | 'right';
	/** Least terminal width, in columns, at which it is shown. */
	readonly fromColumns: number;
};

export type ChooserState = {
	readonly filter: string;
	/** Id of the row with the cursor; undefined for the first. */
	readonly selected: string | undefined;
	readonly message: Printable;
};

/**
What the screen does after an input besides changing its state. `chosen`: the id of the row to leave with, if any.
*/
type ChooserEffect = {readonly type: 'leave'; readonly chosen?: string} | {
	readonly type: 'move';
	readonly steps: number;
} | {readonly type: 'redraw' | 'suspend'};

export type ChooserStep = {readonly state: ChooserState; readonly effect?: ChooserEffect};

/** What there is to choose from. Texts are printable. */
export type ChoiceList = {
	readonly title: Printable;
	/** Where the rows are from. */
	readonly from?: Printable;
	readonly columns: readonly ChoiceColumn[];
	readonly nameHeading: Printable;
	readonly rows: readonly ChoiceRow[];
	/** Shown if there are no rows. */
	readonly none: Printable;
	/** Shown while there is no other message. */
	readonly message?: Printable;
};

/** What the screen calls in the rest of the program. */
export type ChooserPorts = {
	/** Lists the rows; called once a second. */
	readonly list: () => ChoiceList;
	/** The state in which the screen was last left; undefined for the first time. */
	readonly initial?: ChooserState;
	/** Moves the span of the rows by `steps` of its length. Absent for a list without spans. */
	readonly move?: (steps: number) => Promise<void>;
	/**
	Called before the screen is left with a row; it stays unless this resolves to true, and says why if it rejects.
	*/
	readonly prepare?: (id: string, state: ChooserState) => Promise<boolean>;
	/** Makes `prepare` resolve to false soon. */
	readonly cancel?: () => void;
};

type ChooserScreenProps = ChooserPorts & {
	readonly theme: Theme;
	readonly onLeave: (id?: string) => void;
};

const nothingTyped: ChooserState = {filter: safe``, selected: undefined, message: safe``};

const listEveryMs = 1000;

/** Lines besides the rows and the message: title, headings, keys, and the last of the screen, which stays empty. */
const otherLines = 4;

/** A live list; `onLeave` gets the id of the row chosen, if any. */
// eslint-disable-next-line max-lines-per-function -- The screen: its parts share what was typed and asked for.
export function ChooserScreen({
	theme, list, initial = nothingTyped, move, prepare, cancel, onLeave,
}: ChooserScreenProps) {
	const terminal = useTerminal();
	const repaint = useRepaint();
	const size = useSize();
	const [choices, setChoices] = useState(list);
	const [pendingRequests, setPendingRequests] = useState(0);
	const [state, setState] = useState(initial);
	// One read may bring several keys before the next render.
	const newest = useRef(state);
	const phase = useRef<'choosing' | 'preparing' | 'left'>('choosing');
	useEffect(() => {
		const timer = setInterval(() => {
			setChoices(list());
		}, listEveryMs);
		return () => {
			clearInterval(timer);
		};
	}, [list]);
	const width = size.columns - 1;
	const source: SourceKind = move ? 'backend' : 'jvm';
	const layoutOf = ({message: error}: ChooserState) => {
		const text = error || (pendingRequests > 0 ? safe`asking the backend...` : choices.message ?? safe``);
		const message = wrappedSpans(text, width, error === '' ? undefined : 'error').slice(
			0,
			Math.max(1, Math.floor((size.rows - otherLines) / 2)),
		);
		return {message, room: Math.max(0, size.rows - otherLines - message.length)};
	};

	const show = (next: ChooserState) => {
		newest.current = next;
		setState(next);
	};

	/** Waits for an answer; resolves to undefined, with a message, if there is none. */
	const request = async <Answer,>(answer: Promise<Answer> | undefined): Promise<Answer | undefined> => {
		setPendingRequests(count => count + 1);
		try {
			return await answer;
		} catch (error) {
			show({...newest.current, message: printable((error as Error).message, 1000)});
			return undefined;
		} finally {
			setChoices(list());
			setPendingRequests(count => count - 1);
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

	const stepAfter = (input: Input): ChooserStep => {
		const {room} = layoutOf(newest.current);
		if (typeof input === 'string') {
			return pressChooser(newest.current, input, choices.rows, room, source);
		}

		return 'paste' in input
			? pasteInChooser(newest.current, input.paste)
			: clickChooser(newest.current, input, choices.rows, room);
	};

	// eslint-disable-next-line complexity -- A case for each effect.
	const press = (input: Input) => {
		const {state: next, effect} = stepAfter(input);
		const action = typeof input === 'string' ? actionOf('chooser', input, source) : undefined;
		if (phase.current === 'preparing' && action === 'back') {
			cancel?.();
		}

		// After the screen is left, the rest of the read is ignored; while a row is prepared, every key but quit.
		if (phase.current === 'left' || (phase.current === 'preparing' && action !== 'quit')) {
			return;
		}

		show(next);
		if (effect?.type === 'leave') {
			void leave(effect.chosen);
		} else if (effect?.type === 'move') {
			void request(move?.(effect.steps));
		}

		if (effect?.type === 'redraw') {
			repaint();
		} else if (effect?.type === 'suspend') {
			terminal.suspend();
		}
	};

	useTerminalEvent('key', press);
	useTerminalEvent('mouse', press);
	useTerminalEvent('paste', paste => {
		press({paste});
	});
	const {message, room} = layoutOf(state);
	const lines: Spans[] = [
		titleLine(state, choices, width),
		...choiceLines(state, choices, {room, width}),
		...message,
		keyLine(state, width, source),
	];
	return (
		<ThemeContext value={theme}>
			<Lines lines={lines.slice(0, Math.max(0, size.rows - 1))} width={width}/>
		</ThemeContext>
	);
}

function titleLine({filter}: ChooserState, {title, from = safe``}: ChoiceList, width: number): Spans {
	const truncatable = (text: Printable, priority: number): Item => ({
		text,
		priority,
		leastWidth: 8,
		role: 'title',
		isJoined: true,
	});
	return layOut([
		{text: safe`tprof-top:`, priority: 3, role: 'title'},
		truncatable(title, 0),
		truncatable(from, 2),
		truncatable(filter === '' ? safe`(type to filter)` : safe`filter: ${printable(filter)}`, 1),
	], width);
}

function keyLine({filter}: ChooserState, width: number, source: SourceKind): Spans {
	const items = keysOf(
		'chooser',
		source,
	).filter(({title}) => title !== undefined).map(({action, label, title = ''}): Item => ({
		text: safe`${printable(label)}:${action === 'back' && filter !== '' ? 'clear' : printable(title)}`,
		roleLength: label.length,
		role: 'key',
		priority: action === 'earlier' || action === 'later' ? 1 : 0,
	}));
	return layOut(items, width);
}

const gap = safe` `;

/** Returns the heading and `room` lines below it: the rows around the cursor, or why there are none. */
function choiceLines(
	state: ChooserState,
	{columns, nameHeading, rows, none}: ChoiceList,
	{room, width}: {readonly room: number; readonly width: number},
): readonly Spans[] {
	const format = lineFormatter(columns, rows, width);
	const matches = matching(rows, state.filter);
	const {scrollTop, selected} = scrollPosition(state, matches, room);
	const lines = matches.slice(scrollTop, scrollTop + room).map((row, index): Spans => {
		const isSelected = scrollTop + index === selected;
		const text = safe`${(isSelected ? '>' : ' ')}${
			format(row.cells, safe`${row.name}${row.problem === undefined ? '' : safe` (${row.problem})`}`)
		}`;
		return [{text, role: isSelected ? 'selected' : (row.problem === undefined ? undefined : 'dim')}];
	});
	if (lines.length === 0 && room > 0) {
		lines.push([{
			text: cut(rows.length === 0 ? none : safe`nothing matches; Esc clears the filter`, width),
			role: 'dim',
		}]);
	}

	return [
		[{text: safe` ${format(columns.map(({heading}) => heading), nameHeading)}`, role: 'heading'}],
		...lines,
		...Array.from({length: room - lines.length}, () => []),
	];
}

/**
Returns a formatter of lines: the columns for this screen width, each as wide as its longest cell, at most half the
screen. `width`: screen columns - 1.
*/
function lineFormatter(
	columns: readonly ChoiceColumn[],
	rows: readonly ChoiceRow[],
	width: number,
): (cells: readonly Printable[], name: Printable) => Printable {
	const visibleColumns = columns.map(({heading, align, fromColumns}, index) => ({
		index,
		align,
		fromColumns,
		cells: Math.min(
			Math.floor(width / 2),
			Math.max(cellWidth(heading), ...rows.map(row => cellWidth(row.cells[index]))),
		),
	})).filter(({fromColumns}) => width + 1 >= fromColumns);
	return (cells, name) =>
		cut(
			joined([...visibleColumns.map(column => fit(cells[column.index], column.cells, column.align)), name], gap),
			Math.max(0, width - 1),
		);
}

/** Returns the rows that contain all words of the filter. */
export function matching(rows: readonly ChoiceRow[], filter: string): readonly ChoiceRow[] {
	const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
	return rows.filter(({words: text}) => words.every(word => text.toLowerCase().includes(word)));
}

/** Lines above the first row: title and headings. */
const linesAbove = 2;

/** Returns the indexes of the first row on the screen, which has room for `room` rows, and of the selected row. */
function scrollPosition(
	{selected: selectedId}: ChooserState,
	rows: readonly ChoiceRow[],
	room: number,
): {readonly scrollTop: number; readonly selected: number} {
	const selected = Math.max(0, rows.findIndex(({id}) => id === selectedId));
	return {selected, scrollTop: scrollIntoView(0, selected, rows.length, room)};
}

/** Returns the state after a mouse input; `room`: rows that fit. The wheel moves the cursor, a click sets it. Pure. */
function clickChooser(
	state: ChooserState,
	{mouse, line}: MouseInput,
	rows: readonly ChoiceRow[],
	room: number,
): ChooserStep {
	const matches = matching(rows, state.filter);
	const {scrollTop, selected} = scrollPosition(state, matches, room);
	const clicked = line >= linesAbove && line < linesAbove + room ? matches[scrollTop + line - linesAbove] : undefined;
	const scrolled = matches.at(Math.min(matches.length - 1, Math.max(0, selected + (mouse === 'wheel-up' ? -1 : 1))));
	const row = mouse === 'click' ? clicked : scrolled;
	return {state: row ? {...state, selected: row.id, message: safe``} : state};
}

/** Returns the state after a paste, which is part of the filter. Pure. */
function pasteInChooser({filter, selected}: ChooserState, text: string): ChooserStep {
	return {state: {filter: insert({text: filter, cursor: filter.length}, text).text, selected, message: safe``}};
}

/** Returns the state after a key; `pageRows`: rows that page up and page down move. Pure. */
// eslint-disable-next-line complexity -- A case for each action of the keys.
export function pressChooser(
	state: ChooserState,
	key: string,
	rows: readonly ChoiceRow[],
	pageRows: number,
	source: SourceKind = 'jvm',
): ChooserStep {
	const action = actionOf('chooser', key, source);
	const matches = matching(rows, state.filter);
	const selected = Math.max(0, matches.findIndex(({id}) => id === state.selected));
	const line = {text: state.filter, cursor: state.filter.length};
	const withFilter = (filter: string): ChooserStep => ({state: {filter, selected: state.selected, message: safe``}});
	if (action === 'back' && state.filter !== '') {
		return withFilter('');
	}

	if (action === 'back' || action === 'quit') {
		return {state, effect: {type: 'leave'}};
	}

	if (action === 'redraw' || action === 'suspend') {
		return {state, effect: {type: action}};
	}

	if (action === 'accept') {
		const row = matches.at(selected);
		if (row?.problem !== undefined) {
			return {state: {...state, selected: row.id, message: safe`${printable(row.id)}: ${row.problem}`}};
		}

		return row ? {state: {...state, message: safe``}, effect: {type: 'leave', chosen: row.id}} : {state};
	}

	if (action === 'erase' || action === 'erase-word' || action === 'erase-all') {
		return withFilter(erasures[action](line).text);
	}

	if (action === 'earlier' || action === 'later') {
		return {state: {...state, message: safe``}, effect: {type: 'move', steps: action === 'later' ? 1 : -1}};
	}

	if (action === 'filter') {
		return {state};
	}

	if (action === undefined) {
		return [...key].length === 1 ? withFilter(insert(line, key).text) : {state};
	}

	const index = Math.min(matches.length - 1, Math.max(0, selected + stepOf(action, pageRows, matches.length)));
	return {state: {...state, selected: matches.at(index)?.id, message: safe``}};
}
