import {describe, expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {emptyRing} from '../../source/query/past/past-ring.js';
import {confirmTrace} from '../../source/ui/state/reduce-input.js';
import {press, pressMouse} from '../../source/ui/state/reduce.js';
import {type Effect, keyContextOf, initialState, selectedIndex, type UiState} from '../../source/ui/state/state.js';
import {followRow, type ScreenContext} from '../../source/ui/state/screen-context.js';
import {views} from '../../source/views/view-registry.js';

const rowsOf = (keys: string) => Array.from(keys, key => ({key}));
const rows = rowsOf('abcdefgh');
const around: ScreenContext = {
	rows,
	pageRows: 3,
	columns: [
		{id: 'self', name: safe`self share`, title: 'self share', isFlexible: false, sortKeys: ['self']},
		{id: 'total', name: safe`total share`, title: 'total share', isFlexible: false, sortKeys: ['total']},
		{id: 'line', name: safe`name`, title: 'name', isFlexible: true, sortKeys: ['name']},
	],
	visibleColumns: ['self', 'line'],
	sizeOf: () => ({lines: 30, page: 10, step: 10}),
	overhang: most => Math.min(most, 20),
	source: 'jvm',
	ring: emptyRing,
	saveFormats: [{id: 'pprof', title: 'pprof'}, {id: 'json', title: 'JSON'}],
	links: [],
	findings: 0,
	rowOfFinding: () => undefined,
	locationOf: (_, key) =>
		'ef'.includes(key)
			? {className: safe`com.acme.Dao`, method: key === 'e' ? safe`find` : safe``, file: safe``, line: 88}
			: undefined,
	threadsOf: key => key === 'c' ? {keys: [7, 8], label: safe`2 threads`} : undefined,
};
const start = () => initialState({query: defaultQuery, delayMs: 1000});

/** The state after keys, and the effects that they had. */
function after(
	keys: readonly string[],
	from: UiState = start(),
	screen = around,
): {state: UiState; effects: readonly Effect[]} {
	let state: UiState = {...from, effects: []};
	for (const key of keys) {
		state = press(state, key, screen);
	}

	return {state, effects: state.effects};
}

const selected = (state: UiState, shown = rows) => shown[selectedIndex(state.selections[state.view], shown)]?.key;

describe('the selection', () => {
	test('moves by rows and pages, and stops at both ends', () => {
		expect(selected(after([]).state)).toBe('a');
		expect(selected(after(['j', 'down', 'k']).state)).toBe('b');
		expect(selected(after(['pagedown', 'ctrl-d']).state)).toBe('g');
		expect(selected(after(['G', 'j', 'j']).state)).toBe('h');
		expect(selected(after(['end', 'home', 'up']).state)).toBe('a');
	});

	test('stays on its row when rows move, at its index when the row goes, and on the first row if it was never moved', () => {
		const {state} = after(['j', 'j']);
		const moved = rowsOf('hcab');
		expect(selected(state, moved)).toBe('c');
		expect(selected(followRow(state, moved, 3), rowsOf('hxyz'))).toBe('x');
		expect(selected(state, rowsOf('o'))).toBe('o');
		expect(selectedIndex(state.selections.lines, [])).toBe(-1);
		expect(selected(start(), rowsOf('za'))).toBe('z');
		expect(selected(after(['j', 'k']).state, rowsOf('za'))).toBe('a');
	});

	test('scrolls sideways to the end of the longest name, not beyond, and stays there while help or a detail is open', () => {
		expect(after(['right', 'right']).state.scrollLeft).toBe(16);
		const {state} = after(Array.from({length: 9}, () => 'right'));
		expect(state.scrollLeft).toBe(24);
		expect(after(['left', 'left'], state).state.scrollLeft).toBe(8);
		expect(after(['right'], start(), {...around, overhang: () => -5}).state.scrollLeft).toBe(0);
		for (
			const [open, close] of [['?', 'escape'], ['?', 'q'], ['h', 'h'], ['enter', 'escape'], ['enter', 'enter']]
		) {
			expect(after(['right', open, close]).state.scrollLeft).toBe(8);
		}
	});

	test('is among the rows shown after any keys', () => {
		const keys = ['j', 'k', 'G', 'g', 'pagedown', 'pageup', 'R', 'tab', 'l'];
		let state = start();
		for (let round = 0; round < 2000; round++) {
			const count = (round * 31) % 9;
			const shown = rows.slice(0, count);
			state = followRow(press(state, keys[(round * 7919) % keys.length], {...around, rows: shown}), shown, 3);
			const selection = state.selections[state.view];
			const index = selectedIndex(selection, shown);
			expect(index).toBeLessThan(Math.max(1, count));
			expect(selection.scrollTop).toBeGreaterThanOrEqual(0);
			if (count > 0) {
				expect(index).toBeGreaterThanOrEqual(selection.scrollTop);
				expect(index).toBeLessThan(selection.scrollTop + 3);
			}
		}
	});
});

const sortsBy = (keys: string[], column: string) => {
	expect(after(keys).state.sorts.lines).toEqual({column, reverse: false});
	expect(after(['R'], {...after(keys).state, view: 'lines'}).state.sorts.lines).toEqual({column, reverse: true});
};

test.each([[['T'], 'total'], [['N'], 'line'], [['f6', 'j', 'j', 'enter'], 'line'], [['f6', 'j', 'escape'], 'self']])(
	'after %j Lines is sorted by %s, and R reverses it',
	sortsBy,
);
test.each([[['>'], 'line'], [['>', '>'], 'self'], [['<'], 'line']])(
	'a column that is not on the screen is passed over: %j sorts by %s',
	sortsBy,
);
test('each view has its own order', () => {
	sortsBy(['tab', 'N'], 'self');
});

test('digits show the views in the order of their tabs, also from a detail and the help', () => {
	const viewAfter = (...keys: string[]) => after(keys).state.view;
	expect([viewAfter('2'), viewAfter('2', '1'), viewAfter('9'), viewAfter('0')])
		.toEqual([views[1].id, views[0].id, views[8].id, views[9].id]);
	for (const layer of ['enter', '?', 'h']) {
		expect(after([layer, '3']).state).toMatchObject({view: views[2].id, layers: []});
	}
});

test('a key that does nothing in a view says so once in each, with the key that lists those that do', () => {
	const once = after(['X']).state;
	expect(once.message?.text).toBe('X does nothing in Lines; ? lists the keys');
	expect(after(['X', '2'], once).state.message).toBeUndefined();
	expect(after(['2', 'X'], once).state.message?.text).toBe('X does nothing in Threads; ? lists the keys');
	expect(after(['enter', 'X'], once).state.message?.text).toMatch(/^X does nothing in a row's detail/);
	expect(after(['X'], start(), {...around, source: 'snapshot'}).state.message?.text).toMatch(/^X does nothing/);
	expect(after(['r'], start(), {...around, source: 'snapshot'}).state.message?.text).toMatch(/^r does nothing/);
	expect(after(['/', 'X', 'enter', 'f6', 'X', 'escape', '?', 'X', 'escape']).state.message).toBeUndefined();
});

describe('findings', () => {
	const three = {...around, findings: 3, rowOfFinding: () => ({view: 'blockers', key: 'f'})};

	test('! selects the next one, round and round; Enter then goes to its row, where nothing hides it', () => {
		expect(after(['!', '!'], start(), three).state).toMatchObject({finding: 2, isFindingSelected: true});
		expect(after(['!', '!', '!', '!'], start(), three).state).toMatchObject({finding: 1});
		const filtered = after(['/', 'q', 'enter', 'j', 'j', 't'], start(), three).state;
		const {state} = after(['!', 'enter'], filtered, three);
		expect(state).toMatchObject({view: 'blockers', isFindingSelected: false, layers: [], onlyThreads: undefined});
		expect(state.query).toMatchObject({filter: '', threadKeys: undefined});
		expect(selected(state)).toBe('f');
	});

	test('Enter opens the row again after any other key; a finding without a row says so, and so does ! without one', () => {
		expect(after(['!', 'j', 'enter'], start(), three).state.layers).toMatchObject([{kind: 'detail', key: 'b'}]);
		const without = {...three, rowOfFinding: () => undefined};
		expect(after(['!', 'enter'], start(), without).state.message?.text).toBe('no view has a row for this finding');
		expect(after(['!']).state).toMatchObject({isFindingSelected: false, message: {text: 'there are no findings'}});
	});
});

describe('input lines', () => {
	test('the filter works while it is typed; Enter keeps it, Esc clears it', () => {
		const typing = after(['/', 'q', 'j', ' ', 'x']).state;
		expect(keyContextOf(typing)).toBe('input');
		expect(typing.query.filter).toBe('qj x');
		expect(after(['enter'], typing).state.query.filter).toBe('qj x');
		expect(after(['enter', 'escape'], typing).state.query.filter).toBe('');
		expect(after(['escape'], typing).state.query.filter).toBe('');
		expect(after(['backspace', 'delete'], typing).state.query.filter).toBe('qj');
		expect(after(['ctrl-w'], typing).state.query.filter).toBe('qj ');
		expect(after(['left', 'left', 'z'], typing).state.query.filter).toBe('qjz x');
		expect(after(['ctrl-u', '👩', 'left', 'a', 'end', 'backspace'], typing).state.query.filter).toBe('a');
	});

	// What stands there is replaced by what is typed, and edited by what moves or erases.
	test.each([
		[[], 1000],
		[['5'], 5000],
		[['ctrl-u', '0', '.', '5'], 500],
		[['end', '5'], 15_000],
		[['left', '2'], 21_000],
		[['2', '5', 'backspace'], 2000],
		[['backspace', '3'], 3000],
	])('the delay after d and %j is %i ms', (keys, delayMs) => {
		expect(after(['d', ...keys, 'enter']).state).toMatchObject({delayMs, layers: []});
	});

	test.each(['0.09', 'x', '-1', '999999999', '', ' ', 'NaN'])('"%s" is no delay, and stays to be mended', wrong => {
		const {state} = after(['d', 'ctrl-u', ...wrong, 'enter']);
		expect(state.delayMs).toBe(1000);
		expect(keyContextOf(state)).toBe('input');
		expect(after(['ctrl-u', '2', 'enter'], state).state).toMatchObject({delayMs: 2000, layers: []});
	});

	test('a snapshot is saved at once, or with a format and a name', () => {
		expect(after(['s']).effects).toEqual([{type: 'save'}]);
		expect(after(['S', 'j', 'enter', 'x', '1', 'enter']).effects).toEqual([{
			type: 'save',
			format: 'json',
			name: 'x1',
		}]);
		expect(after(['S', 'enter', 'enter']).effects).toEqual([{type: 'save', format: 'pprof'}]);
		expect(after(['S', 'enter', 'escape', 'S', 'escape']).effects).toEqual([]);
	});
});

describe('what counts', () => {
	test('resets can be undone one by one, and the window goes with them', () => {
		const two = after(['r', 'r']);
		expect(two.effects.map(({type}) => type)).toEqual(['reset', 'reset']);
		expect(two.state.window).toBe('reset');
		expect(after(['u'], two.state).state.window).toBe('reset');
		expect(after(['u', 'u'], two.state).state.window).toBe('start');
		expect(after(['u', 'u', 'u'], two.state).effects).toHaveLength(2);
	});

	test('windows, states, units and groupings go round', () => {
		expect(['z', 'z', 'z'].map((_, index) => after(Array.from({length: index + 1}, () => 'z')).state.window))
			.toEqual(['last-10s', 'refresh', 'start']);
		expect(after(['x']).state.query.states).toContain('IDLE');
		expect(after(['x', 'x']).state.query.states).toEqual(['BLOCKED']);
		expect(after(['x', 'x', 'x', 'x']).state.query.states).toEqual(['RUNNABLE', 'BLOCKED']);
		const unitAfter = (count: number) => after(Array.from({length: count}, () => '%')).state.query.unit;
		expect([0, 1, 2, 3, 4].map(count => unitAfter(count))).toEqual(['core', 'cpu', 'ticks', 'cpu-ms', 'core']);
		expect(after(['l']).state.query.by).toBe('method');
		expect(after(['tab', 'l']).state.query.foldPools).toBe(false);
	});

	test('t looks at the threads of the row, and again at all', () => {
		const {state} = after(['j', 'j', 't']);
		expect([...state.query.threadKeys!]).toEqual([7, 8]);
		expect(state.onlyThreads).toBe('2 threads');
		expect(after(['t'], state).state.query.threadKeys).toBeUndefined();
		expect(after(['escape'], state).state.query.threadKeys).toBeUndefined();
		expect(after(['t']).state.query.threadKeys).toBeUndefined();
	});

	test.each([['snapshot', ['z', '[', 'r', 'u', 'o', 'd', ' ']], ['recording', ['r', 'u', 'o', 'd']]] as const)(
		'a %s is not sampled and not refreshed: %j do nothing',
		(source, keys) => {
			const unknownKeys = new Map([['lines', keys]]);
			expect(after(keys, start(), {...around, source}))
				.toMatchObject({state: {...start(), message: expect.anything() as unknown, unknownKeys}, effects: []});
		},
	);
});

describe('layers', () => {
	test('Enter opens the selected row, ? lies above it, and each is closed alone', () => {
		const {state} = after(['j', 'enter', '?']);
		expect(state.layers.map(({kind}) => kind)).toEqual(['detail', 'help']);
		expect(state.layers[0]).toMatchObject({view: 'lines', key: 'b'});
		expect(after(['escape', 'escape'], state).state.layers).toEqual([]);
		expect(keyContextOf(after(['x'], state).state)).toBe('detail');
	});

	test('? opens help for the view, h all of it, from there too; h closes that', () => {
		expect(after(['?']).state.layers).toEqual([{kind: 'help', scrollTop: 0, isOfView: true}]);
		expect(after(['?', 'G', 'h']).state.layers).toEqual([{kind: 'help', scrollTop: 0}]);
		expect(after(['h']).state.layers).toEqual([{kind: 'help', scrollTop: 0}]);
		expect(after(['?', 'h', 'h']).state.layers).toEqual([]);
		expect(after(['h', '?']).state.layers).toEqual([]);
	});

	test('q quits at a table and closes what lies above it, F10 and Ctrl-C quit from everywhere', () => {
		expect(after(['tab', 'q']).effects).toEqual([{type: 'quit'}]);
		expect(after(['S', 'q'])).toMatchObject({state: {layers: []}, effects: []});
		expect(keyContextOf(after(['enter', '?', 'q']).state)).toBe('detail');
		expect(after(['/', 'q']).effects).toEqual([]);
		for (const keys of [[], ['?'], ['enter'], ['f6'], ['tab'], ['/'], ['d'], ['S', 'enter']]) {
			for (const quit of ['f10', 'ctrl-c']) {
				expect(after([...keys, quit]).effects).toEqual([{type: 'quit'}]);
			}
		}
	});
});

test('a q within half a second of one that closed something does nothing, later it closes or quits', () => {
	for (const keys of [['?'], ['enter'], ['f6'], ['j', 'j', 'j', 'j', 'f']]) {
		const closed = press(after(keys).state, 'q', around, 10_000);
		expect(closed).toMatchObject({layers: [], view: 'lines', effects: []});
		expect(press(closed, 'q', around, 10_499)).toEqual(closed);
		expect(press(closed, 'q', around, 10_500).effects).toEqual([{type: 'quit'}]);
	}

	const help = press(after(['enter', '?']).state, 'q', around, 10_000);
	expect(keyContextOf(press(help, 'q', around, 10_400))).toBe('detail');
	expect(press(help, 'q', around, 10_600).layers).toEqual([]);
	// What Esc closed was closed on purpose, and other keys quit at once.
	expect(press(after(['?', 'escape']).state, 'q', around, 10_000).effects).toEqual([{type: 'quit'}]);
	expect(press(help, 'ctrl-c', around, 10_100).effects).toEqual([{type: 'quit'}]);
});

test('a click on a tab closes what is open as Esc does: changed columns are kept, what was asked is not traced, a filter stays', () => {
	const clicked = (from: UiState) =>
		pressMouse(from, {mouse: 'click', line: 3, column: 9}, {kind: 'tab', view: 'threads'}, around);
	expect(clicked(after(['C', 'down', 'down', 'enter']).state)).toMatchObject({
		view: 'threads',
		layers: [],
		effects: [{type: 'keep-columns', view: 'lines', columns: ['self', 'total', 'line']}],
	});
	const asked = confirmTrace(after(['enter']).state, {question: safe`trace 2 methods? [y/N] `, about: safe``});
	expect(clicked(asked)).toMatchObject({view: 'threads', layers: [], effects: [{type: 'forget-methods'}]});
	expect(clicked(after(['/', 'x']).state)).toMatchObject({
		view: 'threads',
		layers: [],
		query: {filter: 'x'},
		effects: [],
	});
});

describe('f', () => {
	test('looks into the method of the row, and Esc goes back to where it was', () => {
		const {state} = after(['j', 'j', 'j', 'j', 'f']);
		expect(state).toMatchObject({view: 'focus', query: {method: 'com.acme.Dao.find'}});
		expect(after(['escape'], state).state.view).toBe('lines');
		expect(after(['escape', 'escape'], state).state.view).toBe('lines');
		expect(after(['tab', 'escape'], state).state.view).toBe('lines');
	});

	test('and D go back step by step, each to where it was pressed', () => {
		const focus = after(['j', 'j', 'j', 'j', 'f', 'D', 'D']);
		expect(focus.state.view).toBe('focus');
		expect(after(['q'], focus.state)).toMatchObject({state: {view: 'lines'}, effects: []});
		const changes = after(['tab', 'D', 'j', 'j', 'j', 'j', 'f', 'escape']);
		expect(changes.state.view).toBe('changes');
		expect(after(['D'], changes.state).state.view).toBe('threads');
	});

	test('says why where there is no method', () => {
		expect(after(['f']).state).toMatchObject({
			view: 'lines',
			message: {text: expect.stringContaining('no known location') as string},
		});
		expect(after(['j', 'j', 'j', 'j', 'j', 'f']).state).toMatchObject({
			view: 'lines',
			message: {text: expect.stringContaining('l for methods') as string},
		});
		expect(after(['f'], start(), {...around, rows: []}).state.message?.text).toContain('no row');
	});
});

describe('the column menu', () => {
	const marks = (state: UiState) => {
		const menu = state.layers.at(-1);
		return menu?.kind === 'menu' ? menu.items.map(({title}) => title) : [];
	};

	test('turns columns on and off where they belong, and has them kept once it is left', () => {
		expect(marks(after(['C']).state)).toEqual([
			'(*) as many as the width has room for',
			'[x] self share',
			'[ ] total share',
			'[x] name',
		]);
		const {state, effects} = after(['f2', 'down', 'down', 'enter']);
		expect(marks(state)).toEqual([
			'( ) as many as the width has room for',
			'[x] self share',
			'[x] total share',
			'[x] name',
		]);
		expect(state.columns).toEqual({lines: ['self', 'total', 'line']});
		expect(effects).toEqual([]);
		expect(after(['up', ' ', 'escape'], state)).toMatchObject({
			state: {columns: {lines: ['total', 'line']}, layers: []},
			effects: [{type: 'keep-columns', view: 'lines', columns: ['total', 'line']}],
		});
		expect(after(['home', 'enter', 'q'], state)).toMatchObject({
			state: {columns: {}},
			effects: [{type: 'keep-columns', view: 'lines', columns: undefined}],
		});
	});

	test('moves columns to the left and to the right, the cursor with them', () => {
		const {state} = after(['C', 'down', '>']);
		expect(marks(state)).toEqual([
			'( ) as many as the width has room for',
			'[x] name',
			'[ ] total share',
			'[x] self share',
		]);
		expect(state.columns).toEqual({lines: ['line', 'self']});
		const ends = after(['>', '<', '<', 'escape'], state);
		expect(ends).toMatchObject({
			state: {columns: {lines: ['self', 'line']}},
			effects: [{type: 'keep-columns', columns: ['self', 'line']}],
		});
		// One that is not shown, and what is no column, stay where they are; a sort menu has no order.
		expect(after(['C', '>', 'down', 'down', '<', 'escape'])).toMatchObject({state: {columns: {}}, effects: []});
		expect(after(['f6', '>']).state).toEqual(after(['f6']).state);
	});
});

test('changed keys do what the other key does, or nothing; a letter that is typed is one', () => {
	const from = (changes: ReadonlyArray<readonly [string, string | null]>) =>
		initialState({query: defaultQuery, delayMs: 1000, keyChanges: new Map(changes)});
	expect(after(['X'], from([['X', 'q']])).effects).toEqual([{type: 'quit'}]);
	expect(after(['q'], from([['X', 'q'], ['q', null]])).effects).toEqual([]);
	expect(selected(after(['n', 'n', 'p'], from([['n', 'down'], ['p', 'k']])).state)).toBe('b');
	expect(after(['/', 'X'], from([['X', 'escape']])).state.query.filter).toBe('X');
});

describe('a method to trace', () => {
	const toE = ['j', 'j', 'j', 'j'];

	test('is the row\'s until something else is typed; Enter begins, Esc does not', () => {
		const {state} = after([...toE, 'M']);
		expect(state.layers).toMatchObject([{kind: 'input', purpose: 'trace', text: 'com.acme.Dao.find'}]);
		expect(after(['enter'], state)).toMatchObject({
			state: {layers: []},
			effects: [{type: 'find-methods', pattern: 'com.acme.Dao.find'}],
		});
		expect(after(['backspace', 'backspace', '*', 'enter'], state).effects).toEqual([{
			type: 'find-methods',
			pattern: 'com.acme.Dao.fi*',
		}]);
		expect(after(['escape'], state)).toMatchObject({state: {layers: []}, effects: []});
		expect(after(['ctrl-u', 'enter'], state)).toMatchObject({state: {layers: [{text: ''}]}, effects: []});
		// A class means all its methods, a row without a location nothing yet.
		expect(after([...toE, 'j', 'M']).state.layers).toMatchObject([{text: 'com.acme.Dao.*'}]);
		expect(after(['M']).state.layers).toMatchObject([{text: ''}]);
	});

	test('is traced after y and Enter, and after nothing else; the question waits below what is being typed', () => {
		const asked = confirmTrace(after(['/', 'd']).state, {
			question: safe`trace 2 methods of 1 class? [y/N] `,
			about: safe`a.B.c.`,
		});
		expect(asked.layers).toMatchObject([{purpose: 'confirm-trace'}, {purpose: 'filter', text: 'd'}]);
		const {state} = after(['y', 'enter'], asked);
		expect(state).toMatchObject({query: {filter: 'dy'}, layers: [{purpose: 'confirm-trace'}]});
		expect(after(['y', 'enter'], state)).toMatchObject({state: {layers: []}, effects: [{type: 'trace'}]});
		for (const no of [['n', 'enter'], ['enter'], ['y', 'escape']]) {
			expect(after(no, state)).toMatchObject({state: {layers: []}, effects: [{type: 'forget-methods'}]});
		}
	});
});
