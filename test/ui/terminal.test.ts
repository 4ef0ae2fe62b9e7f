import {fileURLToPath} from 'node:url';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {beforeAll, describe, expect, test} from 'vitest';
import {bundle} from '../helpers/bundle.js';
import {type TerminalOptions, TerminalSession} from '../helpers/terminal.js';
import {beside, closedAfterTest} from '../helpers/for-test.js';

let program = '';

beforeAll(async () => {
	program = fileURLToPath(await bundle('test/helpers/ui-program.ts'));
});

/** The screen in a pseudo-terminal, up and with its first numbers. */
async function start(words: readonly string[] = [], options: TerminalOptions = {}, ready: string | RegExp = 'Worker0.step:16'): Promise<TerminalSession> {
	const session = closedAfterTest(new TerminalSession(process.execPath, [program, ...words], options));
	await session.until(ready);
	return session;
}

/**
Whether a terminal was given back whole: normal screen, cursor shown, wrapping on, what was printed afterwards on it.
*/
function expectGivenBack(session: TerminalSession): void {
	expect(session.isAlternate).toBe(false);
	const entered = session.raw.split('\u001B[?1049h').length;
	expect(session.raw.split('\u001B[?1049l').length).toBe(entered);
	const end = session.raw.slice(session.raw.lastIndexOf('\u001B[?1049h'));
	expect(end).toContain('\u001B[?25h');
	expect(end).toContain('\u001B[?7h');
	expect(end.lastIndexOf('\u001B[?25h')).toBeGreaterThan(end.lastIndexOf('\u001B[?25l'));
	expect(session.mouse).toBe('none');
}

// They wait for most of their time.
describe.concurrent('leaving gives the terminal back', () => {
	test.for([['q', 'q'], ['Ctrl-C', '\u0003']])('%s', beside(async ([, keys]) => {
		const session = await start();
		session.type(keys);
		expect(await session.ended()).toMatchObject({exitCode: 0});
		expectGivenBack(session);
		expect(session.text()).toMatch(/^left: quit \d+ samples$/);
	}));

	test.for(['SIGTERM', 'SIGHUP'] as const)('%s', beside(async signal => {
		const session = await start();
		session.signal(signal);
		expect(await session.ended()).toMatchObject({exitCode: 0});
		expectGivenBack(session);
		expect(session.text()).toContain(`left: signal ${signal}`);
	}));

	test('a terminal window that is closed', beside(async () => {
		const session = await start(['delay=100']);
		session.closeWindow();
		expect(await session.isGone()).toBe(true);
	}));

	test('an error that nobody caught is printed after leaving', beside(async () => {
		const session = await start(['crash'], {}, 'com.acme.Main');
		session.signal('SIGUSR2');
		expect(await session.ended()).toMatchObject({exitCode: 1});
		expectGivenBack(session);
		expect(session.text()).toBe('error: something broke');
	}));
});

describe.concurrent('what is seen', () => {
	test('the screen holds still while it is paused, and says how many samples came', beside(async () => {
		const session = await start(['delay=100']);
		session.type(' ');
		await session.until(/PAUSED \+[1-9]\d* samples/);
		session.type(' ');
		await session.until(/LIVE \d\d:\d\d/);
		session.type('o');
		await session.until('STOPPED');
	}));

	test('names that no one would choose do no harm', beside(async () => {
		const session = await start(['hostile'], {}, 'clearWorker0.step');
		await session.quiet();
		expect(session.raw).not.toContain('\u001B[2Jclear');
		expect(session.raw).not.toContain('\u001B]0;');
		session.type('\u001B[F');
		await session.until(/>.*Worker/);
		expect(session.lines()[0]).toMatch(/ pid 12345 /);
		expect(session.lines().at(-1)).toMatch(/^q:quit/);
	}));

	test('a CI variable in the environment does not stop the drawing', beside(async () => {
		const session = await start([], {env: {CI: 'true', CONTINUOUS_INTEGRATION: '1'}});
		session.type('?');
		await session.until('Where CPU time goes');
	}));

	test('the mouse is used unless told not to: reports of buttons in the form that has no limits, none of movements', beside(async () => {
		const session = await start(['still']);
		expect(session.mouse).toBe('vt200');
		expect(session.raw).toContain('\u001B[?1006h');
		expect(session.raw).not.toMatch(/\?100[23]h/);
		const row = session.lines().findIndex(line => line.includes('Worker1.step'));
		session.type(`\u001B[<0;40;${row + 1}M\u001B[<0;40;${row + 1}m`);
		await session.until(/^> .*Worker1\.step/m);
		const without = await start(['still', 'mouseless']);
		expect(without.mouse).toBe('none');
		expect(without.raw).not.toMatch(/\?100\dh/);
		// As a terminal does that a program before us has left in that mode.
		without.type(`\u001B[<0;40;${row + 1}M\u001B[<0;40;${row + 1}m `);
		await without.until('paused');
		expect(without.lines()[row]).toMatch(/^ .*Worker1\.step/);
	}));
});

describe.concurrent('choosing a JVM', () => {
	test('the list is live, the cursor stays on its JVM, and the terminal is given back before the next screen', beside(async () => {
		const session = await start(['choose'], {}, 'com.acme.Main2');
		// End and Up, as others come on top meanwhile.
		session.type('\u001B[F\u001B[A\r');
		await session.until('101: it is still starting up');
		await session.until(/com\.acme\.Main4[^]*> +101 /);
		session.type('main0');
		await session.until(/filter: main0[^]*> +100 /);
		session.type('\r');
		await session.ended();
		expectGivenBack(session);
		expect(session.text()).toBe('chosen: 100');
	}));

	test('Esc leaves without a choice', beside(async () => {
		const session = await start(['choose'], {}, 'com.acme.Main2');
		session.type('\u001B');
		await session.ended();
		expectGivenBack(session);
		expect(session.text()).toBe('chosen: undefined');
	}));
});

describe.concurrent('any size', () => {
	test('1 x 1', beside(async () => {
		const session = closedAfterTest(new TerminalSession(process.execPath, [program], {columns: 1, rows: 1}));
		await session.until(() => session.isAlternate, 'the alternate screen');
		await session.quiet(0, 400);
		expect(session.raw.split('\u001B[?1049h')).toHaveLength(2);
		session.type('q');
		expect(await session.ended()).toMatchObject({exitCode: 0});
		expectGivenBack(session);
	}));

	test('a resize at any time draws the screen anew and whole', beside(async () => {
		const session = await start(['still']);
		for (const [columns, rows] of [[120, 40], [60, 10], [1, 1], [200, 50], [80, 24]] as const) {
			session.resize(columns, rows);
			await session.quiet(0, 300);
		}

		await session.until(() => {
			const lines = session.lines();
			// The terminal keeps the lower lines of a higher screen until it is drawn anew.
			return lines[0].startsWith('com.acme.Main') && lines.join('\n').includes('Worker0.step:16') && lines[23].startsWith('q:quit');
		}, 'the whole screen at its last size');
		const lines = session.lines();
		expect(lines[0]).toMatch(/^com\.acme\.Main {2}pid 12345 .*LIVE \d\d:\d\d/);
		// The first finding has two lines.
		expect(lines[6]).toMatch(/^ +CPU%/);
		expect(lines[23]).toMatch(/^q:quit/);
	}));

	test('a terminal that says it has no columns is 80 x 24', beside(async () => {
		const session = closedAfterTest(new TerminalSession('/bin/sh', ['-c', `stty cols 0 rows 0; exec '${process.execPath}' '${program}'`]));
		await session.until('Worker0.step:16');
		expect(session.lines()[0]).toHaveLength(79);
		expect(session.lines()[23]).toMatch(/^q:quit/);
	}));
});

describe.concurrent('what is written', () => {
	test('nothing while nothing changes, two lines for a move of the cursor', beside(async () => {
		const session = await start(['still', 'delay=100']);
		await session.quiet();
		// The minute of the clock may change once.
		const before = session.raw.length;
		await sleep(600);
		expect(session.raw.slice(before).replaceAll(/\u001B\[\?2026[hl]|\u001B\[\d*[HEK]|\u001B\[[\d;]*m/g, '').length).toBeLessThan(120);
		const rested = session.raw.length;
		const screen = session.text();
		session.type('j');
		await session.until(changed => changed !== screen, 'the cursor on another line');
		const bytes = await session.quiet(rested);
		expect(bytes.length).toBeLessThan(400);
	}));

	test('a refresh that changes rows is less than 3 KB', beside(async () => {
		const session = await start(['delay=500']);
		const {length} = await session.quiet(0, 300);
		const before = session.raw.split('\u001B[?2026h').length;
		await session.until(() => session.raw.split('\u001B[?2026h').length >= before + 4, 'four refreshes');
		const frames = session.raw.slice(length).split('\u001B[?2026h').slice(1, 4);
		for (const frame of frames) {
			expect(frame.length).toBeLessThan(3000);
		}
	}));

	test('frames are left out while the terminal does not take them, and a signal ends it', beside(async () => {
		const session = await start(['delay=100', 'rows=200'], {columns: 200, rows: 60});
		await session.quiet(0, 50);
		const frames = () => session.raw.split('\u001B[?2026h').length;
		const before = frames();
		session.stopReading();
		await sleep(4000);
		session.readAgain();
		session.type('?');
		await session.until('Where CPU time goes');
		// Forty refreshes were due; what the pipes between hold is a few frames of this size.
		expect(frames() - before).toBeLessThan(25);
		session.type('q');
		session.stopReading();
		await sleep(2500);
		session.signal('SIGTERM');
		expect(await session.isGone()).toBe(true);
	}));
});

describe.concurrent('suspending', () => {
	test('Ctrl-Z gives the terminal to the shell, fg brings the screen back whole', beside(async () => {
		const session = closedAfterTest(new TerminalSession('/bin/bash', ['--norc', '--noprofile', '-i'], {env: {PS1: 'shell> '}}));
		await session.until('shell>');
		session.type(`'${process.execPath}' '${program}' still\r`);
		await session.until('Worker0.step:16');
		session.type('\u001A');
		await session.until(/Stopped/);
		expect(session.isAlternate).toBe(false);
		expect(session.mouse).toBe('none');
		session.type('fg\r');
		await session.until(() => session.isAlternate && session.mouse === 'vt200', 'the alternate screen');
		await session.until('Worker0.step:16');
		session.type('j');
		await session.until(/^> .*Worker1\.step/m);
		expect(session.lines()[0]).toMatch(/^com\.acme\.Main {2}pid 12345/);
		expect(session.lines()[23]).toMatch(/^q:quit/);
		session.type('q');
		await session.until(/left: quit/);
		expectGivenBack(session);
	}));

	test('without a shell to take over, the screen just comes back', beside(async () => {
		const session = await start(['still']);
		session.type('\u001A');
		await session.until(() => session.raw.split('\u001B[?1049h').length === 3, 'the screen to come back');
		session.type('?');
		await session.until('Where CPU time goes');
	}));

	test('so it does while a JVM is chosen, and a letter behind Ctrl-Z or Ctrl-L in the same read filters', beside(async () => {
		const session = await start(['choose'], {}, 'com.acme.Main2');
		session.type('\u001Am');
		await session.until(() => session.raw.split('\u001B[?1049h').length === 3, 'the screen to come back');
		await session.until(/filter: m$/m);
		const cleared = () => session.raw.split('\u001B[0m\u001B[2J').length;
		const before = cleared();
		session.type('\fain0');
		await session.until(/filter: main0[^]*> +100 /);
		expect(cleared()).toBeGreaterThan(before);
	}));
});
