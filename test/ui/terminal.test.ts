import {Buffer} from 'node:buffer';
import {chmodSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {beforeAll, describe, expect, test} from 'vitest';
import {writePprof} from '../../source/exports/pprof/write.js';
import {editorOf} from '../../source/ui/screens/session-effects.js';
import {hostileSnapshot} from '../exports/snapshots.js';
import {beside, closedAfterTest, sharedFolder} from '../helpers/for-test.js';
import {cli} from '../helpers/run.js';
import {recordSpike} from '../helpers/spike.js';
import {type TerminalOptions, TerminalSession} from '../helpers/terminal.js';

const root = path.resolve(import.meta.dirname, '../..');
const saved = path.join(root, 'test/fixtures/exports/shop-jdk17.pb.gz');
const folder = sharedFolder();
const [hostile, recording, editor] = ['hostile.pb.gz', 'spike.tprof', 'editor'].map(name => path.join(folder, name));
const firstLine = /> +\S+ .* demo\.Pricing\.discount:89/;

beforeAll(async () => {
	writeFileSync(hostile, writePprof(hostileSnapshot(), '1.0.0'));
	writeFileSync(editor, '#!/bin/sh\necho "EDITING $* CI=$CI"\nread answer\n');
	chmodSync(editor, 0o755);
	await recordSpike(recording, 100);
});

/** The program on a file, in a pseudo-terminal, up and with its numbers. */
async function start(
	args: readonly string[] = [saved],
	options: TerminalOptions = {},
	ready: string | RegExp = firstLine,
	nodeOptions: readonly string[] = [],
): Promise<TerminalSession> {
	const session
		= closedAfterTest(new TerminalSession(process.execPath, [...nodeOptions, cli, 'open', ...args], options));
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
	// A shell may have asked for the marks itself since.
	expect(session.raw.split('\u001B[?2004l\u001B[?2026l').length).toBe(entered);
}

// They wait for most of their time.
describe.concurrent('leaving gives the terminal back', () => {
	test.for([['q', 0], ['\u0003', 0], ['SIGTERM', 143], ['SIGHUP', 129]] as const)(
		'%j',
		beside(async ([by, exitCode]) => {
			const session = await start();
			if (by === 'SIGTERM' || by === 'SIGHUP') {
				session.signal(by);
			} else {
				session.type(by);
			}

			expect(await session.ended()).toMatchObject({exitCode});
			expectGivenBack(session);
			expect(session.text()).toMatch(/^tprof-top \d+ shop\.jar/);
		}),
	);

	test(
		'an error that nobody caught is printed after leaving',
		beside(async () => {
			const session = await start([saved], {}, firstLine, [
				'--import',
				'data:text/javascript,process.once("SIGUSR2",()=>{throw new Error("something broke")})',
			]);
			session.signal('SIGUSR2');
			expect(await session.ended()).toMatchObject({exitCode: 1});
			expectGivenBack(session);
			expect(session.text()).toContain('something broke');
		}),
	);
});

describe.concurrent('what is seen', () => {
	test('names that no one would choose do no harm', beside(async () => {
		const session = await start([hostile], {}, '[1 Lines]');
		session.type('\u001B[F');
		await session.quiet();
		expect(session.raw).not.toMatch(/\u001B]0;|\u001B\[31mred|\u202E/);
		expect(session.lines().at(-1)).toMatch(/^q:quit/);
	}));

	test('a CI variable in the environment does not stop the drawing', beside(async () => {
		const session = await start([saved], {env: {CI: 'true', CONTINUOUS_INTEGRATION: '1'}});
		await session.typeUntil('?', 'Where CPU time goes');
	}));

	test(
		'the mouse is used unless told not to: reports of buttons in the form that has no limits, none of movements',
		beside(async () => {
			const session = await start();
			expect(session.mouse).toBe('vt200');
			expect(session.raw).toContain('\u001B[?1006h');
			expect(session.raw).not.toMatch(/\?100[23]h/);
			const row = session.lines().findIndex(line => line.includes('demo.Pricing.tax'));
			await session.typeUntil(`\u001B[<0;40;${row + 1}M\u001B[<0;40;${row + 1}m`, /^> .*demo\.Pricing\.tax/m);
			const without = await start([saved, '--no-mouse']);
			expect(without.mouse).toBe('none');
			expect(without.raw).not.toMatch(/\?100\dh/);
			// As a terminal does that a program before us has left in that mode.
			await without.typeUntil(`\u001B[<0;40;${row + 1}M\u001B[<0;40;${row + 1}m?`, 'Where CPU time goes');
			await without.typeUntil('?', firstLine);
		}),
	);
});

describe.concurrent('pasting', () => {
	/** What a terminal sends when this text is pasted. */
	const pasted = (text: string) => `\u001B[200~${text.replaceAll('\n', '\r')}\u001B[201~`;
	const lines = 'at demo.Ledger.post(Shop.java:122)\nat demo.Shop.worq(Shop.java:57)\nq\n';

	test('a paste is text in the filter, and nothing elsewhere', beside(async () => {
		const session = await start();
		expect(session.marksPastes).toBe(true);
		const before = session.text();
		session.type(pasted(lines));
		expect(await session.typeUntil('?', 'Where CPU time goes')).not.toContain('stopped');
		session.type(pasted(lines));
		await session.typeUntil('?', firstLine);
		expect(session.text()).toBe(before);
		await session.typeUntil(`/${pasted('Ledger\nstate:B\n')}`, /^filter: Ledger state:B/m);
		await session.typeUntil('\r', /filter: Ledger state:B/);
		await session.quit();
		expectGivenBack(session);
	}));

	test(
		'Ctrl-C ends the program behind 30 KB that were pasted into a terminal that does not mark pastes',
		beside(async () => {
			const session = await start([saved], {columns: 200, rows: 60});
			// Sorts, reverses, changes views and scopes: each of them a new table.
			session.type(`${'<>RIcil%\t'.repeat(3400)}\u0003`);
			expect(await session.ended()).toMatchObject({exitCode: 0});
			expectGivenBack(session);
		}),
	);
});

describe.concurrent('any size', () => {
	test(
		'1 x 1',
		beside(async () => {
			const session
				= closedAfterTest(new TerminalSession(process.execPath, [cli, 'open', saved], {columns: 1, rows: 1}));
			await session.until(() => session.isAlternate, 'the alternate screen');
			await session.quiet(0, 400);
			expect(session.raw.split('\u001B[?1049h')).toHaveLength(2);
			session.type('q');
			expect(await session.ended()).toMatchObject({exitCode: 0});
			expectGivenBack(session);
		}),
	);

	test(
		'a resize at any time draws the screen anew and whole',
		beside(async () => {
			const session = await start();
			for (const [columns, rows] of [[120, 40], [60, 10], [1, 1], [200, 50], [80, 24]] as const) {
				session.resize(columns, rows);
				await session.quiet(0, 300);
			}

			await session.until(() => {
				const lines = session.lines();
				// The terminal keeps the lower lines of a higher screen until it is drawn anew.
				return /^shop\.jar {2}pid \d+ .*RECORDED/.test(lines[0]) && /^ +CPU%/.test(lines[4])
					&& firstLine.test(lines[5]) && lines[23].startsWith('q:quit');
			}, 'the whole screen at its last size');
		}),
	);

	test(
		'a terminal that says it has no columns is 80 x 24',
		beside(async () => {
			const session
				= closedAfterTest(new TerminalSession('/bin/sh', [
					'-c',
					`stty cols 0 rows 0; exec '${process.execPath}' '${cli}' open '${saved}'`,
				]));
			await session.until(firstLine);
			expect(session.lines()[0]).toHaveLength(79);
			expect(session.lines()[23]).toMatch(/^q:quit/);
		}),
	);
});

describe.concurrent('what is written', () => {
	test(
		'nothing while nothing changes, two lines for a move of the cursor, less than 3 KB where rows change',
		beside(async () => {
			const session = await start([recording], {}, 'Calm.tick:3');
			await session.quiet();
			// The minute of the clock may change once.
			const before = session.raw.length;
			await sleep(600);
			const inFrames = /\u001B\[\?2026[hl]|\r?\u001B\[\d*[HBK]|\u001B\[[\d;]*m/g;
			expect(session.raw.slice(before).replaceAll(inFrames, '').length).toBeLessThan(120);
			for (const [key, most] of [['j', 400], ['[', 3000], ['[', 3000]] as const) {
				const {length} = session.raw;
				const screen = session.text();
				await session.typeUntil(key, changed => changed !== screen, `another screen after ${key}`);
				const bytes = await session.quiet(length);
				expect(bytes.length).toBeLessThan(most);
			}
		}),
	);

	test('frames are left out while the terminal does not take them, and a signal ends it', beside(async () => {
		const session = await start([saved], {columns: 200, rows: 60});
		await session.quiet(0, 50);
		const frames = () => session.raw.split('\u001B[?2026h').length;
		const before = frames();
		session.stopReading();
		for (let redraw = 0; redraw < 60; redraw++) {
			session.type('\f');
			await sleep(30);
		}

		session.readAgain();
		await session.typeUntil('?', 'Where CPU time goes');
		// What the pipes between hold is a few frames of this size.
		expect(frames() - before).toBeLessThan(40);
		session.type('q');
		session.stopReading();
		await sleep(1000);
		session.signal('SIGTERM');
		expect(await session.isGone()).toBe(true);
	}));
});

/**
Control sequences that xterm, tmux, screen, mosh and the Linux console know alike: each is in their terminfo, or in the
sources of mosh (terminalfunctions.cc) and Linux (vt.c).
*/
const known = [
	/^\u001B\[(?:\d+(?:;\d+)?)?H$/, // CUP
	/^\u001B\[\d*[ABCD]$/, // CUU, CUD, CUF, CUB
	/^\u001B\[[0-2]?[JK]$/, // ED, EL
	/^\u001B\[(?:\d+(?:;\d+)*)?m$/, // SGR
	/^\u001B\[\?(?:7|25)[hl]$/, // DECAWM, DECTCEM
];

/** Modes that not all of them have. The others ignore them, and nothing that is drawn depends on them. */
const ignored = /^\u001B\[\?(?:1000|1006|1049|2004|2026)[hl]$/;

/** Control sequences (CSI), two-character escapes and control characters. */
const controls = /\u001B\[[\u0020-\u003F]*[\u0040-\u007E]|\u001B[^[]|[\u0000-\u001A\u001C-\u001F\u007F-\u009F]/g;

describe.concurrent('what terminals know', () => {
	test(
		'is all that is written, in all views and layers, after a resize and Ctrl-Z',
		beside(async () => {
			const session = await start([recording], {columns: 160, rows: 50}, 'Calm.tick:3');
			const keys = [
				'j',
				'k',
				'\r',
				'\u001B',
				'?',
				'?',
				'x',
				'\u001B',
				'/Calm\r',
				'\u001A',
				'[',
				'[',
				']',
				'<',
				'R',
				'%',
			];
			for (const key of [...keys, ...'\t'.repeat(12)]) {
				const {length} = session.raw;
				session.type(key);
				await session.until(
					() => session.raw.length > length,
					`something to be drawn after ${JSON.stringify(key)}`,
				);
				await session.quiet(0, 50);
			}

			session.resize(80, 24);
			await session.quiet(0, 300);
			await session.quit();
			const written = new Set(session.raw.slice(0, session.raw.lastIndexOf('\u001B[?1049l')).match(controls));
			expect(written).toContain('\u001B[?2004h');
			const patterns = [...known, ignored, /^[\r\n]$/];
			expect([...written].filter(sequence => !patterns.some(pattern => pattern.test(sequence)))).toEqual([]);
		}),
	);

	test('without a UTF-8 locale only ASCII is written, whatever the names in the target', beside(async () => {
		const env = {LC_ALL: undefined, LC_CTYPE: undefined, LANG: 'de_DE.ISO-8859-1'};
		const session = await start([hostile], {env}, '[1 Lines]');
		for (const key of '\t'.repeat(8)) {
			session.type(key);
			await session.quiet();
		}

		await session.quit();
		// After it comes a report.
		expect(session.raw.slice(0, session.raw.lastIndexOf('\u001B[?1049l'))).toMatch(/^[\u0000-\u007E]*$/);
	}));

	test(
		'a dumb one gets a report, and is not drawn on',
		beside(async () => {
			const session
				= closedAfterTest(new TerminalSession(process.execPath, [cli, 'open', saved], {env: {TERM: 'dumb'}}));
			expect(await session.ended()).toMatchObject({exitCode: 0});
			expect(session.raw).not.toContain('\u001B');
			expect(session.scrollback()).toContain('demo.Pricing.discount:89');
		}),
	);
});

describe.concurrent('suspending', () => {
	test(
		'Ctrl-Z gives the terminal to the shell, fg brings the screen back whole',
		beside(async () => {
			const session
				= closedAfterTest(new TerminalSession('/bin/bash', ['--norc', '--noprofile', '-i'], {
					env: {PS1: 'shell> '},
				}));
			await session.until('shell>');
			await session.typeUntil(`'${process.execPath}' '${cli}' open '${saved}'\r`, firstLine);
			await session.typeUntil('\u001A', /Stopped/);
			expect(session.isAlternate).toBe(false);
			expect(session.mouse).toBe('none');
			const isBack = () => session.isAlternate && session.mouse === 'vt200' && session.marksPastes;
			await session.typeUntil('fg\r', isBack, 'the alternate screen');
			await session.until(firstLine);
			await session.typeUntil('j', /^> .*demo\.Pricing\.tax/m);
			expect(session.lines()[0]).toMatch(/^shop\.jar {2}pid \d+/);
			expect(session.lines()[23]).toMatch(/^q:quit/);
			await session.typeUntil('q', /^tprof-top \d+ shop\.jar/m);
			expectGivenBack(session);
		}),
	);

	test(
		'without a shell to take over, the screen just comes back',
		beside(async () => {
			const session = await start();
			await session.typeUntil(
				'\u001A',
				() => session.raw.split('\u001B[?1049h').length === 3,
				'the screen to come back',
			);
			await session.typeUntil('?', 'Where CPU time goes');
		}),
	);
});

test.concurrent(
	'a page on what is wrong is copied',
	beside(async () => {
		const session = await start([saved]);
		await session.typeUntil('Y', 'copied a page of Markdown');
		const [, page] = /\u001B]52;c;([\w+/=]+)\u0007/.exec(session.raw)!;
		expect(Buffer.from(page, 'base64').toString()).toMatch(/^# `tprof-top [^]*^## Findings$[^]*^\| /m);
	}),
);

/** A q within half a second of one that closed a layer does nothing. */
const pastSecondQ = async () => sleep(600);

describe.concurrent('a row\'s detail', () => {
	test(
		'has the line\'s source with figures beside it, which is opened in the editor, and its location is copied',
		beside(async () => {
			const session = await start([saved, '--source', path.join(root, 'demo/src')], {
				env: {VISUAL: undefined, EDITOR: `${editor} -x`, CI: 'yes'},
			});
			await session.typeUntil('\r', /^ +88 {5}static long discount\(long price\) {$/m);
			await session.until(/\d+ +\d+ >89 {9}for \(int i = 0;/);
			await session.typeUntil('y', 'copied Shop.java:89');
			expect(session.raw).toContain(`\u001B]52;c;${Buffer.from('Shop.java:89').toString('base64')}\u0007`);
			await session.typeUntil('e', `EDITING -x +89 ${root}/demo/src/demo/Shop.java CI=yes`);
			expect(session.isAlternate).toBe(false);
			// It is the editor's key now.
			session.signal('SIGINT');
			await session.typeUntil('q\r', () => session.isAlternate, 'the screen again');
			await session.until('SOURCE Shop.java');
			await session.typeUntil('q', '[1 Lines]');
			await pastSecondQ();
			session.type('q');
			expect(await session.ended()).toMatchObject({exitCode: 0});
		}),
	);

	test(
		'says why there is no source, or no editor',
		beside(async () => {
			const session = await start([saved, '--source', path.join(root, 'demo/src')], {
				env: {VISUAL: '/no/such/editor', EDITOR: editor},
			});
			await session.typeUntil('e', 'cannot start /no/such/editor (ENOENT)');
			await session.typeUntil('/mergeLo\re', 'no source of ComparableTimSort.java found');
		}),
	);

	test('leads with Enter from who holds the lock to that thread, Tab to others, and q back', beside(async () => {
		const session = await start();
		await session.typeUntil('/Ledger\r\r', /^>\s+\d+ {2}checkout-\d holds demo\.Ledger$/m);
		await session.typeUntil('\r', /^checkout-3\n[^]*holds demo\.Ledger$/m);
		await session.typeUntil('\t\r', /^checkout-4$/m);
		await session.typeUntil('q', /^checkout-3$/m);
		await pastSecondQ();
		await session.typeUntil('q', /^demo\.Ledger\.post:122$/m);
	}));
});

test.each([
	[{VISUAL: 'code -w', EDITOR: 'nano'}, ['code', '-w']],
	[{VISUAL: ' ', EDITOR: 'nano'}, ['nano']],
	[{}, ['vi']],
])('the editor of %j is %j', (environment, words) => {
	expect(editorOf(environment)).toEqual(words);
});
