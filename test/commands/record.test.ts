/* eslint-disable unicorn/no-await-expression-member -- What a command prints is looked at where it is run. */
import {spawn} from 'node:child_process';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {openRecording} from '../../source/exports/recording/reader.js';
import {Recorder} from '../../source/exports/recording/recorder.js';
import {formatOf} from '../../source/exports/formats/registry.js';
import {LookBack} from '../../source/query/past/look-back.js';
import {addToRing, emptyRing} from '../../source/query/past/ring.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {views} from '../../source/views/registry.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {
	closedAfterTest, javaForTest, sharedFolder, spawnForTest, stoppedAfterTest,
} from '../helpers/for-test.js';
import {startJar} from '../helpers/jvm.js';
import {pick, seeded} from '../helpers/random.js';
import {cli, run, runCli} from '../helpers/run.js';
import {samplerForTest} from '../helpers/sampling.js';
import {TerminalSession} from '../helpers/terminal.js';
import {until} from '../helpers/until.js';

const folder = sharedFolder();
let files = 0;
const newName = () => path.join(folder, `${++files}.tprof`);

test('every view shows of a moment what the live screen showed then, to the last digit', async () => {
	const java = stoppedAfterTest(await startJar(path.resolve(import.meta.dirname, '../../demo/shop.jar')));
	const sampler = await samplerForTest(java, {timer: 'auto'});
	await until(() => (sampler.read()?.session.samples ?? 0) > 0);
	const recorder = await Recorder.create(newName(), {version: '1'});
	const live: Snapshot[] = [];
	let ring = emptyRing;
	while (ring.windows.length < 6) {
		await sleep(1000);
		ring = addToRing(ring, sampler.read()!);
		live.push(ring.newest!);
		await recorder.follow(ring);
	}

	await recorder.finish();
	const recording = openRecording(readFileSync(recorder.file));
	const lookBack = new LookBack();
	for (const view of views) {
		for (const [end, begin] of [[5, 4], [5, 0], [3, 1], [2, undefined], [5, undefined]] as const) {
			const then = lookBack.at(recording.ring, end)!.snapshot;
			const since = begin === undefined ? undefined : lookBack.at(recording.ring, begin)!.snapshot;
			const query = {...defaultQuery, sort: view.sort, method: 'java.lang', summary: {showsWaits: true}, baseline: {snapshot: live[1], since: live[0], title: 'x'}};
			const now = {...query, baseline: {snapshot: lookBack.at(recording.ring, 1)!.snapshot, since: lookBack.at(recording.ring, 0)!.snapshot, title: 'x'}};
			for (const format of ['text', 'csv', 'json'].map(id => formatOf(id))) {
				const written = (...[snapshot, before, asked]: readonly [Snapshot, Snapshot | undefined, typeof query]) => [...format.write(snapshot, before, {version: '1', view, query: asked, width: 200})].join('');
				expect(written(then, since, now)).toBe(written(live[end], begin === undefined ? undefined : live[begin], query));
			}
		}
	}
});

test('killed at any moment, it loses at most the window being written', async () => {
	const java = await javaForTest('BusyAndParked', {args: ['20', '10', '2']});
	const random = seeded(Date.now());
	for (let round = 0; round < 4; round++) {
		const file = newName();
		const child = spawnForTest(process.execPath, [cli, 'record', String(java.pid), '-o', file], {stdio: 'ignore'});
		await until(() => {
			try {
				return readFileSync(file).length > 500;
			} catch {
				return false;
			}
		});
		const beginMs = Date.now();
		await sleep(pick(random, 4000));
		child.kill('SIGKILL');
		const seconds = (Date.now() - beginMs) / 1000;
		const {status, stdout} = await runCli('open', file);
		expect(status).toBe(0);
		expect(stdout).toContain('samples');
		expect(openRecording(readFileSync(file)).ring.windows.length).toBeGreaterThanOrEqual(Math.floor(seconds));
	}
});

test('it ends well at SIGINT and at the target\'s end, and says how it went in a line', async () => {
	for (const how of ['SIGINT', 'end'] as const) {
		const java = await javaForTest('KnownPhases');
		const file = newName();
		const child = spawn(process.execPath, [cli, 'record', String(java.pid), '-o', file], {stdio: ['ignore', 'ignore', 'pipe']});
		let said = '';
		child.stderr.on('data', (text: Uint8Array) => {
			said += String(text);
		});
		await sleep(5000);
		if (how === 'end') {
			await java.stop();
		} else {
			child.kill(how);
		}

		await until(() => child.exitCode !== null);
		expect({status: child.exitCode, said}).toEqual({status: 0, said: expect.stringMatching(/^recorded .*\.tprof \ds {2}[\d,]+ samples {2}\d+\/s {2}[\d.]+[KM] {2}costs [\d.]+% of target {2}own CPU [\d.]+%; tprof-top open .*\.tprof shows it\n$/) as unknown});
		const {problem, ring} = openRecording(readFileSync(file));
		expect({problem, windows: ring.windows.length}).toEqual({problem: undefined, windows: expect.toSatisfy(count => count >= 2 && count <= 7) as unknown});
	}
});

test('where there is no room for more, it says so once, and what is there is good', async () => {
	const java = await javaForTest('BusyAndParked', {args: ['20', '10', '2']});
	const file = newName();
	const {status, stderr} = await run('bash', ['-c', 'ulimit -f 6; exec "$0" "$1" record "$2" -o "$3" --duration 12', process.execPath, cli, String(java.pid), file]);
	expect(status).toBe(1);
	expect(stderr.match(/it would exceed the file size limit/g)?.length).toBe(2);
	expect(stderr).toMatch(/sampling goes on/);
	expect(openRecording(readFileSync(file)).ring.windows.length).toBeGreaterThan(0);
	expect((await runCli('record', String(java.pid), '-o', '/proc/x.tprof')).stderr).toMatch(/^tprof-top: cannot write \/proc\/x\.tprof: /);
});

test('--when has what was before a burst, by the program\'s own clock, and runs a command after it', async () => {
	const java = await javaForTest('KnownPhases');
	const place = path.join(folder, 'when');
	const child = spawnForTest(process.execPath, [cli, 'record', String(java.pid), '-o', path.join(folder, 'when-x.tprof'), '--when', 'cpu>20', '--exec', `echo >> ${place}`, '--interval', '20'], {stdio: 'ignore'});
	await sleep(4500);
	java.child.stdin!.write('\n');
	const [beganMs, endedMs] = await until(() => /burnt (\d+) (\d+) \d+/.exec(java.output())?.slice(1).map(Number));
	const found = () => readdirSync(folder).find(name => /^when-x-\d{8}T\d{6}Z\.tprof$/.test(name));
	await until(found);
	await sleep(2000);
	child.kill('SIGINT');
	await until(() => readdirSync(folder).includes('when'));
	await until(() => child.exitCode !== null);
	const {ring} = openRecording(readFileSync(path.join(folder, found()!)));
	expect(ring.windows.filter(({atMs}) => atMs < beganMs).length).toBeGreaterThanOrEqual(3);
	const busiest = ring.windows.toSorted((a, b) => b.cpuNs - a.cpuNs)[0];
	expect(busiest.atMs).toBeGreaterThan(beganMs);
	expect(busiest.atMs - 1000).toBeLessThan(endedMs);
});

test('a moment, a span and two spans of it are opened and compared', async () => {
	const java = await javaForTest('KnownPhases', {under: []});
	const file = newName();
	const child = spawnForTest(process.execPath, [cli, 'record', String(java.pid), '-o', file, '--duration', '9'], {stdio: 'ignore'});
	await sleep(4500);
	java.child.stdin!.write('\n');
	await until(() => child.exitCode !== null);
	const [, beganMs, endedMs] = (await java.waitFor(/burnt (\d+) (\d+) \d+/)).map(Number);
	const clock = (ms: number) => new Date(ms).toTimeString().slice(0, 8);
	const moments = [beganMs - 3000, beganMs - 1000, beganMs - 1000, endedMs + 2000].map(ms => clock(ms));
	const before = `${file}@${moments[0]}..${moments[1]}`;
	const burst = `${file}@${moments[2]}..${moments[3]}`;
	const {stdout, stderr} = await runCli('diff', before, burst, '--by', 'method', '--format', 'json');
	expect(stderr).toBe('');
	const {changes: [first]} = JSON.parse(stdout) as {changes: ReadonlyArray<Record<string, unknown>>};
	expect(first).toMatchObject({class: 'KnownPhases', change: 'new', noise: false});
	expect((await runCli('diff', before, burst)).stdout).toMatch(/CPU \+\/-.*\n *\+\d+ .*KnownPhases/);
	expect((await runCli('open', file, '--from', moments[2], '--to', moments[3], '--format', 'csv', '--by', 'method')).stdout).toMatch(/KnownPhases,/);
	expect((await runCli('open', file, '--at', '1s ago')).stdout).toContain('samples');
	expect(await runCli('open', file, '--at', '2001-01-01 10:00')).toMatchObject({status: 2, stderr: expect.stringContaining('the recording has nothing of 2001-01-01 10:00') as unknown});
	const terminal = closedAfterTest(new TerminalSession(process.execPath, [cli, 'open', file, '--at', clock(endedMs)]));
	expect(await terminal.until(/PAST/)).toMatch(/CPU +\d+%.*max \d+%/);
	terminal.type('[');
	await terminal.until(/\[ ] step, z span, Space plays/);
	terminal.type('B');
	await terminal.until('KnownPhases.');
	terminal.type(' ');
	await terminal.until(/playing|the end of the recording/);
	terminal.type('\u001B');
	await terminal.until('RECORDED');
	terminal.type('q');
	await terminal.ended();
});

test('the live screen records from its start, by a key, and all that it has', async () => {
	const java = await javaForTest('BusyAndParked', {args: ['5', '10', '1']});
	const file = newName();
	const place = path.join(folder, 'live');
	const {status} = await run('mkdir', [place]);
	expect(status).toBe(0);
	const terminal = closedAfterTest(new TerminalSession(process.execPath, [cli, String(java.pid), '--record', file, '--snapshot-dir', place], {columns: 160}));
	await terminal.until('REC ');
	await sleep(3000);
	terminal.type('w');
	await terminal.until('shows it');
	terminal.type('w');
	await terminal.until('recording to');
	await sleep(2500);
	terminal.type('w');
	await terminal.until('shows it');
	terminal.type('S');
	await terminal.until('Recording: all');
	terminal.type('\u001B[F\r');
	await terminal.until(/name|file/i);
	terminal.type('\r');
	await terminal.until(/saved tprof-.*windows|saved .*\.tprof/);
	terminal.type('q');
	await terminal.ended();
	const made = readdirSync(place).filter(name => name.endsWith('.tprof')).map(name => path.join(place, name));
	const [whole, byKey, all] = [file, ...made.toSorted()].map(name => openRecording(readFileSync(name)).ring.windows.length);
	expect(whole).toBeGreaterThanOrEqual(2);
	expect(byKey).toBeGreaterThanOrEqual(2);
	expect(all).toBeGreaterThan(whole + byKey - 2);
});

test('calls and tasks are recorded too', async () => {
	const java = await javaForTest('KnownTraces');
	const file = newName();
	const {status, stderr} = await runCli('record', String(java.pid), '-o', file, '--trace', 'KnownTraces.*', '--yes', '--duration', '5');
	expect(stderr).toContain('recorded ');
	expect(status).toBe(0);
	expect((await runCli('open', file, '--view', 'traces')).stdout).toMatch(/KnownTraces\./);
	expect((await runCli('open', file, '--view', 'traces', '--at', '1s ago', '--format', 'json')).stdout).toContain('"traces"');
});

test('a program that knows docs/formats.md alone reads it', async () => {
	const java = await javaForTest('BusyAndParked', {args: ['20', '10', '2']});
	const file = newName();
	await runCli('record', String(java.pid), '-o', file, '--duration', '5');
	const {stdout, stderr} = await run('python3', [path.resolve(import.meta.dirname, '../exports/read_recording.py'), file]);
	expect(stderr).toBe('');
	const {ring} = openRecording(readFileSync(file));
	const lookBack = new LookBack();
	const lines = stdout.trim().split('\n').map(line => JSON.parse(line) as {atMs: number; samples: number; methods: Record<string, readonly [number, number]>});
	expect(lines.length).toBe(ring.windows.length);
	for (const [index, {atMs, samples, methods}] of lines.entries()) {
		const {snapshot: {counters, dictionary, session}} = lookBack.at(ring, index)!;
		const before = index === 0 ? undefined : lookBack.at(ring, index - 1)!.snapshot.counters;
		const expected: Record<string, [number, number]> = {};
		for (let counter = 0; counter < counters.count; counter++) {
			const [ns, ticks] = [counters.cpuNs[counter] - (before?.cpuNs[counter] ?? 0), counters.ticks[counter] - (before?.ticks[counter] ?? 0)];
			if (ns !== 0 || ticks !== 0) {
				const frame = dictionary.nodeFrame[counters.node[counter]];
				const name = `${dictionary.strings[dictionary.frameClass[frame]]}.${dictionary.strings[dictionary.frameMethod[frame]]}`;
				expected[name] = [ns + (expected[name]?.[0] ?? 0), ticks + (expected[name]?.[1] ?? 0)];
			}
		}

		expect({atMs, samples, methods}).toEqual({atMs: ring.windows[index].atMs, samples: session.samples, methods: expected});
	}

	writeFileSync(file, readFileSync(file).subarray(0, -20));
	expect((await run('python3', [path.resolve(import.meta.dirname, '../exports/read_recording.py'), file])).stdout.trim().split('\n').length).toBe(lines.length);
});
