import {setTimeout as sleep} from 'node:timers/promises';
import {auto} from '../engines/engine-registry.js';
import {SessionOver, type EngineSession} from '../engines/common/engine.js';
import type {Target} from '../jvm/target.js';
import {nativeLine, type Interner} from '../model/frame.js';
import {Sample, threadFlag} from '../model/sample.js';
import {UserError} from '../runtime/errors.js';
import {chooseEngine} from './choose-engine.js';

const sampleCount = 40;

/**
A method has a running loop if it is the top frame of at least this many stacks of a thread, and of this share of those
on which the thread used CPU time. A loop that only calls other methods does not matter: these are compiled.
*/
const minTops = 3;
const minTopShare = 0.3;

/**
On this many stacks a carrier must have used CPU time to count as busy. Its own methods then run at each switch of
virtual threads, for too short a time to be the top frame of a sample.
*/
const minOfCarrier = 8;
const intervalMs = 20;
const maxMethods = 200;

/**
From this many calls of one method on, a thread may run out of stack when the method's class is changed: the JVM then
interprets the method, and an interpreted call needs more stack than a compiled one.
*/
const deepCalls = 1000;

type Frame = {readonly className: string; readonly method: string; readonly isNative: boolean};

/** Frames by their ids. */
class Frames implements Interner {
	readonly #strings = new Map<string, number>();
	readonly #names = [''];
	readonly #ids = new Map<string, number>();
	readonly #frames: Frame[] = [{className: '', method: '', isNative: false}];

	internString(text: string): number {
		let id = this.#strings.get(text);
		if (id === undefined) {
			id = this.#names.push(text) - 1;
			this.#strings.set(text, id);
		}

		return id;
	}

	internFrame(classId: number, methodId: number, fileId: number, line: number): number {
		const key = `${classId} ${methodId} ${fileId} ${line}`;
		let id = this.#ids.get(key);
		if (id === undefined) {
			const frame = {
				className: this.#names[classId],
				method: this.#names[methodId],
				isNative: line === nativeLine,
			};
			id = this.#frames.push(frame) - 1;
			this.#ids.set(key, id);
		}

		return id;
	}

	get(id: number): Frame {
		return this.#frames[id];
	}

	/** Whether it is the method with which a platform thread runs a virtual thread. */
	isOfCarrier(id: number): boolean {
		const {className, method} = this.get(id);
		return className === 'java.lang.VirtualThread' && method === 'runContinuation';
	}

	/** Whether two frames are of the same method, perhaps at different lines. */
	isSameMethod(a: number, b: number): boolean {
		return this.get(a).className === this.get(b).className && this.get(a).method === this.get(b).method;
	}
}

/** A thread's frames that all its stacks have had so far, outermost first, and how often each was the top one. */
class CommonStack {
	#withCpu = 0;
	#frames: number[];
	readonly #tops = new Map<number, number>();
	#isCarrier = false;

	constructor(stack: readonly number[]) {
		this.#frames = [...stack];
	}

	/** Adds a stack: the last common frame may be at another line. `hasCpu`: the thread used CPU time on it. */
	add(stack: readonly number[], hasCpu: boolean, frames: Frames): void {
		const length = Math.min(stack.length, this.#frames.length);
		let common = 0;
		while (common < length && stack[common] === this.#frames[common]) {
			common++;
		}

		const hasMoved = common < length && frames.isSameMethod(stack[common], this.#frames[common]);
		this.#frames = this.#frames.slice(0, common + (hasMoved ? 1 : 0));
		this.#isCarrier ||= stack.some(frame => frames.isOfCarrier(frame));
		if (hasCpu) {
			const top = stack.length - 1;
			this.#tops.set(top, (this.#tops.get(top) ?? 0) + 1);
			this.#withCpu++;
		}
	}

	/** Whether the thread carries virtual threads, and uses much CPU time. */
	get isBusyCarrier(): boolean {
		return this.#isCarrier && this.#withCpu >= minOfCarrier;
	}

	/** Returns the frames that all stacks share and that top enough of them; of a busy carrier, all that they share. */
	loops(): number[] {
		if (this.isBusyCarrier) {
			return this.#frames;
		}

		const least = Math.max(minTops, this.#withCpu * minTopShare);
		return this.#frames.filter((_, index) => (this.#tops.get(index) ?? 0) >= least);
	}
}

/**
Methods are as `Class.method`. `deepMethods`: a thread was `deepCalls` calls of each of them deep; `areCarriersBusy`:
whether virtual threads switch at a high rate.
*/
export type RunningLoops = {
	readonly methods: readonly string[];
	readonly deepMethods: readonly string[];
	readonly areCarriersBusy: boolean;
};

/**
Returns methods that threads may have been running for long without a return. The JVM does not compile the code of a
method that runs while its class is changed, so a loop in it stays interpreted until the method returns. Also returns
methods that threads are in many times. Takes some samples. Throws UserError if the JVM cannot be sampled.
*/
export async function runningLoops(target: Target): Promise<RunningLoops> {
	const frames = new Frames();
	const stacks = new Map<number, CommonStack>();
	const deepMethods = new Set<string>();
	let session: EngineSession | undefined;
	try {
		const {engine} = await chooseEngine(auto, target, undefined, auto);
		session = await engine.open(target, {depth: Infinity, timer: auto}, frames);
		const sample = new Sample();
		for (let number = 0; number < sampleCount; number++) {
			const {ok, stoppedMs} = await session.sample(sample);
			if (ok) {
				addStacks(sample, stacks, frames);
				addDeepMethods(sample, deepMethods, frames);
			}

			await sleep(Math.max(intervalMs, 20 * stoppedMs));
		}
	} catch (error) {
		throw error instanceof SessionOver ? new UserError(error.message, {hint: error.hint}) : error;
	} finally {
		await session?.close();
	}

	const methods = new Set<string>();
	for (const id of [...stacks.values()].flatMap(stack => stack.loops())) {
		const {className, method, isNative} = frames.get(id);
		if (!isNative && methods.size < maxMethods) {
			methods.add(`${className}.${method}`);
		}
	}

	return {
		methods: [...methods],
		deepMethods: [...deepMethods],
		areCarriersBusy: [...stacks.values()].some(stack => stack.isBusyCarrier),
	};
}

/** Adds the methods that occur `deepCalls` times or more on one stack. */
function addDeepMethods(sample: Sample, to: Set<string>, frames: Frames): void {
	for (const {count, stackStart, stackLength} of [sample, sample.attributedCpu]) {
		for (let stack = 0; stack < count; stack++) {
			const [start, length] = [stackStart[stack], stackLength[stack]];
			const calls = length < deepCalls ? [] : timesOf(sample.frames.subarray(start, start + length), frames);
			for (const [method, times] of calls) {
				if (times >= deepCalls && to.size < maxMethods) {
					to.add(method);
				}
			}
		}
	}
}

/** Returns how often each method, as `Class.method`, is on a stack. */
function timesOf(stack: Int32Array, frames: Frames): ReadonlyMap<string, number> {
	const times = new Map<string, number>();
	for (const id of stack) {
		const {className, method} = frames.get(id);
		const name = `${className}.${method}`;
		times.set(name, (times.get(name) ?? 0) + 1);
	}

	return times;
}

/** Adds the stacks on which threads used CPU time, and those on which they were seen. */
function addStacks(sample: Sample, to: Map<number, CommonStack>, frames: Frames): void {
	const {attributedCpu, key, stackStart, stackLength} = sample;
	const withCpu = new Set<number>();
	const add = (row: number, start: number, length: number, hasCpu: boolean) => {
		// Outermost first.
		const stack = [...sample.frames.subarray(start, start + length)].reverse();
		if (
			length > 0
			&& (sample.flags[row] & (threadFlag.incomplete | threadFlag.vmInternal | threadFlag.compiler)) === 0
		) {
			const common = to.get(key[row]) ?? new CommonStack(stack);
			to.set(key[row], common);
			common.add(stack, hasCpu, frames);
		}
	};

	for (let index = 0; index < attributedCpu.count; index++) {
		withCpu.add(attributedCpu.row[index]);
		add(attributedCpu.row[index], attributedCpu.stackStart[index], attributedCpu.stackLength[index], true);
	}

	for (let row = 0; row < sample.count; row++) {
		if (!withCpu.has(row)) {
			add(row, stackStart[row], stackLength[row], sample.cpuNs[row] > 0);
		}
	}
}
