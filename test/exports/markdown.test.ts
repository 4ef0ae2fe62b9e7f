import {marked, type Token} from 'marked';
import {describe, expect, test} from 'vitest';
import {explained as write} from '../../source/exports/formats/markdown.js';
import type {ExportOptions} from '../../source/exports/common/export-format.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {safe} from '../../source/util/printable.js';
import {deadlocked, picture, Picture} from '../helpers/picture.js';
import {randomSnapshot, serviceSnapshots} from './snapshots.js';

function explained(snapshot: Snapshot, options: Partial<ExportOptions> = {}): string {
	return write(snapshot, undefined, {query: defaultQuery, version: '1', ...options});
}

/** What a reader of Markdown sees as code, and what as anything else. */
function readBack(text: string): {readonly code: readonly string[]; readonly plain: string} {
	const code: string[] = [];
	const plain: string[] = [];
	void marked.walkTokens(marked.lexer(text), (token: Token) => {
		if (token.type === 'codespan') {
			code.push(token.text as string);
		} else if (token.type === 'text' && !('tokens' in token && token.tokens)) {
			plain.push(token.text as string);
		} else if (token.type === 'html' || token.type === 'link' || token.type === 'image') {
			plain.push(token.raw);
		}
	});
	return {code, plain: plain.join('\n')};
}

const headings = (text: string) => text.split('\n').filter(line => line.startsWith('## '));

test('a deadlock: the finding, the stack of each thread, and what each holds', () => {
	const text = explained(deadlocked());
	expect(headings(text).slice(0, 2)).toEqual(['## Findings', '## Who holds others up']);
	expect(text).toContain('1. `DEADLOCK: one -> two -> one`\n');
	expect(text).toContain('   - thread `one`:\n     - `A.enter:4`\n');
	expect(text).toContain('- `one` has `java.lang.Object`: 1 wait now, the longest for 50s;');
	expect(text).toContain('is at `A.enter:4`; took it at `A.take:2`; they wait at `A.enter:9`');
});

test('the hottest lines are the program\'s own, with their errors and the stack of the first', () => {
	const text = explained(picture('worker | R30*20 | main:1 | sort:7 | java.util.Arrays.sort:9\nother | R*20 | find:8'));
	expect(text).toMatch(/^## Findings\n\nNone: /m);
	expect(text).toMatch(/^(?:\| \d+\.\d ){2}\| `A\.sort:7` \|\n(?:\| \d+\.\d ){2}\| `A\.find:8` \|\n/m);
	expect(text).toContain([
		'   - stack of the first:', '     - `java.util.Arrays.sort:9`', '     - `A.sort:7`', '     - `A.main:1`',
	].join('\n'));
});

test('of a program that uses no CPU it has the lines where threads wait', () => {
	const text = explained(picture('one | w*9 t | waits:3\ntwo | t*10 | rests:5'));
	expect(text).toContain('| % of their time | threads | line |\n| --: | --: | --- |\n| 50.0 | 1 | `A.rests:5` |');
});

test('of recorded events it has the program\'s lines with most, exceptions with their class, and errors', () => {
	const builder = new SnapshotBuilder();
	const thread = builder.addThread({key: 1, name: safe`main`});
	const [run, copyOf] = [
		builder.addFrame('a.Main', 'run', 'Main.java', 1),
		builder.addFrame('java.util.Arrays', 'copyOf', 'Arrays.java', 9),
	];
	const made = builder.addStack([builder.addFrame('a.NotFound', '<init>', '', -1), run]);
	for (let event = 0; event < 100; event++) {
		builder.countEvent(thread, builder.addStack([copyOf, run]), 'alloc', 2 ** 20);
		builder.countEvent(thread, made, 'exceptions', 3);
		builder.countEvent(thread, builder.addStack([run]), 'starts', 2);
	}

	builder.countEvent(thread, builder.addStack([builder.addFrame('(unattributed)', '(unattributed)', '', -1)]), 'alloc', 100 * (2 ** 20));
	const text = explained(builder.build({session: {durationMs: 2000, eventsMs: 2000, samples: 100}}));
	expect(headings(text).slice(-3)).toEqual([
		'## Lines of the program that allocate most',
		'## Exceptions that the program makes most',
		'## Lines of the program that start most threads',
	]);
	expect(text).toMatch(/^\| 50\.0 \| \d+\.\d \| 50\.0M \| `a\.Main\.run:1` \|$/m);
	expect(text).toMatch(/^\| 100 \| 1\.8 \| 150 \| `a\.NotFound` at `a\.Main\.run:1` \|$/m);
	expect(text).toMatch(/^\| 100 \| 1\.8 \| 100 \| `a\.Main\.run:1` \|$/m);
	expect(text).not.toContain('(unattributed)');
	expect(explained(picture('one | R | a:1'))).not.toContain('allocate');
});

test('facts of the command come first', () => {
	const facts = [{name: safe`host`, value: safe`web-3`}];
	expect(explained(picture('one | R | a:1'), {facts}).split('\n')[2]).toBe('- host: `web-3`');
});

describe('names that are Markdown', () => {
	const names = ['`ls`', '``', '**bold**', '[x](http://y)', '<script>', 'a|b', '![i](j)', '&amp;', '_u_', '\\`'];

	test.each(names)('%s is code, and nothing else', name => {
		const snapshot = new Picture().draw([
			`${name} <- holder@${name}.Take.it:3 | B*9 R9 | ${name}.run:1 | ${name}.go:2`,
			`holder | R30*10 | main:1 | ${name}.spin:7`,
		].join('\n')).build();
		const {code, plain} = readBack(explained(snapshot, {facts: [{name: safe`host`, value: safe`h`}]}));
		expect(code.join('\n')).toContain(`${name}.spin:7`);
		expect(code.join('\n')).toContain(`${name}.go:2`);
		expect(plain).not.toMatch(/\.(?:spin|go|run|it):/);
	});
});

test.each([
	['a service', serviceSnapshots().whole],
	['a hundred deadlocks', new Picture().draw(Array.from({length: 200}, (_, thread) => [
		`t${thread} <- t${thread % 2 === 0 ? thread + 1 : thread - 1}@take:${thread}`,
		'B*5',
		Array.from({length: 40}, (_, depth) => `deep${depth}:${thread}`).join(' | '),
	].join(' | ')).join('\n')).set(Array.from({length: 200}, (_, thread) => `t${thread}`), {sinceMs: 50_000}).build()],
	...Array.from({length: 20}, (_, seed) => [`random ${seed}`, randomSnapshot(seed)] as const),
] as const)('%s is explained in at most 120 lines, with events 140', (_, snapshot) => {
	const notes = Array.from({length: 30}, (_, index) => safe`note ${index}`);
	const facts = Array.from({length: 30}, (_, index) => ({name: safe`fact ${index}`, value: safe`${index}`}));
	const lines = explained(snapshot, {notes, facts}).trimEnd().split('\n');
	expect(lines.length).toBeLessThanOrEqual(snapshot.events.count > 0 ? 140 : 120);
});
