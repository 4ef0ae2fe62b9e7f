import {expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {actionOf, contexts, isOfTables, keyGroups, keysOf, keyTable, type Action} from '../../source/ui/state/keys.js';
import {tableActions} from '../../source/ui/state/table-actions.js';
import {helpLines, viewHelpLines, type HelpLine} from '../../source/ui/components/help-lines.js';
import {termCells} from '../../source/ui/components/term-table.js';
import {headerWords} from '../../source/ui/status/items.js';
import {samplingFigures} from '../../source/ui/status/sampling.js';
import {views} from '../../source/views/view-registry.js';
import {lineColumns} from '../../source/views/lines/lines.js';

test.each(contexts)('no key means two things in %s', context => {
	const seen = new Map<string, string>();
	for (const row of keyTable.filter(row => row.contexts.includes(context))) {
		for (const key of row.keys) {
			expect(seen.get(key), `${key} is ${seen.get(key)} and ${row.action}`).toBeUndefined();
			seen.set(key, row.action);
			expect(actionOf(context, key, row.sources?.[0])).toBe(row.action);
		}
	}
});

test('every key of a table does something, and every action is in one group of the help', () => {
	const ofTheApp: ReadonlySet<Action> = new Set(['quit', 'close', 'redraw', 'suspend']);
	const idle = keyTable.filter(row =>
		isOfTables(row) && !row.press && !ofTheApp.has(row.action) && !tableActions[row.action]);
	expect(idle.map(({label: shown}) => shown)).toEqual([]);
	for (const {action} of keyTable) {
		expect(keyGroups.filter(group => (group.actions as readonly Action[]).includes(action)), action)
			.toHaveLength(1);
	}
});

/** The texts of lines. */
const texts = (lines: readonly HelpLine[]) =>
	lines.map(line => 'term' in line
		? `${line.term.padEnd(termCells + 2)}${line.text}`.trimEnd()
		: line.map(({text}) => text).join(''));

test('the help begins with the words of the header, then has every key once, by group, and every column, at any width', () => {
	for (const width of [200, 79, 40]) {
		const all = texts(helpLines('lines', width));
		expect(Math.max(...all.map(line => line.length))).toBeLessThanOrEqual(width);
		expect(lineColumns.filter(({description}) => !all.join(' ').replaceAll(/\s+/g, ' ').includes(description)))
			.toEqual([]);
	}

	const lines = texts(helpLines('lines', 100, {
		findings: [safe`a deadlock`],
		program: [safe`heap 1M`],
		warnings: [safe`the table is full`],
		notes: [safe`lines are approximate`],
		sampling: [{word: safe`late`, meaning: '3'}],
		source: 'jvm',
	}));
	const words = lines.slice(0, lines.indexOf(''));
	expect(words[0]).toMatch(/^Header +what its words mean$/);
	expect(lines.slice(words.length + 1).filter(line => line !== '').slice(0, 10)).toEqual([
		'Found',
		' a deadlock',
		'The program',
		' heap 1M',
		'Warnings',
		' the table is full',
		'Notes',
		' lines are approximate',
		expect.stringMatching(/^Sampling +how it goes$/),
		expect.stringMatching(/^late +3$/),
	]);
	for (const word of ['samples', 'late', 'failed', 'truncated', 'skipped', 'cost', 'own']) {
		expect(samplingFigures.some(row => row.word === word), word).toBe(true);
	}

	for (const {word} of headerWords) {
		expect(words.join('\n')).toContain(`\n${word}`);
	}

	const titles = keyGroups.map(({title}) => lines.indexOf(title)).filter(at => at >= 0);
	expect(titles).toEqual([...titles].sort((a, b) => a - b));
	const keys = lines.slice(titles[0], lines.findIndex(line => line.startsWith('Columns ')));
	for (const {label: shown, help} of keysOf('lines')) {
		expect(keys.filter(line => line.startsWith(`${shown} `) && line.includes(help.slice(0, 20))), shown)
			.toHaveLength(1);
	}
});

test.each(views)(
	'help for the view $id says what it shows, its own keys and its columns',
	({id, title, about, keys, columns}) => {
		for (const width of [199, 79, 49]) {
			const lines = texts(viewHelpLines(id, width));
			const text = lines.join(' ').replaceAll(/\s+/g, ' ');
			expect(lines[0]).toBe(title);
			for (const part of [about, ...keys.map(({help}) => help), ...columns.map(({description}) => description)]) {
				expect(text).toContain(part);
			}

			expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(width);
		}
	},
);
