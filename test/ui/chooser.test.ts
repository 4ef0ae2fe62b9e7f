/* eslint-disable unicorn/no-await-expression-member -- A screen is looked at where it is spoken of. */
import {createElement} from 'react';
import {expect, test} from 'vitest';
import {safe, type Printable} from '../../source/util/printable.js';
import type {ChoiceColumn} from '../../source/ui/components/choice-table.js';
import {ChooserScreen} from '../../source/ui/screens/chooser.js';
import {
	initialChooser, matching, pressChooser, type ChoiceRow, type ChooserEffect, type ChooserState,
} from '../../source/ui/state/reduce-chooser.js';
import {Theme} from '../../source/ui/terminal/theme.js';
import {ComponentScreen} from '../helpers/component-screen.js';
import {closedAfterTest} from '../helpers/for-test.js';

/** A row as the command makes it, with the CPU share in its first cell. */
const choice = (
	pid: number,
	cpu: Printable,
	user: Printable,
	version: Printable,
	name: Printable,
	problem?: Printable,
): ChoiceRow => ({
	id: String(pid),
	cells: [safe`${pid}`, cpu, user, version],
	name,
	words: `${pid} ${user} ${version} ${name}`,
	problem,
});
const rows: readonly ChoiceRow[] = [
	choice(100, safe`17%`, safe`acme`, safe`21.0.3`, safe`com.acme.Shop`),
	choice(200, safe`3%`, safe`acme`, safe`17.0.1`, safe`com.acme.Mail`),
	choice(300, safe`-`, safe`root`, safe`8`, safe`org.other.Main`, safe`belongs to root`),
];
const empty = initialChooser();
const context = {rows, room: 10, source: 'jvm'} as const;
const after = (keys: readonly string[]): ChooserState => {
	let state = empty;
	for (const key of keys) {
		state = pressChooser(state, key, context);
	}

	return state;
};

const effectsAfter = (keys: readonly string[]): readonly ChooserEffect[] => after(keys).effects;

const chooses = (keys: string[], id: string | undefined) => {
	expect(effectsAfter(keys)).toEqual(id === undefined ? [] : [{type: 'choose', id}]);
};

test.each([
	[['enter'], '100'],
	[['down', 'enter'], '200'],
	[['end', 'up', 'up', 'up', 'enter'], '100'],
	[['end', 'enter'], undefined],
])('%j chooses %s', chooses);
test.each([
	[[...'MAIL', 'enter'], '200'],
	[[...'q 17', 'ctrl-u', ...'shop', 'backspace', 'enter'], '100'],
	[[...'nothing', 'enter'], undefined],
])('what is typed filters: %j chooses %s', chooses);

test('the cursor stays on its JVM when others come, and figures are no words', () => {
	const others = [choice(1, safe`-`, safe`x`, safe`8`, safe`new`), ...rows];
	expect(pressChooser(after(['down']), 'enter', {...context, rows: others}).effects)
		.toEqual([{type: 'choose', id: '200'}]);
	expect(matching(rows, '3 other').map(({id}) => id)).toEqual(['300']);
	// Figures change all the time.
	expect(matching(rows, '17').map(({id}) => id)).toEqual(['200']);
});

test('Esc erases what was typed, and then leaves without a choice; the last line says so', async () => {
	expect(after([...'mail', 'escape'])).toEqual(empty);
	for (const keys of [[...'mail', 'escape', 'escape'], ['escape'], ['ctrl-c']]) {
		expect(after(keys)).toEqual({...empty, phase: 'left', effects: [{type: 'leave'}]});
	}

	const {screen} = screenOf(rows);
	expect((await screen.lines()).at(-1)).toBe('Esc:quit  Enter:choose');
	expect((await screen.lines(...'mail')).at(-1)).toBe('Esc:clear  Enter:choose');
});

test('while a row is prepared, Esc cancels that, quit leaves, and nothing else counts', () => {
	const preparing = after(['down', 'enter']);
	expect(preparing).toMatchObject({phase: 'preparing', selected: '200'});
	for (const key of ['x', 'up', 'enter', 'ctrl-l']) {
		expect(pressChooser(preparing, key, context)).toBe(preparing);
	}

	expect(pressChooser(preparing, 'escape', context).effects.at(-1)).toEqual({type: 'cancel'});
	const left = pressChooser(preparing, 'ctrl-c', context);
	expect(left.effects.at(-1)).toEqual({type: 'leave'});
	expect(pressChooser(left, 'enter', context)).toBe(left);
});

const columnsOfRows: readonly ChoiceColumn[] = [
	{heading: safe`PID`, align: 'right', fromColumns: 0},
	{heading: safe`CPU`, align: 'right', fromColumns: 30},
	{heading: safe`USER`, align: 'left', fromColumns: 50},
	{heading: safe`JVM`, align: 'left', fromColumns: 60},
];
const theme = new Theme({color: false, ascii: true});

/** The screen with a list that stays; `left` has what it was left with. */
function screenOf(
	list: readonly ChoiceRow[],
	columns = 80,
	height = 24,
): {readonly screen: ComponentScreen; readonly left: Array<string | undefined>} {
	const left: Array<string | undefined> = [];
	const screen = closedAfterTest(new ComponentScreen(createElement(ChooserScreen, {
		theme, list: () => ({
			title: safe`which JVM?`, columns: columnsOfRows, nameHeading: safe`MAIN CLASS`, none: safe`no JVMs found`, rows: list,
		}), onLeave(id) {
			left.push(id);
		},
	}), {columns, rows: height}));
	return {screen, left};
}

test('in the table of a backend, [ and ] move the span, and / is no letter', () => {
	const ofBackend = {...context, source: 'backend'} as const;
	expect(pressChooser(empty, '[', ofBackend).effects).toEqual([{type: 'move', steps: -1}]);
	expect(pressChooser(empty, ']', ofBackend).effects).toEqual([{type: 'move', steps: 1}]);
	expect(pressChooser(empty, '/', ofBackend)).toEqual(empty);
	expect(after(['[', '/']).filter).toBe('[/');
});

test('why a JVM cannot be chosen is said whole', async () => {
	const problem = safe`it is ${safe`very `.repeat(30)}far away`;
	const {screen, left} = screenOf([choice(1, safe`-`, safe`acme`, safe`8`, safe`Main`, problem)]);
	const lines = await screen.lines('enter');
	expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toContain(`1: ${problem}`);
	expect(lines).toHaveLength(23);
	expect(left).toEqual([]);
});

test('a narrow screen has fewer columns, each as wide as its longest cell', async () => {
	for (const [columns, heading, first] of [
		[80, ' PID CPU USER JVM    MAIN CLASS', '>100 17% acme 21.0.3 com.acme.Shop'],
		[50, ' PID CPU USER MAIN CLASS', '>100 17% acme com.acme.Shop'],
		[25, ' PID MAIN CLASS', '>100 com.acme.Shop'],
	] as const) {
		expect((await screenOf(rows, columns).screen.lines()).slice(1, 3)).toEqual([heading, first]);
	}

	expect((await screenOf([choice(1, safe`-`, safe`u`.repeat(100), safe`8`, safe`Main`)]).screen.lines())[2])
		.toBe(`>  1   - ${'u'.repeat(38)}~ 8   Main`);
});

test('its frame fits every screen', async () => {
	for (const [columns, height] of [[80, 24], [20, 5], [5, 3], [1, 1], [200, 60]]) {
		const lines = await screenOf(rows, columns, height).screen.lines('down');
		expect(lines.length).toBeLessThanOrEqual(Math.max(0, height - 1));
		expect(Math.max(0, ...lines.map(line => line.length))).toBeLessThanOrEqual(columns - 1);
	}

	expect(await screenOf([]).screen.text('enter')).toContain('no JVMs found');
});

test('the wheel moves the cursor, a click sets it; neither chooses', async () => {
	const {screen, left} = screenOf(rows);
	const selectedAfter = async (...bytes: readonly string[]) => {
		await screen.type(...bytes);
		return (await screen.lines()).findIndex(line => line.startsWith('>'));
	};

	expect(await selectedAfter('\u001B[<65;1;1M')).toBe(3);
	expect(await selectedAfter('\u001B[<64;1;1M')).toBe(2);
	expect(await selectedAfter('\u001B[<0;20;5M')).toBe(4);
	expect(await selectedAfter('\u001B[<0;20;1M', '\u001B[<0;20;9M', '\u001B[<0;20;23M')).toBe(4);
	expect(left).toEqual([]);
});

test.each([['Enter', '\rx', '100'], ['Ctrl-C', '\u0003\r', undefined]])(
	'%s counts, and nothing behind it in the same read does',
	async (_, bytes, pid) => {
		const {screen, left} = screenOf(rows);
		await screen.type(bytes);
		expect(left).toEqual([pid]);
	},
);
