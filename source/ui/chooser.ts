import process from 'node:process';
import type {ReadStream, WriteStream} from 'node:tty';
import {cut, pad, wrapped} from './cells.js';
import type {Frame} from './frame.js';
import {actionOf} from './keys.js';
import {erased, erasedWord, typed} from './line-edit.js';
import {loadPainter} from './load-painter.js';
import {firstRow} from './state.js';
import {stepOf} from './surroundings.js';
import {Terminal, type Size} from './terminal.js';
import {Theme, type ThemeOptions} from './theme.js';

/** A JVM to choose from. */
export type ChoiceRow = {
	readonly pid: number;
	/** One line that tells it from the others: user, version, main class, up since. Printable. */
	readonly text: string;
	/** Why it cannot be chosen; undefined when it can. */
	readonly problem?: string;
};

export type ChooserOptions = {
	/** What stands above `text`. */
	readonly heading: string;
	readonly theme: ThemeOptions;
	readonly stdin: ReadStream;
	readonly stdout: WriteStream;
	/** The JVMs there are now; called once a second. */
	list(): readonly ChoiceRow[];
};

/** Time between two looks at the JVMs there are. */
const lookEveryMs = 1000;

/** What the chooser's keys decide. */
export type ChooserState = {
	readonly filter: string;
	/** Pid of the row with the cursor; undefined for the first. */
	readonly selected: number | undefined;
	readonly message: string;
};

export type ChooserStep = {readonly state: ChooserState; readonly chosen?: number; readonly effect?: 'quit' | 'redraw' | 'suspend'};

/** Rows that have all the words of the filter. */
export function matching(rows: readonly ChoiceRow[], filter: string): readonly ChoiceRow[] {
	const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
	return rows.filter(({pid, text}) => words.every(word => `${pid} ${text}`.toLowerCase().includes(word)));
}

/** What a key does in the list. Pure. */
export function pressChooser(state: ChooserState, key: string, rows: readonly ChoiceRow[], pageRows: number): ChooserStep {
	const action = actionOf('chooser', key);
	const shown = matching(rows, state.filter);
	const at = Math.max(0, shown.findIndex(({pid}) => pid === state.selected));
	const line = {text: state.filter, cursor: state.filter.length};
	const withFilter = (filter: string): ChooserStep => ({state: {filter, selected: state.selected, message: ''}});
	if (action === 'back') {
		return state.filter === '' ? {state, effect: 'quit'} : withFilter('');
	}

	if (action === 'quit' || action === 'redraw' || action === 'suspend') {
		return {state, effect: action};
	}

	if (action === 'accept') {
		const row = shown.at(at);
		return row === undefined ? {state} : (row.problem === undefined ? {state, chosen: row.pid} : {state: {...state, selected: row.pid, message: `${row.pid}: ${row.problem}`}});
	}

	if (action === 'erase') {
		return withFilter(erased(line).text);
	}

	if (action === 'erase-word') {
		return withFilter(erasedWord(line).text);
	}

	if (action === 'erase-all') {
		return withFilter('');
	}

	if (action === undefined) {
		return [...key].length === 1 ? withFilter(typed(line, key).text) : {state};
	}

	const index = Math.min(shown.length - 1, Math.max(0, at + stepOf(action, pageRows, shown.length)));
	return {state: {...state, selected: shown.at(index)?.pid, message: ''}};
}

/** Lines around the rows: title, heading, message, keys. */
const otherLines = 4;

/** The chooser's screen. */
export function chooserFrame(state: ChooserState, rows: readonly ChoiceRow[], heading: string, {columns, rows: height}: Size, theme: Theme): Frame {
	const width = columns - 1;
	const message = wrapped(state.message, width).slice(0, Math.max(1, Math.floor((height - otherLines) / 2)));
	const room = Math.max(0, height - otherLines - message.length);
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

	const filled = [...lines, ...Array.from({length: room - lines.length}, () => '')];
	const all = [
		theme.paint('title', cut(`tprof-top: which JVM? ${state.filter === '' ? '(type to filter)' : `filter: ${state.filter}`}`, width)),
		theme.paint('heading', cut(` ${pad('PID', 7, 'right')} ${heading}`, width)),
		...filled,
		...message.map(line => theme.paint('error', line)),
		theme.paint('key', cut(`Enter:choose  Esc:${state.filter === '' ? 'quit' : 'clear'}`, width)),
	];
	const finished = all.map(line => theme.finish(line)).slice(0, Math.max(0, height - 1));
	return finished.length < all.length
		? {above: finished, below: []}
		: {
			above: finished.slice(0, 1), heading: finished[1], ...(room > 0 ? {rows: finished.slice(2, 2 + room)} : {}), below: finished.slice(2 + room),
		};
}

/**
A live list of JVMs to choose one from, with the arrows and Enter; typing filters. Resolves to a pid, or undefined when it was left without a choice.
The terminal is given back in every way of leaving.
*/
export async function runChooser({list, heading, theme: themeOptions, stdin, stdout}: ChooserOptions): Promise<number | undefined> {
	const theme = new Theme(themeOptions);
	const terminal = new Terminal(stdin, stdout);
	const painter = await loadPainter(terminal);
	let rows = list();
	let state: ChooserState = {filter: '', selected: undefined, message: ''};
	const draw = () => {
		if (terminal.isUp && !terminal.isBehind) {
			painter.draw(chooserFrame(state, rows, heading, terminal.size, theme));
		}
	};

	const repaint = () => {
		painter.forget();
		draw();
	};

	const look = setInterval(() => {
		rows = list();
		draw();
	}, lookEveryMs);
	const signals = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const;
	let settle!: {readonly leave: (pid?: number) => void; readonly fail: (error: unknown) => void};
	const chosen = new Promise<number | undefined>((resolve, reject) => {
		settle = {leave: resolve, fail: reject};
	});
	const quit = () => {
		settle.leave();
	};

	const failed = (error: unknown) => {
		settle.fail(error);
	};

	for (const signal of signals) {
		process.on(signal, quit);
	}

	process.on('uncaughtException', failed);
	terminal.on('key', key => {
		const step = pressChooser(state, key, rows, terminal.size.rows - 1 - otherLines);
		state = step.state;
		if (step.chosen !== undefined || step.effect === 'quit') {
			settle.leave(step.chosen);
		} else if (step.effect === 'redraw') {
			repaint();
		} else if (step.effect === 'suspend') {
			painter.close();
			terminal.suspend();
		} else {
			draw();
		}
	});
	terminal.on('resize', repaint);
	terminal.on('repaint', repaint);
	terminal.on('drain', draw);
	terminal.on('gone', quit);
	try {
		terminal.enter();
		draw();
		return await chosen;
	} finally {
		clearInterval(look);
		painter.close();
		terminal.leave();
		terminal.removeAllListeners();
		process.off('uncaughtException', failed);
		for (const signal of signals) {
			process.off(signal, quit);
		}
	}
}
