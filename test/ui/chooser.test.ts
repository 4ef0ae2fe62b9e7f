/* eslint-disable unicorn/no-await-expression-member -- A screen is looked at where it is spoken of. */
import {createElement} from 'react';
import {expect, test} from 'vitest';
import {safe, type Printable} from '../../source/util/printable.js';
import type {ChoiceColumn} from '../../source/ui/components/choice-table.js';
import {ChooserScreen} from '../../source/ui/screens/chooser.js';
import {
	initialChooser, matching, pressChooser, shownRows, type ChoiceRow, type ChooserEffect, type ChooserState,
} from '../../source/ui/state/reduce-chooser.js';
import {Theme} from '../../source/ui/terminal/theme.js';
import {ComponentScreen} from '../helpers/component-screen.js';
import {closedAfterTest} from '../helpers/for-test.js';

/** A row as the command makes it, with the CPU share in its second cell. */
const choice = (
	pid: number,
	cpu: number | undefined,
	user: Printable,
	name: Printable,
	problem?: Printable,
): ChoiceRow => ({
	id: String(pid),
	cells: [
		{text: safe`${pid}`},
		cpu === undefined ? {text: safe`-`} : {text: safe`${cpu}%`, rank: cpu},
		{text: user},
		{text: name, short: name.replace(/^.*\./, safe``)},
		{text: problem ?? safe``},
	],
	words: `${pid} ${user} ${name}`,
	problem,
	detail: [safe`${name} of ${user}`],
});
const rows: readonly ChoiceRow[] = [
	choice(100, 17, safe`acme`, safe`com.acme.Shop`),
	choice(200, 3, safe`acme`, safe`com.acme.Mail`),
	choice(300, undefined, safe`root`, safe`org.other.Main`, safe`belongs to root`),
];
const columns: readonly ChoiceColumn[] = [
	{id: 'pid', heading: safe`PID`, align: 'right', fromColumns: 0, isText: true, description: safe`process`},
	{id: 'cpu', heading: safe`CPU`, align: 'right', fromColumns: 30, description: safe`used`},
	{id: 'user', heading: safe`USER`, align: 'left', fromColumns: 50, isText: true, description: safe`owner`},
	{id: 'main', heading: safe`MAIN`, align: 'left', fromColumns: 0, isText: true, maxShare: 0.2, description: safe`class`},
	{id: 'why', heading: safe`WHY`, align: 'left', fromColumns: 0, isText: true, description: safe`what is wrong`},
];
const choices = {rows, columns, sortedBy: 'cpu'};
const empty = initialChooser();
const sortable = ['pid', 'cpu', 'user', 'main', 'why'];
const context = {choices, sortable, room: 10, helpLines: 30, source: 'jvm'} as const;
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
	[['/', ...'MAIL', 'enter', 'enter'], '200'],
	[['/', ...'q 17', 'ctrl-u', ...'shop', 'backspace', 'enter', 'enter'], '100'],
	[['/', ...'mail', 'escape', 'enter'], '100'],
	[['/', ...'nothing', 'enter', 'enter'], undefined],
	[[...'XYZ019', 'enter'], '100'],
])('what is typed after / filters, and other letters and digits do nothing: %j chooses %s', chooses);

test('the cursor stays on its JVM when others come, and figures are no words', () => {
	const others = [choice(1, undefined, safe`x`, safe`new`), ...rows];
	expect(pressChooser(after(['down']), 'enter', {...context, choices: {...choices, rows: others}}).effects)
		.toEqual([{type: 'choose', id: '200'}]);
	expect(matching(rows, '3 other').map(({id}) => id)).toEqual(['300']);
	// Figures change all the time.
	expect(matching(rows, '17')).toEqual([]);
});

test('Esc clears the message, then the filter, and never leaves; q leaves; the last line says so', async () => {
	expect(after(['/', ...'mail', 'enter', 'escape', 'escape'])).toEqual(empty);
	const refused = after(['/', ...'main', 'enter', 'enter']);
	expect(refused).toMatchObject({message: '300: belongs to root', filter: 'main'});
	expect(pressChooser(refused, 'escape', context)).toMatchObject({message: '', filter: 'main'});
	for (const keys of [['/', ...'ma', 'ctrl-c'], ['q'], ['f10']]) {
		expect(after(keys)).toMatchObject({phase: 'left', effects: [{type: 'leave'}]});
	}

	const {screen} = screenOf(rows);
	expect((await screen.lines()).at(-1)).toBe('q:quit  Enter:open  w:record all  ?:help  /:filter');
	expect((await screen.lines('/', ...'ma')).at(-1)).toBe('filter: ma_  Enter:keep  Esc:clear');
	expect((await screen.lines('enter')).at(-1)).toContain('Esc:clear');
	expect((await screen.lines()).at(0)).toContain('filter: ma');
});

test('< and > sort by the column beside, R reverses, and unknown figures stay last', () => {
	const order = (...keys: string[]) => shownRows(after(keys), choices, 10).matches.map(({id}) => id);
	expect(order()).toEqual(['100', '200', '300']);
	expect(order('R')).toEqual(['200', '100', '300']);
	expect(order('<')).toEqual(['100', '200', '300']);
	expect(order('<', 'R')).toEqual(['300', '200', '100']);
	expect(order('>', '>')).toEqual(['200', '100', '300']);
	// There is nothing beyond the first and the last column.
	expect(after(['<', '<', '<']).sort).toEqual({column: 'pid', isReversed: false});
	expect(after(['>', '>', '>', '>', '>']).sort).toEqual({column: 'why', isReversed: false});
});

test('a click on a heading sorts by it, a second one reverses', async () => {
	const {screen} = screenOf(rows);
	const click = async (column: number) => {
		await screen.type(`\u001B[<0;${column};2M`);
		return screen.lines();
	};

	expect((await screen.lines())[1].trimEnd()).toBe('  PID CPUv USER  MAIN           WHY');
	expect((await click(12)).map(line => line.trimEnd()).slice(1, 3))
		.toEqual(['  PID  CPU USER^ MAIN           WHY', '> 100  17% acme  com.acme.Shop']);
	expect((await click(12)).map(line => line.trimEnd()).slice(1, 3))
		.toEqual(['  PID  CPU USERv MAIN           WHY', '> 300    - root  org.other.Main belongs to root']);
	expect((await click(70))[1]).toContain('WHY^');
});

test('w records all, and says so; in the table of a backend it is no key', async () => {
	expect(pressChooser(empty, 'w', {...context, source: 'backend'})).toBe(empty);
	const {screen} = screenOf(rows);
	expect(await screen.text('w')).toContain('recorded 3 files');
});

test('? shows what keys and columns mean, and closes again', async () => {
	const {screen} = screenOf(rows, 80, 60);
	const help = await screen.text('?');
	expect(help).toContain('sort by the next column');
	expect(help).toContain('what is wrong');
	expect(help).toContain('Esc:close');
	expect(help).not.toContain('com.acme.Shop');
	expect(await screen.text('?')).toContain('com.acme.Shop');
	expect(await screenOf(rows, 80, 12).screen.text('?', 'end')).toContain('suspend; fg resumes');
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

const theme = new Theme({color: false, ascii: true});

/** The screen with a list that stays; `left` has what it was left with. */
function screenOf(
	list: readonly ChoiceRow[],
	width = 80,
	height = 24,
): {readonly screen: ComponentScreen; readonly left: Array<string | undefined>} {
	const left: Array<string | undefined> = [];
	const screen = closedAfterTest(new ComponentScreen(createElement(ChooserScreen, {
		theme, waiting: safe`opening...`, record: async () => safe`recorded 3 files`, list: () => ({
			title: safe`host`, columns, sortedBy: 'cpu', none: safe`no JVMs found`, rows: list, hasDetails: true,
		}), onLeave(id) {
			left.push(id);
		},
	}), {columns: width, rows: height}));
	return {screen, left};
}

test('in the table of a backend, [ and ] move the span', () => {
	const ofBackend = {...context, source: 'backend'} as const;
	expect(pressChooser(empty, '[', ofBackend).effects).toEqual([{type: 'move', steps: -1}]);
	expect(pressChooser(empty, ']', ofBackend).effects).toEqual([{type: 'move', steps: 1}]);
	expect(after(['[', ']'])).toEqual(empty);
});

test('why a JVM cannot be chosen is said whole', async () => {
	const problem = safe`it is ${safe`very `.repeat(30)}far away`;
	const {screen, left} = screenOf([choice(1, undefined, safe`acme`, safe`Main`, problem)]);
	const lines = await screen.lines('enter');
	expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toContain(`1: ${problem}`);
	expect(lines).toHaveLength(23);
	expect(left).toEqual([]);
});

test('a narrow screen has fewer columns, each as wide as its longest cell', async () => {
	for (const [width, heading, first] of [
		[100, '  PID CPUv USER  MAIN           WHY', '> 100  17% acme  com.acme.Shop'],
		[60, '  PID CPUv USER  MAIN  WHY', '> 100  17% acme  Shop'],
		[45, '  PID CPUv MAIN  WHY', '> 100  17% Shop'],
		[25, '  PID MAIN WHY', '> 100 Shop'],
	] as const) {
		const lines = await screenOf(rows, width).screen.lines();
		expect(lines.slice(1, 3).map(line => line.trimEnd())).toEqual([heading, first]);
	}

	expect((await screenOf([choice(1, undefined, safe`u`.repeat(100), safe`Main`)]).screen.lines())[2])
		.toContain(`${'u'.repeat(38)}~ Main`);
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
