/* eslint-disable unicorn/no-await-expression-member -- A screen is looked at where it is spoken of. */
import {describe, expect, test} from 'vitest';
import type {SourceStatus} from '../../source/model/source.js';
import type {ComponentScreen} from '../helpers/component-screen.js';
import {picture} from '../helpers/picture.js';
import {openScreen, storeOf} from '../helpers/session-screen.js';
import {report, taskReport} from '../helpers/reports.js';

const snapshot = {...picture('main\nR\na.B.c:1'), traces: report, tasks: taskReport};
let screen: ComponentScreen;

/** The screen with a view of it, after some keys. */
async function shown(view: string, ...keys: readonly string[]): Promise<string[]> {
	return shownOf({phase: 'recording', stale: false}, view, keys);
}

async function shownOf(status: SourceStatus, view: string, keys: readonly string[]): Promise<string[]> {
	const store = storeOf(() => snapshot, {status: () => status});
	store.refresh();
	screen = openScreen(store, {columns: 100, rows: 24}, {view: {view}});
	await screen.press(...keys);
	return screen.lines();
}

describe('the Traces view', () => {
	test('l shows the tree of calls, then that of each thread, whose rows open and close', async () => {
		expect((await shown('traces')).join('\n')).toMatch(/a\.B\.outer\n/);
		expect((await shown('traces', 'l')).join('\n')).toMatch(/- a\.B\.outer *\n.* {3}a\.B\.in<&>ner *\n.* {3}a\.B\.outer/);
		expect((await shown('traces', 'l', 'left')).join('\n')).toMatch(/\+ a\.B\.outer *\n(?!.*ner)/);
		const lines = await shown('traces', 'l', 'l', 'right');
		expect(lines.join('\n')).toMatch(/- t "1" *\n.* - a\.B\.outer *\n.* {3}a\.B\.outer *\n.*\+ \(ended threads\)/);
	});

	test('the detail of a row has its slowest traces whole: when each call began, its time, its own', async () => {
		expect((await shown('traces', 'enter')).join('\n')).toMatch(/SLOW TRACE \(began, time, own\): 2\.00ms in t "1", 1000-1 *\n +0ns {2}2\.00ms {2}1\.80ms {2}a\.B\.outer \(exception\) *\n +500us +200us +200us {3}a\.B\.in<&>ner/);
	});
});

test('before a method is traced what that does to the JVM stands below the question', async () => {
	const traceNote = 'Enter loads an agent into JVM 7 (JDK 21), which finds how many methods match. Nothing is traced before you have confirmed.';
	const lines = await shownOf({phase: 'sampling', stale: false, traceNote}, 'lines', ['M']);
	const at = lines.findIndex(line => line.startsWith('trace: a.B.c'));
	expect(lines.slice(at + 1).join(' ').replaceAll(/\s+/g, ' ')).toContain(traceNote);
	expect(lines.at(-1)).toContain('Enter:look up');
	expect((await shownOf({phase: 'sampling', stale: false}, 'lines', ['M'])).join('\n')).not.toContain('Enter loads');
});

test.each(['traces', 'tasks'])('no key of a row of %s is offered that does nothing', async view => {
	const line = (await shown(view, 'enter')).at(-1)!;
	expect(line).toContain('q:back');
	expect(line).not.toMatch(/Tab:|Enter:/);
	expect((await shown('lines', 'enter')).at(-1)).toMatch(/Tab:next +Enter:open/);
});
