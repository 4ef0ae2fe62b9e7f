import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {describe, expect, test} from 'vitest';
import {views} from '../../source/views/view-registry.js';
import {readPprof} from '../../source/exports/pprof/read.js';
import {isNewestOrAskedFor, jdks, startShop} from '../helpers/jvm.js';
import {TerminalSession} from '../helpers/terminal.js';
import {cli} from '../helpers/run.js';
import {
	beside,
	closedAfterTest,
	folderForTest,
	javaForTest,
	sharedShop,
	stoppedAfterTest,
} from '../helpers/for-test.js';

/** What is left by one test is not what another one opens again. */
function open(at: string, ...args: string[]): TerminalSession {
	return closedAfterTest(new TerminalSession(process.execPath, [
		cli,
		'--snapshot-dir',
		at,
		'--max-overhead',
		'100',
		...args,
	], {env: {XDG_STATE_HOME: path.join(at, 'state')}}));
}

/** The rows of the table on an 80 x 24 screen, without the mark of the selection. */
function rows(screen: string): string[] {
	const lines = screen.split('\n');
	return lines.slice(lines.findIndex(line => /(?:CPU|BLK|WAIT|TICK)%/.test(line)) + 1, -1).map(line => line.slice(1))
		.filter(line => line.trim() !== '');
}

/** Alone: a process that is started meanwhile would inherit the terminal and keep it open. */
test('its window closed, it ends without a word', async () => {
	const target = stoppedAfterTest(await startShop({jdk: jdks().at(-1)!}));
	const outcome = folderForTest();
	const [words, code] = [path.join(outcome, 'words'), path.join(outcome, 'code')];
	// The shell outlives the signal that says so, to see how its child ends.
	const session = new TerminalSession('sh', [
		'-c',
		'trap "" HUP; "$@" 2>"$0/words"; echo $? >"$0/code"',
		outcome,
		process.execPath,
		cli,
		'--snapshot-dir',
		outcome,
		String(target.pid),
	]);
	await session.until('demo.Pricing.discount');
	session.closeWindow();
	expect(await session.isGone()).toBe(true);
	// The shell's own word for such an end.
	expect(readFileSync(words, 'utf8')).toMatch(/^(?:Hangup\n)?$/);
	expect(readFileSync(code, 'utf8')).toBe('129\n');
});

describe.concurrent.each(jdks().filter(({release}) => isNewestOrAskedFor(release)))(
	'the live view on JDK $release',
	on => {
		const shared = sharedShop({jdk: on});

		test(
			'the first shares are shown soon, however long the delay and the interval',
			{concurrent: false},
			beside(async () => {
				const session = open(folderForTest(), String(shared.java.pid), '-d', '60', '--interval', '2000');
				await session.until(/^> +(?:[1-9]\d*\.\d|100) /m, 'a share of CPU time');
				await session.quit();
			}),
		);

		test(
			'start, filter, drill down, save, quit: the terminal is given back and a summary stays',
			{concurrent: false},
			beside(async () => {
				const at = folderForTest();
				const session = open(at, String(shared.java.pid));
				await session.until('demo.Pricing.discount');
				expect(session.isAlternate).toBe(true);

				await session.typeUntil('/Ledger state:B\r', screen => {
					const shown = rows(screen);
					return shown.length > 0 && shown.every(row => row.includes('Ledger') || row.includes('blocked'));
				}, 'only the ledger');

				await session.typeUntil('\r', 'holds demo.Ledger');
				await session.until(/is now at demo\.\w+\.\w+:\d+/);
				await session.typeUntil('\u001B', 'BLK%');
				await session.typeUntil('\u001B', 'demo.Pricing.discount');

				await session.typeUntil('\t', '[2 Threads]');
				await session.until('pricing-*');
				const message = await session.typeUntil('s', /saved tprof-\d+-\d+T\d+Z\.pb\.gz/);
				const file = /tprof-\d+-\d+T\d+Z\.pb\.gz/.exec(message)![0];

				session.type('\u001B[Z');
				// With a twentieth of a core the method is among the five hottest, even if the host is busy.
				const isMeasured = (screen: string) => /since start (?:[2-9]|\d\d|\d+m\d+)s/.test(screen)
					&& /^.\s*(?:[5-9]|\d\d|1\d\d)(?:\.\d)? .*Pricing\.discount/m.test(screen);
				await session.until(isMeasured, 'much CPU time at a line');
				await session.quit();
				expect(session.isAlternate).toBe(false);
				expect(session.scrollback()).toContain(`tprof-top ${shared.java.pid}`);
				expect(session.scrollback()).toContain('demo.Pricing.discount');
				const snapshot = readPprof(readFileSync(path.join(at, file)));
				expect(snapshot.target.pid).toBe(shared.java.pid);
				expect(snapshot.counters.ticks.slice(0, snapshot.counters.count).reduce((sum, ticks) => sum + ticks, 0))
					.toBe(snapshot.session.threadSamples);
				expect(readFileSync(path.join(at, file.replace('.pb.gz', '.txt')), 'utf8'))
					.toContain('demo.Pricing.discount');
				expect(readdirSync(at).filter(name =>
					name !== 'state' && !/^tprof-\d+-\d+T\d+Z(-\d+)?\.(pb\.gz|txt)$/.test(name))).toEqual([]);

				// What was left is kept too, all of it.
				expect(session.scrollback()).toContain('tprof-top open --last');
				const last = open(at, 'open', '--last');
				await last.until('demo.Pricing.discount');
				expect(last.lines()[0]).toContain('shop.jar');
				await last.quit();
			}),
		);
	},
);

describe.concurrent('the summary says what the run was about', () => {
	test.for(['trace', 'M'])(
		'traced methods, and nothing of the tool\'s own (%s)',
		beside(async way => {
			const target = await javaForTest('KnownTraces');
			const session = way === 'trace'
				? open(folderForTest(), 'trace', String(target.pid), 'KnownTraces#busy', '--yes')
				: open(folderForTest(), String(target.pid));
			if (way === 'M') {
				await session.until(/^> .*KnownTraces/m);
				await session.typeUntil('M', 'Enter:look up');
				await session.typeUntil('\u0015KnownTraces#busy\r', '[y/N]');
				await session.typeUntil('y\r', 'the Traces view has them');
				session.type('\t'.repeat(views.findIndex(({id}) => id === 'traces')));
			}

			await session.until(/\[(?:\d )?Traces][^]*^> .*KnownTraces\.busy/m);
			// Its hooks are on the stacks by now.
			await session.until(/since start (?:[3-9]|\d\d)s/);
			await session.quit();
			expect(session.scrollback())
				.toMatch(/^KnownTraces\.busy: [\d.]+[kM]? calls, mean [\d.]+[num]?s, longest [\d.]+[num]?s/m);
			expect(session.scrollback()).not.toMatch(/tprof\.(?:agent|stub|\w*Hooks)/);
		}),
	);
});

test.concurrent(
	'where the locale is not UTF-8, the screen and the summary that stays are ASCII',
	beside(async () => {
		const {pid} = await javaForTest('Situations', {args: ['deadlockOfUmlauts']});
		for (const LC_ALL of ['C', 'de_DE.ISO-8859-1']) {
			const at = folderForTest();
			const args = [cli, '--snapshot-dir', at, String(pid)];
			const session
				= closedAfterTest(new TerminalSession(process.execPath, args, {env: {XDG_STATE_HOME: at, LC_ALL}}));
			await session.until('DEADLOCK: Schl?ssel-');
			await session.quit();
			expect(session.scrollback()).toContain('DEADLOCK: Schl?ssel-');
			expect(session.raw).toMatch(/^[\0-~]*$/);
		}
	}),
);

test.concurrent(
	'a JVM is opened from the table, which goes on where it was after Esc; q leaves, from both',
	beside(async () => {
		const {pid} = await javaForTest('ParkedAndEcho');
		const session = open(folderForTest());
		await session.until(String(pid));
		// What is behind Ctrl-Z or Ctrl-L in the same read counts too.
		await session.typeUntil(
			'\u001A/p',
			() => session.raw.split('\u001B[?1049h').length === 3,
			'the screen to come back',
		);
		await session.until(/filter: p_/);
		await session.typeUntil(`\farked ${pid}`, new RegExp(`> *${pid} [^]*filter: parked ${pid}_`));
		await session.typeUntil('\r\r', new RegExp(`^ParkedAndEcho {2}pid ${pid} `));
		await session.typeUntil('\u001B', new RegExp(`filter: parked ${pid} [^]*> *${pid} `));
		await session.typeUntil('\r', new RegExp(`^ParkedAndEcho {2}pid ${pid} `));
		session.type('q');
		expect(await session.ended()).toMatchObject({exitCode: 0});
		const other = open(folderForTest());
		await other.until(String(pid));
		other.type('q');
		expect(await other.ended()).toMatchObject({exitCode: 0});
		expect([other.isAlternate, other.scrollback()]).toEqual([false, '']);
	}),
);

test.concurrent(
	'the target\'s end leaves the last table on the screen, says so, and it can still be saved',
	beside(async () => {
		const target = await startShop();
		const session = open(folderForTest(), String(target.pid));
		await session.until('demo.Pricing.discount');
		await target.stop();
		await session.until(/target ended/);
		expect(session.text()).toContain('demo.Pricing.discount');
		await session.typeUntil('s', /saved tprof-/);
		await session.quit();
	}),
);

test.concurrent(
	'a JVM that cannot be profiled: the terminal is given back at once, with the reason and what to do',
	beside(async () => {
		const target = stoppedAfterTest(await startShop({jvmArgs: ['-XX:+DisableAttachMechanism', '-Xmx128m']}));
		const session = open(folderForTest(), '--engine', 'attach', String(target.pid));
		expect(await session.ended()).toMatchObject({exitCode: 1});
		expect(session.isAlternate).toBe(false);
		expect(session.scrollback())
			.toBe(`tprof-top: JVM ${target.pid} was started with -XX:+DisableAttachMechanism\n  restart it without that flag`);
	}),
);
