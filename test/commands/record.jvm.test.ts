/* eslint-disable unicorn/no-await-expression-member -- What a command prints is looked at where it is run. */
import {readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {windowSnapshot} from '../../source/exports/common/window-snapshot.js';
import {openRecording} from '../../source/exports/recording/recording-reader.js';
import {Recorder} from '../../source/exports/recording/recorder.js';
import {LookBack} from '../../source/query/past/look-back.js';
import {addToRing, emptyRing, type RingWindow} from '../../source/query/past/past-ring.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {views} from '../../source/views/view-registry.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {textOf} from '../exports/parse.js';
import {
	beside,
	closedAfterTest,
	folderForTest,
	javaForTest,
	sharedJava,
	spawnForTest,
	stoppedAfterTest,
} from '../helpers/for-test.js';
import {startShop} from '../helpers/jvm.js';
import {untilSampling} from '../helpers/proc.js';
import {pick, seeded} from '../helpers/random.js';
import {cli, run, runCli, start, startCli} from '../helpers/run.js';
import {samplerForTest} from '../helpers/sampling.js';
import {TerminalSession} from '../helpers/terminal.js';
import {until} from '../helpers/until.js';

/** For tests to which it does not matter what is recorded. */
const shared = sharedJava('BusyAndParked', {args: ['20', '10', '1']});
const newName = () => path.join(folderForTest(), 'x.tprof');

/** What was read of each recording, and how long it was then. */
const known = new Map<string, {readonly size: number; readonly windows: readonly RingWindow[]}>();

/**
The windows that a recording has so far; none as long as it has not begun. It is read again only when it has grown.
*/
function windowsOf(file: string): readonly RingWindow[] {
	try {
		const bytes = statSync(file).size === known.get(file)?.size ? undefined : readFileSync(file);
		if (bytes) {
			known.set(file, {size: bytes.length, windows: openRecording(bytes).ring.windows});
		}

		return known.get(file)!.windows;
	} catch {
		return [];
	}
}

test.concurrent(
	'every view shows of a moment what the live screen showed then, to the last digit',
	beside(async () => {
		const java = stoppedAfterTest(await startShop());
		const sampler = await samplerForTest(java, {timer: 'auto'});
		await until(() => (sampler.read()?.session.samples ?? 0) > 0);
		const recorder = await Recorder.create(newName());
		const live: Snapshot[] = [];
		let ring = emptyRing;
		while (ring.windows.length < 6) {
			await sleep(1000);
			ring = addToRing(ring, sampler.read()!);
			// A second that comes early begins no window.
			live[ring.windows.length - 1] = ring.newest!;
			await recorder.follow(ring);
		}

		await recorder.finish();
		const recording = openRecording(readFileSync(recorder.file));
		const lookBack = new LookBack();
		const spans = [[5, 4], [5, 0], [3, 1], [2, undefined], [5, undefined]] as const;
		const written = (at: (index: number) => Snapshot) =>
			views.flatMap(view =>
				spans.flatMap(([end, begin]) => {
					const query = {
						...defaultQuery,
						sort: view.sort,
						method: 'java.lang',
						summary: {showsWaits: true},
						baseline: {snapshot: at(1), since: at(0), title: safe`x`},
					};
					return ['text', 'csv', 'json'].map(id =>
						textOf(id, at(end), {view, query, width: 200}, begin === undefined ? undefined : at(begin)));
				}));
		expect(written(index => lookBack.at(recording.ring, index)!.snapshot)).toEqual(written(index => live[index]));
	}),
);

test.concurrent(
	'killed at any moment, it loses at most the window being written',
	beside(async () => {
		const random = seeded(Date.now());
		await Promise.all(Array.from({length: 4}, async () => {
			const file = newName();
			const child = spawnForTest(process.execPath, [cli, 'record', String(shared.java.pid), '-o', file], {
				stdio: 'ignore',
			});
			await until(() => windowsOf(file).length > 0);
			await sleep(pick(random, 4000));
			const written = windowsOf(file).length;
			child.kill('SIGKILL');
			expect(await runCli('open', file)).toMatchObject({
				status: 0,
				stdout: expect.stringContaining('samples') as unknown,
			});
			expect(windowsOf(file).length).toBeGreaterThanOrEqual(written);
		}));
	}),
);

test.concurrent.for(['SIGINT', 'end'] as const)(
	'it ends well (%s), and says how it went in a line',
	beside(async how => {
		const java = await javaForTest('KnownPhases');
		const file = newName();
		const {child, ended} = startCli('record', String(java.pid), '-o', file);
		await until(() => windowsOf(file).length >= 2);
		await (how === 'end' ? java.stop() : child.kill(how));
		const {status, stderr} = await ended;
		const figures = String
			.raw`^recorded .*\.tprof \d+s {2}[\d,]+ samples {2}\d+/s {2}[\d.]+[KM] {2}costs [\d.]+% of target {2}own CPU [\d.]+%; `;
		const reason = how === 'end' ? String.raw`(?:process|JVM) \d+ has ended; ` : '';
		expect(stderr).toMatch(new RegExp(String.raw`${figures}${reason}tprof-top open .*\.tprof shows it\n$`));
		expect(status).toBe(0);
		const {problem, ring} = openRecording(readFileSync(file));
		expect({problem, windows: ring.windows.length}).toEqual({
			problem: undefined,
			windows: expect.toSatisfy(count => count >= 2) as unknown,
		});
	}),
);

test.concurrent(
	'where there is no room for more, it says so once, and what is there is good',
	beside(async () => {
		const file = newName();
		const {child, ended, stderr: said} = start('bash', [
			'-c',
			'ulimit -f 6; exec "$0" "$1" record "$2" -o "$3"',
			process.execPath,
			cli,
			String(shared.java.pid),
			file,
		]);
		await until(() => said().includes('sampling goes on'));
		// It is not said again of the next window.
		await sleep(1500);
		child.kill('SIGINT');
		const {status, stderr} = await ended;
		expect(status).toBe(1);
		expect(stderr.match(/it would exceed the file size limit/g)?.length).toBe(2);
		expect(openRecording(readFileSync(file)).ring.windows.length).toBeGreaterThan(0);
		expect((await runCli('record', String(shared.java.pid), '-o', '/proc/x.tprof')).stderr)
			.toMatch(/^tprof-top: cannot write \/proc\/x\.tprof: /);
	}),
);

test.concurrent(
	'--when has what was before a burst, by the program\'s own clock, and runs a command after it',
	beside(async () => {
		const java = await javaForTest('KnownPhases', {under: []});
		const place = folderForTest();
		const command = `echo >> ${path.join(place, 'ran')}; exit 3;`;
		const options = ['-o', path.join(place, 'x.tprof'), '--when', 'cpu>5', '--exec', command, '--interval', '20'];
		const {child, ended} = startCli('record', String(java.pid), ...options);
		await untilSampling(child.pid!);
		await sleep(4000);
		java.child.stdin!.write('\n');
		const [beganMs, endedMs] = await until(() => /burnt (\d+) (\d+) \d+/.exec(java.output())?.slice(1).map(Number));
		const name = await until(() => readdirSync(place).find(found => /^x-\d{8}T\d{6}Z\.tprof$/.test(found)));
		const written = path.join(place, name);
		await until(() => (windowsOf(written).at(-1)?.atMs ?? 0) > endedMs);
		child.kill('SIGINT');
		expect(await ended).toMatchObject({
			status: 1,
			stderr: expect
				.stringMatching(/: 1 of 20 files, the last .*\.tprof; --exec failed for .*\.tprof: exit code 3\n$/) as unknown,
		});
		expect(readdirSync(place)).toContain('ran');
		const windows = windowsOf(written);
		expect(windows[0].atMs).toBeLessThan(beganMs - 1000);
		const busiest = windows.toSorted((a, b) => b.cpuNs - a.cpuNs)[0];
		expect(busiest.atMs).toBeGreaterThan(beganMs);
		expect(busiest.atMs - 1000).toBeLessThan(endedMs);
	}),
);

/** Sets the clock of all threads of a program that reads this back by an hour as soon as the file exists. */
const setBackWith = (file: string) => `
import {existsSync} from 'node:fs';
const now = Date.now;
Date.now = () => now() - (existsSync(${JSON.stringify(file)}) ? 3_600_000 : 0);
`;

test.concurrent('windows stay a second apart while the clock is set back by an hour', beside(async () => {
	const place = folderForTest();
	const [file, script, signal] = ['x.tprof', 'clock.mjs', 'set-back'].map(name => path.join(place, name));
	writeFileSync(script, setBackWith(signal));
	// Unlike options of the command line, those in the environment are the worker's too.
	const record = [cli, 'record', String(shared.java.pid), '-o', file];
	const {child, ended} = start('env', [`NODE_OPTIONS=--import=${script}`, process.execPath, ...record]);
	await until(() => windowsOf(file).length > 2);
	writeFileSync(signal, '');
	const before = windowsOf(file).length;
	await until(() => windowsOf(file).length > before + 4);
	child.kill('SIGINT');
	expect(await ended).toMatchObject({status: 0});
	// The last one is what there was since the one before.
	const atMs = windowsOf(file).slice(0, -1).map(window => window.atMs);
	expect(Math.min(...atMs.slice(1).map((ms, index) => ms - atMs[index]))).toBeGreaterThan(200);
	expect(atMs.at(-1)! - atMs[0]).toBeLessThan(3_600_000);
}));

test.concurrent(
	'a moment, a span and two spans of it are opened and compared',
	beside(async () => {
		const java = await javaForTest('KnownPhases', {under: []});
		const file = newName();
		const {child, ended} = startCli('record', String(java.pid), '-o', file);
		await until(() => windowsOf(file).length >= 4);
		java.child.stdin!.write('\n');
		const [, beganMs, endedMs] = (await java.waitFor(/burnt (\d+) (\d+) \d+/)).map(Number);
		await until(() => windowsOf(file).at(-1)!.atMs > endedMs + 2000);
		child.kill('SIGINT');
		await ended;
		const clock = (ms: number) => new Date(ms).toTimeString().slice(0, 8);
		const moments = [beganMs - 3000, beganMs - 1000, beganMs - 1000, endedMs + 2000].map(ms => clock(ms));
		const before = `${file}@${moments[0]}..${moments[1]}`;
		const burst = `${file}@${moments[2]}..${moments[3]}`;
		const {stdout, stderr} = await runCli('diff', before, burst, '--by', 'method', '--format', 'json');
		expect(stderr).toBe('');
		const {changes: [first]} = JSON.parse(stdout) as {changes: ReadonlyArray<Record<string, unknown>>};
		expect(first).toMatchObject({class: 'KnownPhases', change: 'new', noise: false});
		expect((await runCli('diff', before, burst)).stdout).toMatch(/CPU% \+\/-.*\n *\+\d[\d.]* .*KnownPhases/);
		expect((await runCli(
			'open',
			file,
			'--from',
			moments[2],
			'--to',
			moments[3],
			'--format',
			'csv',
			'--by',
			'method',
		)).stdout).toMatch(/KnownPhases,/);
		expect((await runCli('open', file, '--at', '1s ago')).stdout).toContain('samples');
		expect(await runCli('open', file, '--at', '2001-01-01 10:00')).toMatchObject({
			status: 2,
			stderr: expect.stringContaining('the recording has nothing of 2001-01-01 10:00') as unknown,
		});
		const terminal
			= closedAfterTest(new TerminalSession(process.execPath, [cli, 'open', file, '--at', clock(endedMs)]));
		expect(await terminal.until(/PAST/)).toMatch(/CPU +\d+%.*max \d+%/);
		await terminal.quit();
	}),
);

test.concurrent(
	'the live screen records from its start, by a key, and all that it has',
	beside(async () => {
		const file = newName();
		const place = folderForTest();
		const made = () =>
			readdirSync(place).filter(name => name.endsWith('.tprof')).sort().map(name => path.join(place, name));
		const terminal
			= closedAfterTest(new TerminalSession(process.execPath, [
				cli,
				String(shared.java.pid),
				'--record',
				file,
				'--snapshot-dir',
				place,
			], {columns: 160}));
		await terminal.until('REC ');
		await until(() => windowsOf(file).length >= 2);
		await terminal.typeUntil('w', 'shows it');
		await terminal.typeUntil('w', 'recording to');
		await until(() => windowsOf(made()[0]).length >= 2);
		const [fileByKey] = made();
		await terminal.typeUntil('w', 'shows it');
		await terminal.typeUntil('S', 'Recording: all');
		await terminal.typeUntil('\u001B[F\r', /name|file/i);
		await terminal.typeUntil('\r', /saved tprof-.*windows|saved .*\.tprof/);
		await terminal.quit();
		const [whole, byKey, all] = [file, fileByKey, ...made().filter(name => name !== fileByKey)].map(name =>
			windowsOf(name).length);
		expect(all).toBeGreaterThan(whole + byKey - 2);
	}),
);

test.concurrent(
	'calls and tasks are recorded too',
	beside(async () => {
		const java = await javaForTest('KnownTraces');
		const file = newName();
		expect(await runCli(
			'record',
			String(java.pid),
			'-o',
			file,
			'--trace',
			'KnownTraces.*',
			'--yes',
			'--duration',
			'3',
		)).toMatchObject({status: 0, stderr: expect.stringContaining('recorded ') as unknown});
		expect((await runCli('open', file, '--view', 'traces', '--at', '1s ago')).stdout).toMatch(/KnownTraces\./);
	}),
);

test.concurrent(
	'a program that knows docs/formats.md alone reads it',
	beside(async () => {
		const file = newName();
		await runCli('record', String(shared.java.pid), '-o', file, '--duration', '4');
		const {stdout, stderr} = await run('python3', [
			path.resolve(import.meta.dirname, '../exports/read_recording.py'),
			file,
		]);
		expect(stderr).toBe('');
		const {ring} = openRecording(readFileSync(file));
		const lookBack = new LookBack();
		const lines = stdout.trim().split('\n').map(line =>
			JSON.parse(line) as {atMs: number; samples: number; methods: Record<string, readonly [number, number]>});
		expect(lines.length).toBe(ring.windows.length);
		for (const [index, {atMs, samples, methods}] of lines.entries()) {
			const {snapshot} = lookBack.at(ring, index)!;
			const {counters, dictionary: {strings, nodeFrame, frameClass, frameMethod}} = windowSnapshot(
				snapshot,
				lookBack.at(ring, index - 1)?.snapshot,
			);
			const expected: Record<string, [number, number]> = {};
			for (let counter = 0; counter < counters.count; counter++) {
				const frame = nodeFrame[counters.node[counter]];
				const name = `${strings[frameClass[frame]]}.${strings[frameMethod[frame]]}`;
				const [ns, ticks] = expected[name] ?? [0, 0];
				expected[name] = [ns + counters.cpuNs[counter], ticks + counters.ticks[counter]];
			}

			expect({atMs, samples, methods}).toEqual({
				atMs: ring.windows[index].atMs,
				samples: snapshot.session.samples,
				methods: expected,
			});
		}

		writeFileSync(file, readFileSync(file).subarray(0, -20));
		expect((await run('python3', [path.resolve(import.meta.dirname, '../exports/read_recording.py'), file])).stdout
			.trim().split('\n').length).toBe(lines.length);
	}),
);
