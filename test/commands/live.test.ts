import {mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {
	afterAll, afterEach, beforeAll, describe, expect, test,
} from 'vitest';
import {readPprof} from '../../source/exports/pprof/read.js';
import {
	type JavaProcess, jdks, startJar, startJava,
} from '../helpers/jvm.js';
import {TerminalSession} from '../helpers/terminal.js';

const cli = path.resolve(import.meta.dirname, '../../dist/cli.js');
const shop = path.resolve(import.meta.dirname, '../../demo/shop.jar');

let folder: string;
let target: JavaProcess;
let terminal: TerminalSession | undefined;

function open(...args: string[]): TerminalSession {
	terminal = new TerminalSession(process.execPath, [cli, '--snapshot-dir', folder, '--max-overhead', '100', ...args]);
	return terminal;
}

/** The rows of the table on an 80 x 24 screen, without the mark of the selection. */
function rows(screen: string): string[] {
	const lines = screen.split('\n');
	return lines.slice(lines.findIndex(line => /%SELF|%CPU/.test(line)) + 1, -3).map(line => line.slice(1)).filter(line => line.trim() !== '');
}

/** The word of a row that is a place in the code, such as demo.Shop.pause:57. */
function placeOf(row: string): string {
	return row.trimEnd().split(/\s+/).find(word => word.includes(':')) ?? '';
}

beforeAll(() => {
	folder = mkdtempSync(path.join(tmpdir(), 'tprof-live-'));
});

afterEach(async () => {
	if (terminal && !terminal.exit) {
		terminal.signal('SIGKILL');
	}
});

afterAll(() => {
	rmSync(folder, {recursive: true, force: true});
});

describe.each(jdks().map(on => [on.release, on] as const))('the live view on JDK %d', (_, on) => {
	beforeAll(async () => {
		target = await startJar(shop, {jdk: on, jvmArgs: ['-Xmx128m', '-XX:+UseG1GC']});
	});

	afterAll(async () => {
		await target.stop();
	});

	test('the first shares are shown soon, however long the delay and the interval', async () => {
		const session = open(String(target.pid), '-d', '60', '--interval', '2000');
		await session.until(/^> +(?:[1-9]\d*\.\d|100) /m, 'a share of CPU time');
		session.type('q');
		await session.ended();
	});

	test('start, sort, filter, drill down, save, quit: the terminal is given back and a summary stays', async () => {
		const session = open(String(target.pid));
		await session.until('demo.Pricing.discount');
		expect(session.isAlternate).toBe(true);

		session.type('N');
		await session.until(screen => {
			// On a busy host a thread that could not be stopped is at "(running)".
			const names = rows(screen).map(row => placeOf(row)).filter(Boolean);
			return names.length > 3 && names[0].includes('demo.Checkout');
		}, 'rows by name');

		session.type('/Ledger state:B\r');
		await session.until(screen => {
			const shown = rows(screen);
			return shown.length > 0 && shown.every(row => row.includes('Ledger') || row.includes('blocked'));
		}, 'only the ledger');

		session.type('\r');
		await session.until('holds demo.Ledger');
		await session.until(/is now at demo\.\w+\.\w+:\d+/);
		session.type('\u001B');
		await session.until('%SELF');
		session.type('\u001B');
		await session.until('demo.Pricing.discount');

		session.type('\t');
		await session.until('[Threads]');
		await session.until('pricing-*');
		session.type('s');
		const message = await session.until(/saved tprof-\d+-\d+T\d+Z\.pb\.gz/);
		const file = /tprof-\d+-\d+T\d+Z\.pb\.gz/.exec(message)![0];

		session.type('\u001B[Z');
		// With a fifth of it the method is among the five hottest, whatever else the program got a CPU for on a busy host.
		await session.until(screen => /samples \d{2,}/.test(screen) && /^.\s*(?:[2-9]\d|100)\b.*Pricing\.discount/m.test(screen), 'much CPU time at a line');
		session.type('q');
		await session.ended();
		expect(session.exit).toMatchObject({exitCode: 0});
		expect(session.isAlternate).toBe(false);
		expect(session.scrollback()).toContain(`tprof-top ${target.pid}`);
		expect(session.scrollback()).toContain('demo.Pricing.discount');
		const snapshot = readPprof(readFileSync(path.join(folder, file)));
		expect(snapshot.target.pid).toBe(target.pid);
		expect(snapshot.facts.ticks.slice(0, snapshot.facts.count).reduce((sum, ticks) => sum + ticks, 0)).toBe(snapshot.session.threadSamples);
		expect(readFileSync(path.join(folder, file.replace('.pb.gz', '.txt')), 'utf8')).toContain('demo.Pricing.discount');
		expect(readdirSync(folder).filter(name => !/^tprof-\d+-\d+T\d+Z(-\d+)?\.(pb\.gz|txt)$/.test(name))).toEqual([]);

		const again = open('open', path.join(folder, file));
		await again.until('demo.Pricing.discount');
		expect(again.text()).toContain(String(target.pid));
		again.type('q');
		await again.ended();
		expect(again.exit).toMatchObject({exitCode: 0});
	});
});

describe('the summary says what the run was about', () => {
	async function summaryOf(program: string, args: string[], screen: RegExp): Promise<string> {
		target = await startJava(program, {args});
		const session = open(String(target.pid));
		await session.until(screen);
		session.type('q');
		await session.ended();
		await target.stop();
		return session.scrollback();
	}

	test('threads that stood at locks, and who held them', async () => {
		const summary = await summaryOf('WaitsEveryWay', ['20', '1'], /samples \d{2,}/);
		// A ReentrantLock, and a monitor, of which it is known where it was taken.
		expect(summary.match(/^blocked \d+x \(20 threads\) at WaitsEveryWay\.lambda\S+, held by main$/gm)).toHaveLength(1);
		expect(summary.match(/^blocked \d+x \(20 threads\) at \S+, held by main at \S*\.main:\d+$/gm)).toHaveLength(1);
		expect(summary).not.toContain('waited');
	});

	test('threads that only waited', async () => {
		const summary = await summaryOf('BusyAndParked', ['30', '6', '0'], /samples \d{2,}/);
		expect(summary).toMatch(/^waited \d+x \(30 threads\) at BusyAndParked\.leaf:\d+$/m);
	});

	test('threads that worked', async () => {
		const summary = await summaryOf('BusyAndParked', ['30', '6', '1'], /^> +[1-9]\d*\.\d .*BusyAndParked/m);
		expect(summary).toMatch(/^ *[1-9]\d*(?:\.\d)?% +[\d.]+ ms {2}BusyAndParked\.\w+:\d+$/m);
		expect(summary).not.toMatch(/waited|blocked/);
	});
});

test('the target\'s end leaves the last table on the screen, says so, and it can still be saved', async () => {
	target = await startJar(shop, {jvmArgs: ['-Xmx128m', '-XX:+UseG1GC']});
	const session = open(String(target.pid));
	await session.until('demo.Pricing.discount');
	await target.stop();
	await session.until(/target ended/);
	expect(session.text()).toContain('demo.Pricing.discount');
	session.type('s');
	await session.until(/saved tprof-/);
	session.type('q');
	await session.ended();
	expect(session.exit).toMatchObject({exitCode: 0});
});

test('a JVM that cannot be profiled: the terminal is given back at once, with the reason and what to do', async () => {
	target = await startJar(shop, {jvmArgs: ['-XX:+DisableAttachMechanism', '-Xmx128m', '-XX:+UseG1GC']});
	const session = open('--engine', 'attach', String(target.pid));
	await session.ended();
	expect(session.exit).toMatchObject({exitCode: 1});
	expect(session.isAlternate).toBe(false);
	expect(session.scrollback()).toBe(`tprof-top: JVM ${target.pid} was started with -XX:+DisableAttachMechanism\n  restart it without that flag`);
	await target.stop();
});
