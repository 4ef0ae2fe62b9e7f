import {setTimeout as sleep} from 'node:timers/promises';
import type {AttachClient} from '../engines/attach/socket/client.js';
import {DumpParser} from '../engines/attach/dump/parser.js';
import {IdleList} from '../jvm/threads/idle.js';
import {nativeLine, type Interner} from '../model/frame.js';
import {Sample} from '../model/sample.js';
import {UserError} from '../runtime/errors.js';

/** Number of thread dumps, and in how many a method must be the top frame: a loop that runs for 30 % of the time is. */
const dumpCount = 20;
const minTops = 2;
/** The least time between two. */
const pauseMs = 20;
/** A dump stops all threads: dumps take at most one part in this of the time. */
const dumpPart = 5;
const dumpTimeoutMs = 10_000;
const maxMethods = 200;

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
			const frame = {className: this.#names[classId], method: this.#names[methodId], isNative: line === nativeLine};
			id = this.#frames.push(frame) - 1;
			this.#ids.set(key, id);
		}

		return id;
	}

	get(id: number): Frame {
		return this.#frames[id];
	}

	/** Whether two frames are of the same method, perhaps at different lines. */
	isSameMethod(a: number, b: number): boolean {
		return this.get(a).className === this.get(b).className && this.get(a).method === this.get(b).method;
	}
}

/** A thread's frames that all dumps have had so far, outermost first, and how often each was the top one. */
class CommonStack {
	#seen = 0;
	#frames: number[];
	readonly #tops = new Map<number, number>();

	constructor(stack: readonly number[]) {
		this.#frames = [...stack];
	}

	/** Adds the stack of the next dump: the last common frame may be at another line. */
	add(stack: readonly number[], frames: Frames): void {
		const length = Math.min(stack.length, this.#frames.length);
		let common = 0;
		while (common < length && stack[common] === this.#frames[common]) {
			common++;
		}

		const hasMoved = common < length && frames.isSameMethod(stack[common], this.#frames[common]);
		this.#frames = this.#frames.slice(0, common + (hasMoved ? 1 : 0));
		const top = stack.length - 1;
		this.#tops.set(top, (this.#tops.get(top) ?? 0) + 1);
		this.#seen++;
	}

	/** Returns the frames that were in all dumps and the top one in enough of them. */
	loops(): number[] {
		return this.#seen < dumpCount ? [] : this.#frames.filter((_, index) => (this.#tops.get(index) ?? 0) >= minTops);
	}
}

/**
Returns methods, as `Class.method`, that threads may have been running for long without a return: the JVM does not
compile the code of a method that runs while its class is changed, and a loop in it stays interpreted until the method
returns. Takes some thread dumps. Throws UserError if the JVM gives none.
*/
export async function runningLoops(client: AttachClient): Promise<string[]> {
	const frames = new Frames();
	const parser = new DumpParser(frames, {depth: Infinity, idle: new IdleList()});
	const sample = new Sample();
	const stacks = new Map<number, CommonStack>();
	for (let dump = 0; dump < dumpCount; dump++) {
		const reply = await client.threadDump({timeoutMs: dumpTimeoutMs});
		if (reply.status !== 'ok') {
			throw new UserError(reply.reason, {hint: 'hint' in reply ? reply.hint : ''});
		}

		parser.parse(reply.bytes, sample);
		for (let row = 0; row < sample.count; row++) {
			const stack = stackOf(sample, row);
			if (dump === 0) {
				stacks.set(sample.key[row], new CommonStack(stack));
			}

			stacks.get(sample.key[row])?.add(stack, frames);
		}

		await sleep(Math.max(pauseMs, reply.tookMs * (dumpPart - 1)));
	}

	const methods = new Set<string>();
	for (const id of [...stacks.values()].flatMap(stack => stack.loops())) {
		const {className, method, isNative} = frames.get(id);
		if (!isNative && methods.size < maxMethods) {
			methods.add(`${className}.${method}`);
		}
	}

	return [...methods];
}

/** Returns the frames of a thread, outermost first. */
function stackOf({frames, stackStart, stackLength}: Sample, row: number): number[] {
	return [...frames.subarray(stackStart[row], stackStart[row] + stackLength[row])].reverse();
}
