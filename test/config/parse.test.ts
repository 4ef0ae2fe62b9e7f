import {readFileSync} from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {fields, parseSettings} from '../../source/config/fields.js';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
const [, example] = /```jsonc\n([\s\S]*?)```/.exec(page)!;

test('the example of the documentation is right, and has every field there is', () => {
	const {settings, faults, isEditable} = parseSettings(example);
	expect({faults, isEditable}).toEqual({faults: [], isEditable: true});
	expect(settings.options.get('interval')).toBe('50');
	expect(settings.options.get('idle-calls')).toBe('org.acme.Native.waitForWork');
	expect(settings.columns).toEqual({lines: ['self', 'ticks', 'state', 'line', 'note']});
	expect([...settings.colors]).toEqual([['hot', 'bold bright-yellow'], ['waiting', '39'], ['selected', 'reverse']]);
	expect([...settings.packages]).toEqual([['com.acme.shop', 'shop'], ['java.util.concurrent', 'juc']]);
	expect([...settings.keys]).toEqual([['O', 'o'], ['o', null]]);
	for (const {name} of fields) {
		expect(example, name).toContain(`"${name}":`);
		expect(page, name).toMatch(new RegExp(`^\\| .*\`${name}\``, 'm'));
	}
});

test.each([
	['{"intervall": 3}', 1, 'there is no setting "intervall"; did you mean "interval"?'],
	['{\n// here\n"interval": 0\n}', 3, '"interval" must be a number from 1 to 60000'],
	['{"interval": true}', 1, '"interval" must be a string or a number'],
	['{"view": "lists"}', 1, '"view" must be one of'],
	['{"idle-calls": ["wait()"]}', 1, '"idle-calls": "wait()" is not a method'],
	['{"columns": {\n"lines": ["self",\n"slef"]}}', 3, 'lines has no column "slef"; did you mean "self"?'],
	['{"columns": {"line": []}}', 1, 'there is no view "line"; did you mean "lines"?'],
	['{"colors": {"hott": "red"}}', 1, 'nothing on the screen is called "hott"; did you mean "hot"?'],
	['{"colors": {\n"hot": "bold rde"}}', 2, '"rde" is no colour; did you mean "red"?'],
	['{"colors": {"hot": true}}', 1, 'must be a text such as "bold red", or a number'],
	['{"packages": {"com..acme": "x"}}', 1, '"com..acme" is not a package'],
	['{"packages": {"com.acme": "a b"}}', 1, 'must be a string without blanks'],
	['{"keys": {"ctrl-c": null}}', 1, 'ctrl-c always quits'],
	['{"keys": {"hyper": "q"}}', 1, 'there is no key "hyper"'],
	['{"keys": {"Q": "hyper"}}', 1, '"hyper" does nothing that "Q" could do'],
	['{"delay": 1,\n"delay": 2}', 2, '"delay" appears twice'],
	['{"delay": 1\n"view": "tree"}', 2, 'not JSON: comma expected'],
	['[1]', 1, 'the file must be an object'],
	[String.raw`{"a\u001B[2J": 1}`, 1, String.raw`there is no setting "a\x1b[2J"`],
])('%j: line %d', (text, line, fault) => {
	const {faults} = parseSettings(text);
	expect(faults).toHaveLength(1);
	expect(faults[0].line).toBe(line);
	expect(faults[0].text).toContain(fault);
});

test('what is right counts beside what is wrong', () => {
	const {settings, faults} = parseSettings('{"delay": 3, "speed": 1, "columns": {"lines": ["self", "nose"], "threads": ["cpu"]}, "keys": {"space": "Z"}}');
	expect(faults).toHaveLength(2);
	expect(settings.options.get('delay')).toBe('3');
	expect(settings.columns).toEqual({lines: ['self'], threads: ['cpu']});
	expect([...settings.keys]).toEqual([[' ', 'Z']]);
});

test('an empty file says nothing; no text throws or tells of more than a page', () => {
	expect(parseSettings('')).toMatchObject({faults: [], isEditable: true});
	expect(parseSettings('// nothing\n')).toMatchObject({faults: [], isEditable: true});
	expect(parseSettings('{"a":'.repeat(60_000 / 5)).faults.length).toBeGreaterThan(0);
	expect(parseSettings('['.repeat(65_000)).faults.length).toBeGreaterThan(0);
	const words = fc.constantFrom('{', '}', '[', ']', ':', ',', '"keys"', '"columns"', '"lines"', '"self"', '"o"', 'null', '3', '//', '\n', '"__proto__"', '"constructor"', 'x');
	fc.assert(fc.property(fc.array(words, {maxLength: 60}), parts => {
		expect(parseSettings(parts.join(' ')).faults.length).toBeLessThanOrEqual(20);
	}), {numRuns: 500});
});
