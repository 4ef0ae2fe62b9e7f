import {useEffect, useReducer, useState, type ActionDispatch} from 'react';
import {printable, safe, type Printable} from '../../util/printable.js';
import {ChoiceHeading, ChoiceTable, type ChoiceList} from '../components/choice-table.js';
import {ItemLine} from '../components/item-line.js';
import {Screen} from '../components/screen.js';
import {Lines} from '../components/text.js';
import {targetAt, useHitAreas, type HitAreas} from '../hooks/hit-areas.js';
import {useQueuedEffects} from '../hooks/use-queued-effects.js';
import {useRepaint, useSize, useTerminal, useTerminalEvent} from '../hooks/use-terminal.js';
import {keysOf, type SourceKind} from '../state/keys.js';
import {
	clickChooser,
	initialChooser,
	pasteInChooser,
	pressChooser,
	type ChooserChange,
	type ChooserEffect,
	type ChooserState,
} from '../state/reduce-chooser.js';
import type {Size} from '../terminal/terminal.js';
import type {Theme} from '../terminal/theme.js';
import type {Item} from '../text/line-items.js';
import {wrappedSpans, type Spans} from '../text/spans.js';

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

type Dispatch = ActionDispatch<[ChooserChange]>;

const listEveryMs = 1000;

/** Lines besides the rows and the message: title, headings, keys, and the last of the screen, which stays empty. */
const otherLines = 4;

/** Returns the newest list, and a function that lists again before its time. */
function useChoices(list: ChooserPorts['list']): readonly [ChoiceList, () => void] {
	const [choices, setChoices] = useState(list);
	useEffect(() => {
		const timer = setInterval(() => {
			setChoices(list());
		}, listEveryMs);
		return () => {
			clearInterval(timer);
		};
	}, [list]);
	return [choices, () => {
		setChoices(list());
	}];
}

type ChooserLayout = {readonly width: number; readonly message: readonly Spans[]; readonly room: number};

/** Returns the lines of the message, at most half of the screen, and how many rows fit above it. */
function layoutOf({message: error, requests}: ChooserState, choices: ChoiceList, {columns, rows}: Size): ChooserLayout {
	const width = columns - 1;
	const text = error || (requests > 0 ? safe`asking the backend...` : choices.message ?? safe``);
	const message = wrappedSpans(text, width, error === '' ? undefined : 'error')
		.slice(0, Math.max(1, Math.floor((rows - otherLines) / 2)));
	return {width, message, room: Math.max(0, rows - otherLines - message.length)};
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
		const target = targetAt(hitAreas, input.line, input.column);
		const clicked = target?.kind === 'row' ? target.key : undefined;
		dispatch((state, context) => clickChooser(state, input, clicked, context));
	});
}

type EffectContext = Pick<ChooserPorts, 'move' | 'prepare' | 'cancel'> & Pick<ChooserScreenProps, 'onLeave'> & {
	readonly state: ChooserState;
	readonly dispatch: Dispatch;
	readonly refresh: () => void;
	readonly repaint: () => void;
	readonly suspend: () => void;
};

async function performEffect(effect: ChooserEffect, context: EffectContext): Promise<void> {
	const {state, dispatch, move, prepare, cancel, repaint, suspend, onLeave} = context;
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
		dispatch(state => ({...state, message}));
		return undefined;
	} finally {
		refresh();
		dispatch(state => ({...state, requests: state.requests - 1}));
	}
}

/** A live list; `onLeave` gets the id of the row chosen, if any. */
export function ChooserScreen({theme, list, initial, move, onLeave, ...ports}: ChooserScreenProps) {
	const terminal = useTerminal();
	const repaint = useRepaint();
	const size = useSize();
	const [choices, refresh] = useChoices(list);
	const source: SourceKind = move ? 'backend' : 'jvm';
	const [state, dispatch] = useReducer(
		// A new reducer each render: keys act on the newest rows, as the screen is about to show them.
		(current: ChooserState, change: ChooserChange) =>
			change(current, {rows: choices.rows, room: layoutOf(current, choices, size).room, source}),
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
	const {width, message, room} = layoutOf(state, choices, size);
	// On the lowest screens the first parts alone.
	const lines = size.rows - 1;
	return (
		<Screen theme={theme} hitAreas={hitAreas}>
			{lines > 0 ? <ItemLine items={titleItems(state, choices)} width={width}/> : null}
			{lines > 1 ? <ChoiceHeading choices={choices} width={width}/> : null}
			<ChoiceTable state={state} choices={choices} width={width} room={room}/>
			{lines > 2 ? <Lines lines={message} width={width}/> : null}
			{lines > 3 ? <ItemLine items={keyItems(state, source)} width={width}/> : null}
		</Screen>
	);
}

function titleItems({filter}: ChooserState, {title, from = safe``}: ChoiceList): Item[] {
	const truncatable = (text: Printable, priority: number): Item => ({
		text,
		priority,
		leastWidth: 8,
		role: 'title',
		isJoined: true,
	});
	return [
		{text: safe`tprof-top:`, priority: 3, role: 'title'},
		truncatable(title, 0),
		truncatable(from, 2),
		truncatable(filter === '' ? safe`(type to filter)` : safe`filter: ${printable(filter)}`, 1),
	];
}

function keyItems({filter}: ChooserState, source: SourceKind): Item[] {
	return keysOf(
		'chooser',
		source,
	).filter(({title}) => title !== undefined).map(({action, label, title = ''}): Item => ({
		text: safe`${printable(label)}:${action === 'back' && filter !== '' ? 'clear' : printable(title)}`,
		roleLength: label.length,
		role: 'key',
		priority: action === 'earlier' || action === 'later' ? 1 : 0,
	}));
}
