import {describe, expect, test} from 'vitest';
import type {SourceStatus} from '../../source/model/source.js';
import type {ComponentScreen} from '../helpers/component-screen.js';
import {picture} from '../helpers/picture.js';
import {screenOf} from '../helpers/session-screen.js';
import {report, taskReport} from '../helpers/reports.js';

const snapshot = {...picture('main | R | a.B.c:1'), traces: report, tasks: taskReport};
const recording: SourceStatus = {phase: 'recording', stale: false};
const open = (view: string, status = recording): ComponentScreen => screenOf(snapshot, {columns: 100, view: {view}, status});

describe('the Traces view', () => {
	test('l shows the tree of calls, then that of each thread, whose rows open and close', async () => {
		const screen = open('traces');
		expect(await screen.text()).toMatch(/a\.B\.outer\n/);
		expect(await screen.text('l')).toMatch(/- a\.B\.outer *\n.* {3}a\.B\.in<&>ner *\n.* {3}a\.B\.outer/);
		expect(await screen.text('left')).toMatch(/\+ a\.B\.outer *\n(?!.*ner)/);
		expect(await open('traces').text('l', 'l', 'right')).toMatch(/- t "1" *\n.* - a\.B\.outer *\n.* {3}a\.B\.outer *\n.*\+ \(ended threads\)/);
	});

	test('the detail of a row has its slowest traces whole: when each call began, its time, its own', async () => {
		expect(await open('traces').text('enter')).toMatch(/SLOW TRACE \(began, time, own\): 2\.00ms in t "1", 1000-1 *\n +0ns {2}2\.00ms {2}1\.80ms {2}a\.B\.outer \(exception\) *\n +500us +200us +200us {3}a\.B\.in<&>ner/);
	});
});

test('before a method is traced what that does to the JVM stands below the question', async () => {
	const traceNote = 'Enter loads an agent into JVM 7 (JDK 21), which finds how many methods match. Nothing is traced before you have confirmed.';
	const text = await open('lines', {phase: 'sampling', stale: false, traceNote}).text('M');
	expect(text.replaceAll(/\s+/g, ' ')).toMatch(/ trace: a\.B\.c.* Enter loads an agent .* you have confirmed\. .*Enter:look up/);
	expect(await open('lines', {phase: 'sampling', stale: false}).text('M')).not.toContain('Enter loads');
});

test.each(['traces', 'tasks'])('no key of a row of %s is offered that does nothing', async view => {
	expect(await open(view).text('enter')).toMatch(/\n(?!.*(?:Tab|Enter):).*q:back.*$/);
	expect(await open('lines').text('enter')).toMatch(/Tab:next +Enter:open.*$/);
});
