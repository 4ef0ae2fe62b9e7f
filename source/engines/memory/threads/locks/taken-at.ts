import {type CodeCache} from '../../hotspot/code-cache.js';
import {type Methods} from '../../hotspot/methods.js';
import {type Vm} from '../../hotspot/vm.js';
import {type Memory} from '../../target/memory.js';
import {ifReadable} from '../../target/reader.js';
import {HeldMonitors} from '../../stacks/held-monitors.js';
import {StackCopy} from '../../stacks/stack.js';
import {Walker} from '../../stacks/walker.js';
import {type JavaThread} from '../java-thread.js';
import {emptyBlock, ThreadBlocks} from '../thread-block.js';

/** Maximum number of stacks walked per sample; most holders have not moved. */
const maxWalks = 16;

/** Where holders took monitors: the outermost frame of the holder's stack that holds one. */
export class TakenAt {
	readonly #memory: Memory;
	readonly #walker: Walker;
	readonly #held: HeldMonitors;
	readonly #blocks: ThreadBlocks;
	readonly #stack = new StackCopy();
	readonly #before = emptyBlock();
	readonly #after = emptyBlock();
	/** By the holder's frames, which are replaced when it moves; then by monitor. */
	readonly #known = new WeakMap<Int32Array, Map<number, number>>();
	#walksLeft = maxWalks;

	constructor(vm: Vm, memory: Memory, code: CodeCache, methods: Methods) {
		this.#memory = memory;
		this.#held = new HeldMonitors(vm);
		this.#walker = new Walker(vm, code, methods, this.#held);
		this.#blocks = new ThreadBlocks(memory, vm.layout);
	}

	start(): void {
		this.#walksLeft = maxWalks;
	}

	/**
	Id of the frame in which a thread took a monitor, with that frame's current line; 0 if unknown, for example in Java
	code. `objectOf` reads the monitor's object.
	*/
	frameOf(holder: JavaThread, monitor: number, objectOf: () => number | undefined): number {
		if (holder.frames.length === 0 || holder.isInJava || holder.carrierStart >= 0) {
			return 0;
		}

		const ofFrames = this.#known.get(holder.frames) ?? new Map<number, number>();
		this.#known.set(holder.frames, ofFrames);
		const known = ofFrames.get(monitor);
		if (known !== undefined || this.#walksLeft === 0) {
			return known ?? 0;
		}

		this.#walksLeft--;
		const frame = this.#find(holder, objectOf);
		if (frame !== undefined) {
			ofFrames.set(monitor, frame);
		}

		return frame ?? 0;
	}

	/** Undefined if it must be searched again. */
	#find(holder: JavaThread, objectOf: () => number | undefined): number | undefined {
		return ifReadable(() => {
			const {address} = holder;
			const [before, after] = [this.#before, this.#after];
			if (!this.#blocks.read(address, before) || before.anchorSp === 0 || !holder.wasWalkedFrom(before)) {
				return undefined;
			}

			this.#held.start();
			this.#walker.start();
			this.#stack.load(this.#memory, before.anchorSp - 8, before.stackBase);
			const end = this.#walker.walk(this.#stack, before.anchorPc || this.#stack.word(before.anchorSp - 8), before.anchorSp, before.anchorFp);
			const object = objectOf();
			if (object === undefined || object === 0 || end !== 'root' || !this.#blocks.read(address, after) || !holder.wasWalkedFrom(after)) {
				return undefined;
			}

			const index = this.#held.frameIndexOf(object);
			return index < 0 ? 0 : this.#walker.frames.ids[index];
		}, undefined);
	}
}
