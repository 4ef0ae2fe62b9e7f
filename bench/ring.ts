/*
The ring of windows: an hour, a window a second, as fast as it goes, with a thousand threads that wait and ever new facts
until the table is full (524,288); and one with so many changes that the bound is met. Bytes as the ring counts them, what
the process holds for it (heap and array buffers, after a collection), CPU time of a window, and how long a step back, a
jump to the oldest window and the time line take. Targets: never over 64 MB; a step below 50 ms.
*/
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import type {Snapshot} from '../source/model/snapshot.js';
import {SnapshotBuilder} from '../source/model/snapshot-builder.js';
import {stateCode} from '../source/model/thread-state.js';
import {LookBack} from '../source/query/past/look-back.js';
import {addToRing, emptyRing, type Ring} from '../source/query/past/ring.js';
import {cellBefore, cellOf} from '../source/query/past/steps.js';
import {timeCells} from '../source/query/past/time-line.js';
import {median, printFigures, type Figure} from './support/figures.js';

const hour = Number(process.env.TPROF_BENCH_SECONDS ?? 3600);
const maxFacts = 524_288;
const threadCount = 1000;
const startMs = 1_700_000_400_000;
const megabyte = 1024 * 1024;

type Load = {readonly title: string; readonly newFacts: number; readonly changedFacts: number};

/** A session that takes `newFacts` new facts each second and counts at `changedFacts` of those that there are. */
class Session {
	readonly #load: Load;
	readonly #first: Snapshot;
	readonly #ticks = new Int32Array(maxFacts);
	readonly #cpuNs = new Float64Array(maxFacts);
	readonly #keys = {thread: new Int32Array(maxFacts), node: new Int32Array(maxFacts), state: new Uint8Array(maxFacts)};
	#count = threadCount;
	#second = 0;
	#seed = 1;

	constructor(load: Load) {
		this.#load = load;
		const builder = new SnapshotBuilder();
		const node = builder.addStack([builder.addFrame('A', 'a', 'A.java', 1)]);
		for (let thread = 0; thread < threadCount; thread++) {
			builder.addThread({key: thread + 1, name: `worker-${thread}`, node, state: stateCode.WAITING});
		}

		this.#first = builder.build();
		for (let fact = 0; fact < maxFacts; fact++) {
			this.#keys.thread[fact] = fact % threadCount;
			this.#keys.node[fact] = node;
			this.#keys.state[fact] = fact % 5 === 0 ? stateCode.BLOCKED : stateCode.RUNNABLE;
		}
	}

	/** The snapshot of the next second. */
	next(): Snapshot {
		const seconds = ++this.#second;
		this.#count = Math.min(maxFacts, this.#count + this.#load.newFacts);
		// Threads that wait.
		for (let fact = 0; fact < threadCount; fact++) {
			this.#ticks[fact] += 50;
		}

		for (let times = 0; times < this.#load.changedFacts; times++) {
			const fact = this.#random(this.#count);
			this.#ticks[fact] += 1 + this.#random(20);
			this.#cpuNs[fact] += this.#random(2e7);
		}

		for (let fact = Math.max(0, this.#count - this.#load.newFacts); fact < this.#count; fact++) {
			this.#ticks[fact]++;
			this.#cpuNs[fact] += this.#random(2e7);
		}

		const {threads} = this.#first;
		const atMs = startMs + (seconds * 1000);
		// One in five threads has moved.
		const sinceMs = threads.sinceMs.map(() => this.#random(5) === 0 ? atMs - this.#random(1000) : 0);
		return {
			...this.#first,
			session: {
				...this.#first.session, samples: seconds * 50, durationMs: seconds * 1000, sampledMs: seconds * 1000, takenAtMs: atMs, lastSampleAtMs: atMs,
			},
			threads: {...threads, sinceMs},
			facts: {...this.#keys, count: this.#count, ticks: this.#ticks.slice(0, this.#count), cpuNs: this.#cpuNs.slice(0, this.#count)},
		};
	}

	#random(below: number): number {
		this.#seed = (Math.imul(this.#seed, 1_103_515_245) + 12_345) >>> 0;
		return Math.floor(this.#seed / 4_294_967_296 * below);
	}
}

/** What is in use, after collections; array buffers are let go of some turns later. */
async function heldBytes(): Promise<number> {
	for (let turn = 0; turn < 5; turn++) {
		(globalThis as {gc?: () => void}).gc?.();
		await sleep(50);
	}

	const {heapUsed, external} = process.memoryUsage();
	return heapUsed + external;
}

function cpuMsOf(call: () => unknown): number {
	const before = process.cpuUsage();
	call();
	const {user, system} = process.cpuUsage(before);
	return (user + system) / 1000;
}

/** CPU milliseconds of each of so many calls. */
function timesOf(count: number, call: () => void): number[] {
	return Array.from({length: count}, () => cpuMsOf(call));
}

async function measure(load: Load): Promise<Figure[]> {
	const session = new Session(load);
	const before = await heldBytes();
	let ring: Ring = emptyRing;
	let most = 0;
	const times = Array.from({length: hour}, () => {
		const snapshot = session.next();
		const ms = cpuMsOf(() => {
			ring = addToRing(ring, snapshot);
		});
		most = Math.max(most, ring.bytes);
		return ms;
	});
	// Its newest snapshot is that of the screen.
	const {newest} = ring;
	const held = await heldBytes() - before - (newest!.facts.ticks.byteLength + newest!.facts.cpuNs.byteLength);
	const lookBack = new LookBack();
	let cell: number | undefined;
	const steps = timesOf(60, () => {
		cell = cellBefore(ring, cell, 10_000);
		if (cell !== undefined) {
			lookBack.window(ring, cell, 10_000);
		}
	});

	const oldest = cpuMsOf(() => new LookBack().window(ring, ring.windows[0].atMs, 10_000));
	const line = cpuMsOf(() => timeCells(ring, cellOf(newest!.session.lastSampleAtMs, 60_000), 60_000, 180));
	const of = load.title;
	return [
		{
			what: 'bytes of the ring, at most', value: most / megabyte, unit: 'MB', below: 64.1, of,
		},
		{
			what: 'held by the process for it', value: held / megabyte, unit: 'MB', below: 80, of,
		},
		{
			what: 'how far it goes back', value: (newest!.session.lastSampleAtMs - ring.windows[0].atMs) / 60_000, unit: 'min', of,
		},
		{
			what: 'CPU of a window', value: median(times), unit: 'ms', of,
		},
		{
			what: 'CPU of a step of 10 s back', value: median(steps), unit: 'ms', below: 50, of,
		},
		{
			what: 'CPU of a jump to the oldest', value: oldest, unit: 'ms', of,
		},
		{
			what: 'CPU of the time line', value: line, unit: 'ms', below: 10, of,
		},
	];
}

for (const load of [
	{title: '1,000 threads wait, 100 facts change', newFacts: 1, changedFacts: 100},
	{title: '145 new facts a second', newFacts: 145, changedFacts: 500},
	{title: '145 new facts, 20,000 change', newFacts: 145, changedFacts: 20_000},
]) {
	printFigures(await measure(load));
}
