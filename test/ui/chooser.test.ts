import {expect, test} from 'vitest';
import {
	chooserFrame, matching, pressChooser, type ChoiceRow, type ChooserState, type ChooserStep,
} from '../../source/ui/chooser.js';
import {linesOf} from '../../source/ui/frame.js';
import {Theme} from '../../source/ui/theme.js';

const rows: readonly ChoiceRow[] = [
	{pid: 100, text: 'acme 21.0.3 com.acme.Shop'}, {pid: 200, text: 'acme 17.0.1 com.acme.Mail'}, {pid: 300, text: 'root 8 org.other.Main', problem: 'belongs to root'},
];
const empty: ChooserState = {filter: '', selected: undefined, message: ''};
const after = (keys: readonly string[], list = rows): ChooserStep => {
	let step: ChooserStep = {state: empty};
	for (const key of keys) {
		step = pressChooser(step.state, key, list, 10);
	}

	return step;
};

test('arrows and Enter choose; a JVM that cannot be profiled says why', () => {
	expect(after(['enter']).chosen).toBe(100);
	expect(after(['down', 'enter']).chosen).toBe(200);
	expect(after(['end', 'up', 'up', 'up', 'enter']).chosen).toBe(100);
	const refused = after(['end', 'enter']);
	expect(refused.chosen).toBeUndefined();
	expect(refused.state.message).toBe('300: belongs to root');
	expect(after(['enter'], []).chosen).toBeUndefined();
});

test('typing filters, and the cursor stays on its JVM when others come', () => {
	expect(after([...'MAIL', 'enter']).chosen).toBe(200);
	expect(after([...'q 17', 'ctrl-u', ...'shop', 'backspace', 'enter']).chosen).toBe(100);
	const {state} = after(['down']);
	expect(pressChooser(state, 'enter', [{pid: 1, text: 'new'}, ...rows], 10).chosen).toBe(200);
	expect(matching(rows, '3 other').map(({pid}) => pid)).toEqual([300]);
});

test('Esc erases what was typed, and then leaves without a choice', () => {
	expect(after([...'mail', 'escape']).effect).toBeUndefined();
	expect(after([...'mail', 'escape']).state.filter).toBe('');
	expect(after([...'mail', 'escape', 'escape']).effect).toBe('quit');
	expect(after(['escape']).effect).toBe('quit');
	expect(after(['ctrl-c']).effect).toBe('quit');
});

test('why a JVM cannot be chosen is said whole', () => {
	const theme = new Theme({color: false, ascii: true});
	const problem = `it is ${'very '.repeat(30)}far away`;
	const lines = linesOf(chooserFrame(after(['enter'], [{pid: 1, text: 'acme', problem}]).state, [{pid: 1, text: 'acme', problem}], '', {columns: 80, rows: 24}, theme));
	expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toContain(`1: ${problem}`);
	expect(lines).toHaveLength(23);
});

test('its frame fits every screen', () => {
	const theme = new Theme({color: false, ascii: true});
	for (const [columns, height] of [[80, 24], [20, 5], [5, 3], [1, 1], [200, 60]]) {
		const lines = linesOf(chooserFrame(after(['down']).state, rows, 'USER VERSION MAIN', {columns, rows: height}, theme));
		expect(lines.length).toBeLessThanOrEqual(height - 1);
		expect(Math.max(0, ...lines.map(line => line.length))).toBeLessThanOrEqual(columns - 1);
	}

	expect(linesOf(chooserFrame(empty, [], '', {columns: 80, rows: 24}, theme)).join('\n')).toContain('no JVMs to be seen');
});
