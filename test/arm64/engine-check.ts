/*
Checks the memory engine in an emulated arm64 machine (npm run test:arm64), against what programs are known to do and
what a thread dump says. Arguments: the homes of JDKs. Classes of the programs are in the folder of this file. Prints a
line for each check; the exit code is 1 if one failed.
*/
import {spawn} from 'node:child_process';
import {readFileSync, readdirSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {toldBy} from '../../bench/support/busy-target.js';
import {dumpOf} from '../engines/attach/dumps.js';
import {ProgramSource} from '../engines/memory/legal-calls.js';
import {Observer, type ObservedThread, type Row} from '../engines/observe.js';
import {type JavaProcess, javaProcess} from '../helpers/jvm.js';

/** Stacks that a check of running threads looks at, and the part of them that may be wrong or incomplete. */
const wanted = 80;
const tolerance = 0.05;

/** Samples after which a check ends that has not seen enough; each takes a moment in the machine. */
const mostSamples = 400;

/** First release that signs return addresses in Java code (JDK-8277204). */
const firstWithSigning = 20;

type Way = {readonly home: string; readonly release: number; readonly flags: readonly string[]};

let failures = 0;

async function checked({release, flags}: Way, what: string, check: () => Promise<string>): Promise<void> {
	const name = ['JDK', release, ...flags, what].join(' ');
	try {
		process.stdout.write(`ok      ${name}: ${await check()}\n`);
	} catch (error) {
		failures++;
		process.stdout.write(`FAILED  ${name}: ${(error as Error).message}\n`);
	}
}

async function withProgram<T>(
	{home, flags}: Way,
	[name, ...args]: readonly string[],
	body: (java: JavaProcess) => Promise<T>,
): Promise<T> {
	const java = javaProcess(spawn(path.join(home, 'bin/java'), [
		'-Xmx128m', '-XX:+UseSerialGC', ...flags, '-cp', path.join(import.meta.dirname, 'classes'), name, ...args,
	]));
	try {
		await java.waitFor(/ready/);
		return await body(java);
	} finally {
		await java.stop();
	}
}

function expectSame(what: string, got: unknown, expected: unknown): void {
	const [first, second] = [got, expected].map(value => JSON.stringify(value));
	if (first !== second) {
		throw new Error(`${what}: ${first} instead of ${second}`);
	}
}

/** Number of threads of a process that a tracer holds. */
function heldThreads(pid: number): number {
	return readdirSync(`/proc/${pid}/task`).filter(tid =>
		!/^TracerPid:\s*0$/m.test(readFileSync(`/proc/${pid}/task/${tid}/status`, 'utf8'))).length;
}

/** Waiting threads: states, frames and holders are those of the JVM's own thread dump. */
async function waits(way: Way): Promise<string> {
	return withProgram(way, ['WaitsEveryWay', '2', '40'], async java => {
		const observer = await Observer.open(java.pid);
		await observer.observe();
		const rows = await dumpOf(java);
		const dumped = rows.filter(({key, name}) => key > 0 && name !== 'Attach Listener');
		const threads = await observer.observe();
		const seen = new Map(threads.map(row => [row.key, row]));
		await observer.close();
		// A dump has nobody idle, and who waits for a class's initializer is blocked in it at once.
		const stateOf = ({name, state}: Row) =>
			name === 'waiting for the initialiser' ? 'BLOCKED' : (state === 'IDLE' ? 'RUNNABLE' : state);
		const factsOf = (row: Row | undefined) => row && [row.name, stateOf(row), row.frames];
		for (const row of dumped) {
			expectSame(row.name, factsOf(seen.get(row.key)), factsOf(row));
		}

		const blocked = dumped.filter(({lock, owner}) => lock.startsWith('monitor ') && owner !== '');
		for (const {name, key, owner} of blocked) {
			expectSame(`holder for ${name}`, seen.get(key)!.owner, owner);
		}

		if (dumped.length < 20 || blocked.length === 0) {
			throw new Error(`only ${dumped.length} threads, ${blocked.length} of them blocked`);
		}

		return `${dumped.length} threads, ${blocked.length} with a holder`;
	});
}

/** Running threads: stacks are legal by the program's source, complete, and none stays held. */
async function running(way: Way, timer: 'perf' | 'stop'): Promise<string> {
	const source = new ProgramSource('KnownCalls');
	return withProgram(way, ['KnownCalls', '2'], async java => {
		const observer = await Observer.open(java.pid, {timer});
		const stacks: Array<readonly string[]> = [];
		for (let sample = 0; sample < mostSamples && stacks.length < wanted; sample++) {
			const threads = await observer.observe();
			stacks.push(...threads.filter(({name}) => name.startsWith('running-')).flatMap(thread =>
				stacksOf(thread, timer)));
		}

		await observer.close();
		const held = heldThreads(java.pid);
		const problems = stacks.map(frames => source.problem(frames)).filter(problem => problem !== undefined);
		const lines = new Set(stacks.map(frames => frames[0])).size;
		const figures = `${stacks.length} stacks at ${lines} lines, ${problems.length} illegal or incomplete, ${held} threads held`;
		if (stacks.length < wanted || lines < 5 || problems.length > tolerance * stacks.length || held > 0) {
			throw new Error(`${figures}: ${problems.slice(0, 3).join('; ')}`);
		}

		return figures;
	});
}

/** The stacks that a sample has of a running thread: those of its records, or the one at its stop. */
function stacksOf({credits, frames, state}: ObservedThread, timer: 'perf' | 'stop'): Array<readonly string[]> {
	if (timer === 'perf') {
		return credits.map(credit => credit.frames);
	}

	return state === 'RUNNABLE' && frames.length > 0 ? [frames] : [];
}

/** Mounted virtual threads, with their frames in the heap. */
async function virtualThreads(way: Way): Promise<string> {
	return withProgram(way, ['VirtualThreads', '30'], async java => {
		const observer = await Observer.open(java.pid, {timer: 'perf'});
		const found = new Map<string, number>();
		for (let sample = 0; sample < mostSamples && found.size < 2; sample++) {
			for (const {name, isVirtual, credits} of await observer.observe()) {
				const method = name === 'spinning' ? 'spinDown' : 'parkDown';
				for (const {frames} of isVirtual ? credits : []) {
					found.set(name, frames.filter(frame => frame.startsWith(`VirtualThreads.${method}:`)).length);
				}
			}
		}

		await observer.close();
		const expected = way.release >= 24 ? ['spinning', 'resumed'] : ['spinning'];
		for (const name of expected) {
			expectSame(`frames of ${name}`, found.get(name), 30);
		}

		return `${expected.join(' and ')} with all frames`;
	});
}

/** CPU time of methods is what the program has measured itself. */
async function truth(way: Way): Promise<string> {
	return withProgram(way, ['KnownTruth', 'unequal'], async java => {
		const usedBy = async () => {
			const said = await toldBy(java);
			return new Map(Array.from(said.matchAll(/^share (\w+) (\d+)$/gm), ([, name, ns]) => [name, Number(ns)]));
		};

		const observer = await Observer.open(java.pid, {timer: 'perf'});
		await observer.observe();
		const before = await usedBy();
		await observer.observe();
		const shown = new Map<string, number>();
		let records = 0;
		for (let sample = 0; sample < mostSamples && records < 10 * wanted; sample++) {
			const threads = await observer.observe();
			for (const {cpuNs, frames} of threads.flatMap(({credits}) => credits)) {
				const method = frames.map(frame => /^KnownTruth\.(alpha|beta|gamma):/.exec(frame)?.[1]).find(Boolean);
				if (method) {
					records++;
					shown.set(method, (shown.get(method) ?? 0) + cpuNs);
				}
			}
		}

		const after = await usedBy();
		await observer.close();
		const names = ['alpha', 'beta', 'gamma'];
		const shares = (of: (name: string) => number) => {
			const sum = names.reduce((total, name) => total + of(name), 0);
			return names.map(name => 100 * of(name) / sum);
		};

		const own = shares(name => shown.get(name) ?? 0);
		const used = shares(name => after.get(name)! - before.get(name)!);
		const distance = own.reduce((total, share, index) => total + Math.abs(share - used[index]), 0);
		// Four times the standard error of each share, and two points.
		const bound = 2 + used.reduce((total, share) => total + (4 * Math.sqrt(share * (100 - share) / records)), 0);
		const figures = `shares ${own.map(share => share.toFixed(1)).join(' ')} instead of ${
			used.map(share => share.toFixed(1)).join(' ')
		}, L1 ${distance.toFixed(1)} of ${records} records`;
		if (!(distance <= bound)) {
			throw new Error(figures);
		}

		return figures;
	});
}

for (const home of process.argv.slice(2)) {
	const release = Number(/(\d+)\/?$/.exec(home)?.[1]);
	const plain: Way = {home, release, flags: []};
	const signed: Way = {home, release, flags: ['-XX:UseBranchProtection=standard']};
	if (release >= 21) {
		await checked(plain, 'virtual threads', async () => virtualThreads(plain));
	}

	await checked(plain, 'running threads, perf', async () => running(plain, 'perf'));
	await checked(plain, 'running threads, stop', async () => running(plain, 'stop'));
	await checked(plain, 'waiting threads', async () => waits(plain));
	await checked(plain, 'CPU time', async () => truth(plain));
	if (release >= firstWithSigning) {
		await checked(signed, 'running threads, perf', async () => running(signed, 'perf'));
		await checked(signed, 'running threads, stop', async () => running(signed, 'stop'));
		await checked(signed, 'waiting threads', async () => waits(signed));
	}
}

process.exit(failures === 0 ? 0 : 1);
