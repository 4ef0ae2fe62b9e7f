/*
Is it better to try the lock some times before sleeping than to sleep at once? Two threads take the table's lock in turn
at random moments, as the sampler and the screen do, only far more often, so that they meet; in between they sleep.
Printed for each number of tries, of the times that the other side had the lock: how long the wait was, and the CPU time
that it cost over that of taking a free lock (the waiting thread's own, so that what else the machine does matters
little). The last row is the scheme without any wake-up: look, sleep a millisecond, look again.
*/
import {readFileSync} from 'node:fs';
import {performance} from 'node:perf_hooks';
import {fileURLToPath} from 'node:url';
import {isMainThread, Worker, workerData} from 'node:worker_threads';
import {createTable, tableHeader, word} from '../source/table/table-layout.js';
import {acquireLock, releaseLock} from '../source/table/lock.js';

/** Tries before the first sleep; -1: sleep a millisecond between two tries and wake nobody. */
const spinCounts = [0, 1, 10, 100, 1000, 10_000, -1];
const roundsEach = 3000;
/**
All counts are measured in turn several times, since other work on the machine comes and goes; waits are pooled, CPU
times are medians.
*/
const repetitions = 7;
/** How long each side keeps the lock and stays away from it, microseconds. */
const cases = [{name: '30 us held', heldUs: 30, awayUs: 60}, {name: '300 us held', heldUs: 300, awayUs: 300}];
/** How long the waiting side keeps it. */
const ownHeldUs = 5;

type Input = {
	table: SharedArrayBuffer;
	stop: SharedArrayBuffer;
	spins: number;
	heldUs: number;
	awayUs: number;
	isAbsent: boolean;
};

/** CPU time of the calling thread, nanoseconds. */
function threadCpuNs(): number {
	return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]);
}

function workFor(us: number): void {
	const end = performance.now() + (us / 1000);
	while (performance.now() < end) {
		// Holds the lock, or stays away from it.
	}
}

const parked = new Int32Array(new SharedArrayBuffer(4));

function acquire(words: Int32Array, spins: number): void {
	if (spins >= 0) {
		acquireLock(words, 60_000, spins);
		return;
	}

	while (!acquireLock(words, 0, 0)) {
		Atomics.wait(parked, 0, 0, 1);
	}
}

/** Sleeps so long at random, on average. */
function sleepFor(us: number): void {
	Atomics.wait(parked, 0, 0, us * 2 * Math.random() / 1000);
}

function otherSide({table, stop, spins, heldUs, awayUs, isAbsent}: Input): void {
	const words = isAbsent ? tableHeader(createTable()) : tableHeader(table);
	const isOver = new Int32Array(stop);
	while (Atomics.load(isOver, 0) === 0) {
		acquire(words, spins);
		workFor(heldUs);
		releaseLock(words);
		sleepFor(awayUs);
	}
}

function quantile(sorted: Float64Array, part: number): string {
	return (sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0).toFixed(1);
}

type Measured = {waitsUs: number[]; cpuUs: number};

async function measure(input: Omit<Input, 'table' | 'stop'>): Promise<Measured> {
	const table = createTable();
	const stop = new SharedArrayBuffer(4);
	const words = tableHeader(table);
	const worker = new Worker(fileURLToPath(import.meta.url), {workerData: {...input, table, stop} satisfies Input});
	const exited = new Promise(resolve => {
		worker.once('exit', resolve);
	});
	await new Promise(resolve => {
		setTimeout(resolve, 200);
	});
	const waitsUs: number[] = [];
	const cpuStart = threadCpuNs();
	for (let round = 0; round < roundsEach; round++) {
		sleepFor(input.awayUs);
		const isHeld = words[word.lock] !== 0;
		const beganMs = performance.now();
		acquire(words, input.spins);
		const waitUs = (performance.now() - beganMs) * 1000;
		workFor(ownHeldUs);
		releaseLock(words);
		if (isHeld) {
			waitsUs.push(waitUs);
		}
	}

	const cpuUs = (threadCpuNs() - cpuStart) / 1000;
	Atomics.store(new Int32Array(stop), 0, 1);
	await exited;
	return {waitsUs, cpuUs};
}

async function main(): Promise<void> {
	for (const {name, heldUs, awayUs} of cases) {
		const waitsUs = spinCounts.map((): number[] => []);
		const burntUs = spinCounts.map((): number[] => []);
		for (let repetition = 0; repetition < repetitions; repetition++) {
			const free = await measure({
				spins: 0, heldUs, awayUs, isAbsent: true,
			});
			for (const [index, spins] of spinCounts.entries()) {
				const measured = await measure({
					spins, heldUs, awayUs, isAbsent: false,
				});
				waitsUs[index].push(...measured.waitsUs);
				burntUs[index].push((measured.cpuUs - free.cpuUs) / Math.max(1, measured.waitsUs.length));
			}
		}

		console.log(`\nlock, ${name}\n\n| tries before sleeping | waits | wait p50 us | p99 us | CPU per wait us |\n| --- | --- | --- | --- | --- |`);
		for (const [index, spins] of spinCounts.entries()) {
			const waits = Float64Array.from(waitsUs[index]).sort();
			const burnt = Float64Array.from(burntUs[index]).sort();
			console.log(`| ${
				[
					spins < 0 ? 'sleep 1 ms' : String(spins),
					String(waits.length),
					quantile(waits, 0.5),
					quantile(waits, 0.99),
					quantile(burnt, 0.5),
				].join(' | ')
			} |`);
		}
	}
}

if (isMainThread) {
	await main();
} else {
	otherSide(workerData as Input);
}
