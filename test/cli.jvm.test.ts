import {execFileSync, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {
	closeSync, cpSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, statSync, writeFileSync,
} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {describe, expect, test} from 'vitest';
import {readPprof} from '../source/exports/pprof/read.js';
import {cli, run, runCli, startCli} from './helpers/run.js';
import {TerminalSession} from './helpers/terminal.js';
import {namespaceRefusal} from './helpers/users.js';
import {until, patienceMs} from './helpers/until.js';
import {
	beside,
	closedAfterTest,
	folderForTest,
	javaForTest,
	sharedFolder,
	sharedJava,
	spawnForTest,
} from './helpers/for-test.js';

const root = path.resolve(import.meta.dirname, '..');

const folder = sharedFolder();

/** One thread of the program works, and nineteen wait. */
const busy = {args: ['20', '10', '1']};

describe.concurrent('what needs no JVM', () => {
	test('--version and --help', async () => {
		const {version} = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {version: string};
		expect(await runCli('--version')).toEqual({status: 0, stdout: `${version}\n`, stderr: ''});
		const help = await runCli('--help');
		expect(help).toMatchObject({status: 0, stderr: ''});
		expect(help.stdout).toContain('tprof-top list');
		expect(Math.max(...help.stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(120);
	});

	const asUnlisted = ['--user', '--map-user=54321'];
	const refusal = namespaceRefusal(asUnlisted);
	test.skipIf(refusal)(`a user whom no list has, without HOME${refusal ? ` (${refusal})` : ''}`, async () => {
		const {status, stderr} = await run('unshare', [
			...asUnlisted, 'env', '--ignore-environment', process.execPath, cli, '99999999',
		]);
		expect({status, stderr}).toMatchObject({status: 1, stderr: expect.stringContaining('99999999') as string});
		expect(stderr).not.toContain('internal error');
	});

	test.each([
		[['--nonsense', '1'], 2],
		[[], 2],
		[['-n', '2', '-d', '1', '--duration', '9', '1'], 2],
		[['--format', 'pprof', '-n', '3', '-d', '2', '-o', 'never-written.pb.gz', '1'], 2],
		[['4194305'], 1],
		[['lst'], 1, 'did you mean tprof-top list?'],
		[[String(process.pid)], 1],
		[['open', 'no-such-file.pb.gz'], 1],
	])('%j is one clear line, a hint and a code', async (args, status, hint = '') => {
		const result = await runCli(...args);
		expect(result.status).toBe(status);
		expect(result.stdout).toBe('');
		const lines = result.stderr.trimEnd().split('\n');
		expect(lines).toHaveLength(2);
		expect(lines[0]).toMatch(/^tprof-top: ./);
		expect(lines[1]).toMatch(/^ {2}./);
		expect(lines[1]).toContain(hint);
	});

	test.each([
		['open', 'no\u001B]0;pwned\u0007such'],
		['no\u001B]0;pwned\u0007such'],
		['--filter', 'state:\u001B]0;pwned\u0007', '1'],
	])('%j: what was typed cannot give orders to the terminal', async (...args) => {
		const {stderr} = await runCli(...args);
		expect(stderr).toContain('pwned');
		expect(stderr.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001F\u007F-\u009F]/);
	});

	test(
		'bytes are not for a terminal',
		beside(async () => {
			const terminal
				= closedAfterTest(new TerminalSession(process.execPath, [cli, '--format', 'pprof', String(process.pid)]));
			expect(await terminal.ended()).toMatchObject({exitCode: 2});
			expect(terminal.text())
				.toBe('tprof-top: --format pprof is binary and cannot be shown on a terminal\n  add --output FILE, or redirect it to a file or a pipe');
		}),
	);
});

const reportsIn = (file: string) =>
	readFileSync(file, 'utf8').trimEnd().split('\n').map(line => JSON.parse(line) as {target: {pid: number}});
const isPartial = (name: string) => name.endsWith('.partial');
const untilReportsIn = async (at: string, count: number) =>
	until(() =>
		readdirSync(at).some(name =>
			isPartial(name) && readFileSync(path.join(at, name), 'utf8').split('\n').length > count));

describe.concurrent('on a running JVM', () => {
	const shared = sharedJava('BusyAndParked', busy);

	// Its sampler does not touch the JVM.
	test(
		'SIGTERM ends it though its sampler hangs in a system call',
		beside(async () => {
			const copy = folderForTest();
			const pipe = path.join(copy, 'pipe');
			execFileSync('mkfifo', [pipe]);
			cpSync(path.join(root, 'dist'), path.join(copy, 'dist'), {recursive: true});
			cpSync(path.join(root, 'package.json'), path.join(copy, 'package.json'));
			writeFileSync(
				path.join(copy, 'dist/worker.js'),
				`import {openSync, writeFileSync} from 'node:fs';\nwriteFileSync(${
					JSON.stringify(`${pipe}.next`)
				}, '');\nopenSync(${JSON.stringify(pipe)});\n`,
			);
			const child = spawnForTest(process.execPath, [
				path.join(copy, 'dist/cli.js'),
				String(shared.java.pid),
				'--duration',
				'60',
			], {stdio: 'ignore', env: {...process.env, NODE_PATH: path.join(root, 'node_modules')}});
			// It listens to the signal, and its worker opens the pipe, into which nobody writes.
			await until(() =>
				(BigInt(`0x${/^SigCgt:\s*(\w+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]}`)
					& (1n << 14n)) !== 0n);
			await until(() => existsSync(`${pipe}.next`));
			const ended = once(child, 'exit', {signal: AbortSignal.timeout(patienceMs)});
			child.kill('SIGTERM');
			expect(await ended).toEqual([0, null]);
		}),
	);

	test('with too few open files it says so, wherever they run out', {concurrent: false}, async () => {
		const errors = new Set<string>();
		// With fewer Node itself does not come up.
		for (let limit = 19; limit <= 40; limit += 3) {
			const {stderr} = await run('sh', [
				'-c',
				'ulimit -n $0; exec "$@"',
				String(limit),
				process.execPath,
				cli,
				String(shared.java.pid),
				'--duration',
				'0.1',
			]);
			expect(stderr, `limit ${limit}`).not.toMatch(/internal error|please report|^ {4}at /m);
			errors.add(stderr);
		}

		expect(errors)
			.toContain('tprof-top: too many open files (EMFILE)\n  raise the limit of open files: ulimit -n 1024\n');
	});

	test.each([
		['list', () => ['list']],
		['a report', () => ['--duration', '0.5', '--format', 'json', String(shared.java.pid)]],
	])('%s on a full disk is an error that is said', {concurrent: false}, (_, args) => {
		const full = openSync('/dev/full', 'w');
		try {
			const {status, stderr} = spawnSync(process.execPath, [cli, ...args()], {
				encoding: 'utf8',
				timeout: patienceMs,
				stdio: ['ignore', full, 'pipe'],
			});
			expect({status, stderr}).toEqual({
				status: 1,
				stderr: 'tprof-top: cannot write to standard output: no space left on device\n',
			});
		} finally {
			closeSync(full);
		}
	});

	test('a report says why the better engine was not taken, and that the cost budget lowered the rate', {
		concurrent: false,
	}, async () => {
		const withoutPtrace = path.join(root, 'test/helpers/without-ptrace.js');
		const args = ['--interval', '20', '--max-overhead', '0.01', String(shared.java.pid)];
		const why
			= 'engine attach: memory is not available (ptrace is blocked by a system call filter (seccomp), as is usual in containers)';
		const {stdout} = await run(process.execPath, [
			withoutPtrace,
			process.execPath,
			cli,
			'--format',
			'json',
			'--duration',
			'2',
			...args,
		]);
		const {notes} = JSON.parse(stdout) as {notes: string[]};
		expect(notes).toContain(why);
		expect(notes)
			.toContainEqual(expect.stringMatching(/^samples are taken every \d+(\.\d)? ms, not every 20 ms: /));
	});

	test('--output writes a whole file for its owner, and replaces none', {concurrent: false}, async () => {
		const at = mkdtempSync(path.join(folder, 'output-'));
		const file = path.join(at, 'hot.pb.gz');
		expect(await runCli(
			'--duration',
			'1',
			'--max-overhead',
			'100',
			'--format',
			'pprof',
			'-o',
			file,
			String(shared.java.pid),
		)).toMatchObject({status: 0, stdout: ''});
		expect(statSync(file).mode & 0o777).toBe(0o600);
		const snapshot = readPprof(readFileSync(file));
		expect(snapshot.target.pid).toBe(shared.java.pid);
		const again = await runCli('--duration', '0.5', '--format', 'pprof', '-o', file, String(shared.java.pid));
		expect(again.status).toBe(2);
		expect(readPprof(readFileSync(file))).toEqual(snapshot);
		expect(readdirSync(at)).toEqual(['hot.pb.gz']);
		const {stdout} = await runCli('open', file, '--format', 'csv');
		// On a busy machine the hottest line may get no CPU in that second.
		expect(stdout).toContain(',BusyAndParked,');
	});

	test('SIGINT ends early and prints what there is', async () => {
		const {child, ended, stdout: printed} = startCli(
			'-n',
			'2',
			'-d',
			'1.5',
			'--format',
			'json',
			String(shared.java.pid),
		);
		await until(() => printed().includes('\n'));
		child.kill('SIGINT');
		const {status, stdout, stderr} = await ended;
		expect({status, stderr}).toEqual({status: 0, stderr: ''});
		const [whole, early] = stdout.trimEnd().split('\n').map(line => JSON.parse(line) as {durationMs: number});
		expect(early.durationMs).toBeLessThan(whole.durationMs);
	});

	test('SIGTERM: the reports so far are in the file', async () => {
		const at = mkdtempSync(path.join(folder, 'signal-'));
		const {child, ended} = startCli(
			'-n',
			'1000',
			'-d',
			'0.3',
			'--format',
			'json',
			'-o',
			path.join(at, 'day'),
			String(shared.java.pid),
		);
		await untilReportsIn(at, 2);
		child.kill('SIGTERM');
		expect(await ended).toEqual({status: 0, stdout: '', stderr: ''});
		expect(readdirSync(at)).toEqual(['day']);
		expect(reportsIn(path.join(at, 'day')).length).toBeGreaterThan(1);
	});

	test('a reader that goes away is no error', async () => {
		const {child, ended, stdout} = startCli('-n', '100', '-d', '0.3', '--format', 'json', String(shared.java.pid));
		await until(() => stdout().includes('\n'));
		child.stdout.destroy();
		const {status, stderr} = await ended;
		expect({status, stderr}).toEqual({status: 0, stderr: ''});
	});
});

test('the target\'s end is a normal end: the reports so far are in the file', async () => {
	const doomed = await javaForTest('BusyAndParked', busy);
	const at = mkdtempSync(path.join(folder, 'end-'));
	const {ended} = startCli(
		'-n',
		'1000',
		'-d',
		'0.3',
		'--format',
		'json',
		'-o',
		path.join(at, 'day'),
		String(doomed.pid),
	);
	await untilReportsIn(at, 1);
	await doomed.stop();
	expect(await ended).toEqual({status: 0, stdout: '', stderr: ''});
	expect(readdirSync(at)).toEqual(['day']);
	expect(reportsIn(path.join(at, 'day')).every(report => report.target.pid === doomed.pid)).toBe(true);
});
