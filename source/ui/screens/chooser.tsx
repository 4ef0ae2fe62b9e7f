import {Box} from 'ink';
import {useEffect, useReducer, useState, type ActionDispatch} from 'react';
import {printable, safe, type Printable} from '../../util/printable.js';
import {ChoiceTable, visibleColumns, type ChoiceList} from '../components/choice-table.js';
import {chooserHelpLines, type HelpLine} from '../components/help-lines.js';
import {ItemLine} from '../components/item-line.js';
import {PageLines} from '../components/layer.js';
import {Screen} from '../components/screen.js';
import {Lines} from '../components/text.js';
import {targetAt, useHitAreas, type HitAreas} from '../hooks/hit-areas.js';
import {useQueuedEffects} from '../hooks/use-queued-effects.js';
import {useRepaint, useSize, useTerminal, useTerminalEvent} from '../hooks/use-terminal.js';
import {keysOf, type Action, type KeyBinding, type SourceKind} from '../state/keys.js';
import {
	clickChooser,
	initialChooser,
	pasteInChooser,
	pressChooser,
	shownRows,
	type ChooserChange,
	type ChooserContext,
	type ChooserEffect,
	type ChooserState,
} from '../state/reduce-chooser.js';
import type {Size} from '../terminal/terminal.js';
import type {Theme} from '../terminal/theme.js';
import type {Item} from '../text/line-items.js';
import {elideStart, wrappedSpans, type Spans} from '../text/spans.js';

/** What the screen calls in the rest of the program. */
export type ChooserPorts = {
	/** Lists the rows; called about once a second. */
	readonly list: () => ChoiceList;
	/** The state in which the screen was last left; undefined for the first time. */
	readonly initial?: ChooserState;
	/** Moves the span of the rows by `steps` of its length. Absent for a list without spans. */
	readonly move?: (steps: number) => Promise<void>;
	/**
	Called before the screen is left with a row; it stays unless this resolves to true, and says why if it rejects.
	*/
	readonly prepare?: (id: string, state: ChooserState) => Promise<boolean>;
	/** Shown while `move` or `prepare` waits. */
	readonly waiting: Printable;
	/** Makes `prepare` resolve to false soon. */
	readonly cancel?: () => void;
	/** Begins or ends recording all rows; resolves to a message. */
	readonly record?: () => Promise<Printable>;
};

type ChooserScreenProps = ChooserPorts & {
	readonly theme: Theme;
	readonly onLeave: (id?: string) => void;
};

type Dispatch = ActionDispatch<[ChooserChange]>;

const listEveryMs = 1000;
/** Shares of time need two lists, so the second one comes early. */
const secondListMs = 300;

/** Lines besides the rows and the message: title, headings, keys, and the last of the screen, which stays empty. */
const otherLines = 4;

/** Lines of the selected row's detail, by the least height of the screen at which they are shown. */
const detailLines = [{fromRows: 20, lines: 3}, {fromRows: 12, lines: 2}, {fromRows: 0, lines: 1}];

/** Returns the newest list, and a function that lists again before its time. */
function useChoices(list: ChooserPorts['list']): readonly [ChoiceList, () => void] {
	const [choices, setChoices] = useState(list);
	useEffect(() => {
		const refresh = () => {
			setChoices(list());
		};

		const second = setTimeout(refresh, secondListMs);
		const timer = setInterval(refresh, listEveryMs);
		return () => {
			clearTimeout(second);
			clearInterval(timer);
		};
	}, [list]);
	return [choices, () => {
		setChoices(list());
	}];
}

type ChooserLayout = {
	readonly width: number;
	/** The message, or the selected row's detail. */
	readonly below: readonly Spans[];
	/** Lines for them. */
	readonly belowLines: number;
	/** Rows that fit. */
	readonly room: number;
};

/** Returns what is below the rows, at most half of the screen, and how many rows fit above it. */
function layoutOf(
	state: ChooserState,
	choices: ChoiceList,
	{columns, rows}: Size,
	waiting: Printable,
): ChooserLayout {
	const {message, requests, isDone} = state;
	const width = columns - 1;
	const least = choices.hasDetails ? detailLines.find(({fromRows}) => rows >= fromRows)!.lines : 1;
	const most = Math.max(least, Math.floor((rows - otherLines) / 2));
	const text = message || (requests > 0 ? waiting : choices.message ?? safe``);
	const below = text === '' && choices.hasDetails
		? detailOf(state, choices).flatMap(line => wrappedSpans(line, width)).slice(0, least)
		: wrappedSpans(text, width, message === '' || isDone ? undefined : 'error').slice(0, most);
	// The lowest screens have only a title and headings.
	const belowLines = Math.min(Math.max(least, below.length), Math.max(0, rows - otherLines + 1));
	return {width, below, belowLines, room: Math.max(0, rows - otherLines - belowLines)};
}

function detailOf(state: ChooserState, choices: ChoiceList): readonly Printable[] {
	const {matches, selected} = shownRows(state, choices, 1);
	return matches.at(selected)?.detail ?? [];
}

/** Has keys, pastes and the mouse change the state. */
function useChooserInput(dispatch: Dispatch, hitAreas: HitAreas): void {
	useTerminalEvent('key', key => {
		dispatch((state, context) => pressChooser(state, key, context));
	});
	useTerminalEvent('paste', text => {
		dispatch(state => pasteInChooser(state, text));
	});
	useTerminalEvent('mouse', input => {
		const clicked = targetAt(hitAreas, input.line, input.column);
		dispatch((state, context) => clickChooser(state, input, clicked, context));
	});
}

type PortsOfEffects = Pick<ChooserPorts, 'move' | 'prepare' | 'cancel' | 'record'>;

type EffectContext = PortsOfEffects & Pick<ChooserScreenProps, 'onLeave'> & {
	readonly state: ChooserState;
	readonly dispatch: Dispatch;
	readonly refresh: () => void;
	readonly repaint: () => void;
	readonly suspend: () => void;
};

async function performEffect(effect: ChooserEffect, context: EffectContext): Promise<void> {
	const {state, dispatch, move, prepare, cancel, record, repaint, suspend, onLeave} = context;
	switch (effect.type) {
		case 'leave': {
			onLeave();
			break;
		}

		case 'choose': {
			if (!prepare || await request(prepare(effect.id, state), context)) {
				onLeave(effect.id);
			} else {
				dispatch(current => ({...current, phase: 'choosing'}));
			}

			break;
		}

		case 'move': {
			await request(move?.(effect.steps), context);
			break;
		}

		case 'record': {
			const message = await request(record?.(), context);
			if (message !== undefined) {
				dispatch(current => ({...current, message, isDone: true}));
			}

			break;
		}

		case 'cancel': {
			cancel?.();
			break;
		}

		case 'redraw': {
			repaint();
			break;
		}

		case 'suspend': {
			suspend();
			break;
		}
	}
}

/** Waits for an answer; resolves to undefined, with a message, if there is none. */
async function request<Answer>(
	answer: Promise<Answer> | undefined,
	{dispatch, refresh}: EffectContext,
): Promise<Answer | undefined> {
	dispatch(state => ({...state, requests: state.requests + 1}));
	try {
		return await answer;
	} catch (error) {
		const message: Printable = printable((error as Error).message, 1000);
		dispatch(state => ({...state, message, isDone: false}));
		return undefined;
	} finally {
		refresh();
		dispatch(state => ({...state, requests: state.requests - 1}));
	}
}

/** A live list; `onLeave` gets the id of the row chosen, if any. */
export function ChooserScreen({theme, list, initial, move, waiting, onLeave, ...ports}: ChooserScreenProps) {
	const terminal = useTerminal();
	const repaint = useRepaint();
	const size = useSize();
	const [choices, refresh] = useChoices(list);
	const source: SourceKind = move ? 'backend' : 'jvm';
	const help = chooserHelpLines(choices.columns, source, size.columns - 1);
	const contextOf = (current: ChooserState): ChooserContext => ({
		choices,
		sortable: visibleColumns(choices.columns, size.columns).filter(({isUnsorted}) => !isUnsorted).map(({id}) => id),
		room: layoutOf(current, choices, size, waiting).room,
		helpLines: help.length,
		source,
	});
	const [state, dispatch] = useReducer(
		// A new reducer each render: keys act on the newest rows, as the screen is about to show them.
		(current: ChooserState, change: ChooserChange) => change(current, contextOf(current)),
		initial,
		initialChooser,
	);
	const hitAreas = useHitAreas();
	useChooserInput(dispatch, hitAreas);
	const effectContext: EffectContext = {
		...ports, state, dispatch, move, refresh, repaint, onLeave, suspend() {
			terminal.suspend();
		},
	};
	useQueuedEffects(state.effects, dispatch, effect => {
		void performEffect(effect, effectContext);
	});
	const layout = layoutOf(state, choices, size, waiting);
	const {width} = layout;
	// On the lowest screens the first parts alone.
	const lines = size.rows - 1;
	return (
		<Screen theme={theme} hitAreas={hitAreas}>
			{lines > 0 ? <ItemLine items={titleItems(state, choices)} width={width}/> : null}
			{lines > 1
				? <Middle state={state} choices={choices} layout={layout} help={help}/>
				: null}
			{lines > 3 ? <ItemLine items={keyItems(state, source, width)} width={width}/> : null}
		</Screen>
	);
}

type MiddleProps = {
	readonly state: ChooserState;
	readonly choices: ChoiceList;
	readonly layout: ChooserLayout;
	readonly help: readonly HelpLine[];
};

/** The table and what is below it, or the help. */
function Middle({state, choices, layout: {width, below, belowLines, room}, help}: MiddleProps) {
	if (state.helpTop !== undefined) {
		const height = 1 + room + belowLines;
		return (
			<Box flexDirection='column' height={height}>
				<PageLines lines={help.slice(state.helpTop, state.helpTop + height)} width={width}/>
			</Box>
		);
	}

	return (
		<>
			<ChoiceTable state={state} choices={choices} width={width} room={room}/>
			<Lines lines={below} width={width} height={belowLines}/>
		</>
	);
}

/** The title, facts about the rows, the filter, and what is at the right end. */
function titleItems({filter, isTyping}: ChooserState, {title, facts = [], right = safe``}: ChoiceList): Item[] {
	return [
		{text: title, priority: 0, leastWidth: 8, role: 'title'},
		...facts.map((text, index): Item => ({text, priority: 3 + index})),
		{
			text: filter === '' || isTyping ? safe`` : safe`filter: ${printable(filter)}`,
			priority: 1,
			leastWidth: 12,
			role: 'hot',
		},
		{text: right, priority: 2, isRight: true},
	];
}

/** Titles of Enter and Esc while the filter is typed. */
const typingTitles: Readonly<Partial<Record<Action, Printable>>> = {accept: safe`keep`, back: safe`clear`};

/** The keys that stay longest on a narrow screen, the most important first. */
const keyOrder: readonly Action[] = ['close', 'open', 'filter', 'help'];

/** Returns the keys that work now; while the filter is typed, it is before them. */
function keyItems(state: ChooserState, source: SourceKind, width: number): Item[] {
	const {filter, message, isTyping, helpTop} = state;
	if (isTyping) {
		const label = safe`filter: `;
		const text = elideStart(printable(filter, Infinity), Math.max(1, width - label.length - 1));
		return [
			{text: safe`${label}${text}_`, roleLength: label.length, role: 'key', priority: 0},
			...keysOf('input', source).flatMap(({action, label: key}) =>
				typingTitles[action] ? [keyItem(printable(key), typingTitles[action], 1)] : []),
		];
	}

	const canClear = filter !== '' || message !== '' || state.phase === 'preparing' || helpTop !== undefined;
	const titleOf = ({action, title = ''}: KeyBinding) =>
		printable(action === 'back' && helpTop !== undefined ? 'close' : title);
	return keysOf('chooser', source)
		.filter(({title, action}) => title !== undefined && (action !== 'back' || canClear))
		.map(binding => {
			const at = keyOrder.indexOf(binding.action);
			return keyItem(printable(binding.label).split(' ')[0], titleOf(binding), at === -1 ? keyOrder.length : at);
		});
}

function keyItem(key: Printable, title: Printable, priority: number): Item {
	return {text: safe`${key}:${title}`, roleLength: key.length, role: 'key', priority};
}
