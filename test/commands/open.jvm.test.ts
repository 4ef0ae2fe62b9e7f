import {rmSync, statSync, truncateSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {gzipSync} from 'node:zlib';
import {describe, expect, test} from 'vitest';
import {
	deepStacks,
	likeStacks,
	longName,
	manyEmpty,
	manyLabels,
	manyLines,
	manyThreads,
	manyUnprintable,
} from '../exports/hostile-profiles.js';
import {cli, run, runCli} from '../helpers/run.js';
import {sharedFolder, closedAfterTest} from '../helpers/for-test.js';
import {TerminalSession} from '../helpers/terminal.js';

const root = path.resolve(import.meta.dirname, '../..');
const saved = path.join(root, 'test/fixtures/exports/shop-jdk17.pb.gz');
const maxMegabytes = 500;

/** Makes a program of Node say in its last line on standard error how much memory it had at most. */
const sayPeak = `data:text/javascript,${
	encodeURIComponent(`
	import {readFileSync, writeSync} from 'node:fs';
	process.on('exit', () => writeSync(2, 'peak ' + /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1] + '\\n'));
`)
}`;

const folder = sharedFolder();
let fileCount = 0;

function fileOf(profile: Uint8Array): string {
	const file = path.join(folder, `${++fileCount}.pb.gz`);
	// Quickly: what the tool makes of it is the same.
	writeFileSync(file, gzipSync(profile, {level: 1}));
	return file;
}

/** Opens a file without a terminal. */
async function open(file: string, ...args: readonly string[]) {
	const {status, stdout, stderr} = await run(process.execPath, ['--import', sayPeak, cli, 'open', file, ...args]);
	const [, error, peak] = /^(.*?)peak (\d+)\n$/s.exec(stderr) ?? [];
	return {status, stdout, error, megabytes: Number(peak) / 1024};
}

describe.concurrent('what a file may hold', () => {
	test.each([
		['lines', () => manyLines(110_000), 'more than 100,000 locations'],
		['threads', () => manyThreads(70_000), 'more than 65,536 threads'],
		['unprintable names', () => manyUnprintable(20_000), 'more than 16,000,000 characters in names'],
		['deep stacks', () => deepStacks(12, 50_000, 60_000), 'more than 524,288 distinct stacks'],
		['labels', () => manyLabels(6_100_000), 'more than 6,000,000 frames, values and labels of samples'],
		['names', () => manyEmpty(6, 1_900_000), 'more than 400,000 names'],
		['bytes', () => Buffer.alloc(127 * 1024 * 1024), 'more than 64 MB when decompressed'],
	])('too many %s are refused, with what there is too much of', async (_, profile, what) => {
		const {status, stdout, error, megabytes} = await open(fileOf(profile()));
		expect({status, stdout}).toEqual({status: 1, stdout: ''});
		expect(error).toMatch(/^tprof-top: cannot open [^\n]*: it holds too much \([^\n]*\)\n {2}[^\n]+\n$/);
		expect(error).toContain(`(${what})`);
		expect(megabytes).toBeLessThan(maxMegabytes);
	});

	test.each([
		['threads', () => fileOf(manyThreads(65_000))],
		['unprintable names', () => fileOf(manyUnprintable(7000))],
		['one long name', () => fileOf(longName(60 * 1024 * 1024))],
	])('as many %s as it may hold open', async (_, file) => {
		const {status, error, stdout, megabytes} = await open(file());
		expect({status, error}).toEqual({status: 0, error: ''});
		expect(stdout).toContain('samples');
		expect(megabytes).toBeLessThan(maxMegabytes);
	});

	test.each([
		['json', 'like stacks', () => fileOf(likeStacks(50_000, 100))],
		['pprof', 'deep stacks', () => fileOf(deepStacks(5, 99_000, 60_000))],
	])('and are written as %s (%s)', async (format, _, file) => {
		const output = path.join(folder, `${++fileCount}.out`);
		const {status, error, megabytes} = await open(file(), '--format', format, '--output', output);
		expect({status, error}).toEqual({status: 0, error: ''});
		expect(statSync(output).size).toBeGreaterThan(50_000);
		rmSync(output);
		expect(megabytes).toBeLessThan(maxMegabytes);
	});
});

describe.concurrent('what may be opened', () => {
	const large = path.join(folder, 'large.pb.gz');
	writeFileSync(large, '');
	truncateSync(large, (64 * 1024 * 1024) + 1);

	test.each([
		['/dev/zero', 'a device or a socket, not a file'],
		[large, 'larger than 64 MB'],
	])('%s is refused before it is read: it is %s', async (file, what) => {
		const {status, error, megabytes} = await open(file);
		expect({status, error}).toEqual({
			status: 1,
			error:
				`tprof-top: cannot open ${file}: it is ${what}\n  tprof-top open reads the .pb.gz files that the s key saves, and recordings\n`,
		});
		expect(megabytes).toBeLessThan(100);
	});

	test('a pipe is read', async () => {
		const {status, stdout} = await run('bash', ['-c', '"$0" "$1" open <(cat "$2")', process.execPath, cli, saved]);
		expect(status).toBe(0);
		expect(stdout).toContain('shop.jar');
	});

	test('a pipe that never ends is given up', async () => {
		const {status, stderr} = await run('bash', ['-c', '"$0" "$1" open <(cat /dev/zero)', process.execPath, cli]);
		expect(status).toBe(1);
		expect(stderr).toMatch(/^tprof-top: cannot open \S+: it is larger than 64 MB\n {2}/);
	});
});

test('the screen shows as many lines as a file may hold', async () => {
	const terminal
		= closedAfterTest(new TerminalSession(process.execPath, [
			'--import',
			sayPeak,
			cli,
			'open',
			fileOf(manyLines(99_000)),
		]));
	await terminal.until('of 99000');
	await terminal.typeUntil('\t', '[2 Threads]');
	await terminal.typeUntil('\t/Hot\r', 'filter: Hot');
	await terminal.quit();
	const [, peak] = /peak (\d+)/.exec(terminal.raw) ?? [];
	expect(Number(peak) / 1024).toBeLessThan(maxMegabytes);
});

const compared = async (file: string, ...args: readonly string[]) => runCli('open', saved, '--compare', file, ...args);

test('a file against itself: nothing is new, nothing gone, all of it is noise', async () => {
	const text = await compared(saved);
	expect(text).toMatchObject({status: 0, stderr: ''});
	expect(text.stdout).toContain('Changes, against shop-jdk17.pb.gz');
	expect(text.stdout).toMatch(/^ *CPU% \+\/- +ERR +CPU% +WAS +TCK \+\/- .*WHAT/m);
	expect(text.stdout).toMatch(/^ +0\.0 .* noise +\S+:\d+$/m);
	const {stdout} = await compared(saved, '--format', 'json');
	const {comparedWith, changes} = JSON.parse(stdout) as {
		comparedWith: Record<string, unknown>;
		changes: Array<Record<string, unknown>>;
	};
	expect(comparedWith).toMatchObject({title: 'shop-jdk17.pb.gz', samples: expect.any(Number) as number});
	expect(changes.length).toBeGreaterThan(3);
	expect(changes)
		.toMatchObject(changes.map(() => ({
			change: 'both',
			noise: true,
			cpuMsPerS: {change: 0},
			ticksPerS: {change: 0},
		})));
});

test('what cannot be compared with is said before anything is started', async () => {
	expect(await compared(path.join(root, 'no-such.pb.gz'))).toMatchObject({
		status: 1,
		stdout: '',
		stderr: expect.stringContaining('no such file') as string,
	});
	expect(await compared(saved, '--format', 'lines')).toMatchObject({
		status: 2,
		stdout: '',
		stderr: expect.stringContaining('has no views') as string,
	});
	for (
		const [words, problem] of [
			[['--measure', 'alloc'], 'Changes has only CPU time and ticks'],
			[['--measure', 'alloc', '--view', 'lines', '--format', 'json'], '--format json cannot count alloc'],
		] as const
	) {
		const {status, stdout, stderr} = await compared(saved, ...words);
		expect({status, stdout}).toEqual({status: 2, stdout: ''});
		expect(stderr).toContain(problem);
	}
});
