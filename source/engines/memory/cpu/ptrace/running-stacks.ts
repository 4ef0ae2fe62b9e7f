import {type JavaThread} from '../../threads/java-thread.js';
import {type JavaThreads} from '../../threads/java-threads.js';
import {type Memory} from '../../target/memory.js';
import {ifReadable} from '../../target/reader.js';
import {emptyBlock, javaThreadState, type ThreadBlock} from '../../hotspot/thread-block.js';
import {type ChunkPosition, type Continuations} from '../../unwind/continuation.js';
import {StackCopy, decodeRegisters, registersBytes} from '../../unwind/stack.js';
import {type TopFrame} from '../../unwind/top-frame.js';
import {type WalkEnd, type Walker} from '../../unwind/walker.js';
import {type Stopper, type Stops} from './stopper.js';
import {type Ptrace} from './ptrace.js';

/** Maximum bytes copied while a thread is held; they hold 1,000 frames or more. */
const heldStackBytes = 1 << 18;

/** Notified when a thread is asked to stop, and while it is held. */
export type StopWatch = {asked(thread: JavaThread): void; held(thread: JavaThread): void};

type Moment = {thread: JavaThread; readonly registers: Uint8Array; readonly stack: StackCopy; readonly block: ThreadBlock; isTaken: boolean; isAnchored: boolean; chunk?: ChunkPosition};

type Parts = {
	readonly memory: Memory; readonly threads: JavaThreads; readonly walker: Walker; readonly top: TopFrame; readonly ptrace: Ptrace; readonly stopper: Stopper;
	readonly continuations: Continuations;
};

/** Stops threads that execute Java code, copies their stacks, and walks them once they run again. */
export class RunningStacks {
	readonly #parts: Parts;
	readonly #moments: Moment[] = [];
	/** Threads stopped by `stopWorking`, by Linux id. */
	#caught = new Map<number, Moment>();

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	/** Sets the frames of these threads; those that the kernel does not list for the target are not stopped. */
	walk(threads: readonly JavaThread[]): Stops {
		const moments = new Map<number, Moment>();
		for (const thread of threads) {
			if (!thread.isThere) {
				this.#parts.walker.start();
				thread.stack.setStack(this.#parts.walker, 'broken', undefined);
				thread.stack.setWalked(undefined);
			}
		}

		const stops = this.#stop(threads, moments);
		for (const moment of moments.values()) {
			this.#finish(moment);
		}

		return stops;
	}

	/**
	Stops those of these threads that execute Java code; `walkCaught` sets their frames. Before it stops, a thread runs
	on for a moment, up to its next system call.
	*/
	stopWorking(threads: readonly JavaThread[], isStillThere: (thread: JavaThread) => boolean, watch: StopWatch): Stops {
		this.#caught = new Map();
		return this.#stop(threads, this.#caught, thread => this.#parts.threads.isInJavaNow(thread) && isStillThere(thread), watch);
	}

	/**
	Sets the frames of the stopped threads to those at their stop, and returns these threads. A thread that could not be
	stopped in time has an unknown stack while it executes Java code.
	*/
	walkCaught(threads: readonly JavaThread[]): readonly JavaThread[] {
		const caught = this.#caught.size === 0 ? [] : threads.filter(thread => this.isCaught(thread));
		for (const thread of caught) {
			const moment = this.#caught.get(thread.nativeId)!;
			Object.assign(thread.block, moment.isTaken ? moment.block : undefined);
			this.#finish(moment);
		}

		return caught;
	}

	isCaught(thread: JavaThread): boolean {
		const moment = this.#caught.get(thread.nativeId);
		return moment?.thread === thread && (moment.isTaken || thread.isInJava);
	}

	#stop(threads: readonly JavaThread[], moments: Map<number, Moment>, wants: (thread: JavaThread) => boolean = () => true, watch?: StopWatch): Stops {
		const byId = new Map<number, JavaThread>();
		for (const thread of threads) {
			if (thread.isThere) {
				byId.set(thread.nativeId, thread);
			}
		}

		return this.#parts.stopper.stop([...byId.keys()], tid => {
			const moment = moments.get(tid);
			if (moment) {
				this.#take(moment, tid);
				watch?.held(moment.thread);
				Object.assign(moment.block, moment.thread.block);
			}
		}, {
			wants: tid => {
				const thread = byId.get(tid)!;
				const isWanted = wants(thread);
				if (isWanted) {
					this.#add(thread, moments);
				}

				return isWanted;
			},
			asked(tid) {
				watch?.asked(byId.get(tid)!);
			},
		});
	}

	#add(thread: JavaThread, moments: Map<number, Moment>): void {
		const index = moments.size;
		this.#moments[index] ??= {
			thread, registers: new Uint8Array(registersBytes), stack: new StackCopy(), block: emptyBlock(), isTaken: false, isAnchored: false,
		};
		const moment = this.#moments[index];
		moment.thread = thread;
		moment.isTaken = false;
		moments.set(thread.nativeId, moment);
	}

	/** While the thread is stopped: reads its registers, its state and its stack. */
	#take(moment: Moment, tid: number): void {
		const {thread} = moment;
		ifReadable(() => {
			if (this.#parts.ptrace.registers(tid, moment.registers) !== 0 || !this.#parts.threads.reread(thread)) {
				return;
			}

			// It may have left Java code before it stopped.
			const {block} = thread;
			moment.isAnchored = !thread.isInJava && block.anchorSp !== 0;
			const low = moment.isAnchored ? block.anchorSp - 8 : decodeRegisters(moment.registers).sp;
			// A thread that has just started has no stack base before this.
			if (low >= block.stackBase - block.stackSize && low < block.stackBase) {
				moment.stack.load(this.#parts.memory, low, block.stackBase, heldStackBytes);
				moment.isTaken = true;
				moment.chunk = block.continuationEntry === 0 ? undefined : this.#parts.continuations.locate(moment.stack, block.continuationEntry);
			}
		}, undefined);
	}

	#finish({thread, registers, stack, isTaken, isAnchored, chunk}: Moment): void {
		this.#parts.walker.start();
		let end: WalkEnd = 'broken';
		if (isTaken) {
			const {block} = thread;
			const location = decodeRegisters(registers);
			// A VM call without a state transition (JRT_BLOCK_ENTRY: locking, allocating) still leaves an anchor.
			if (isAnchored || (block.anchorSp > location.sp && !this.#parts.top.isInCode(location))) {
				end = this.#fromAnchor(stack, block);
			} else {
				end = isOutsideJava(block) ? 'root' : this.#parts.top.walk(stack, location);
			}
		}

		const hasHeap = this.#parts.walker.heapStart !== -1 && chunk !== undefined && this.#parts.continuations.walk(chunk);
		thread.stack.setStack(this.#parts.walker, end, hasHeap ? this.#parts.continuations.frames : undefined);
		thread.stack.setWalked(undefined);
	}

	#fromAnchor(stack: StackCopy, {anchorSp, anchorPc, anchorFp}: ThreadBlock): WalkEnd {
		return stack.has(anchorSp - 8) ? this.#parts.walker.walk(stack, anchorPc || stack.word(anchorSp - 8), anchorSp, anchorFp) : 'broken';
	}
}

/** Whether a thread has finished Java code or not started it: no anchor, and not in a state transition. */
function isOutsideJava({state, anchorSp}: ThreadBlock): boolean {
	return anchorSp === 0 && state !== javaThreadState.inJava && state % 2 === 0;
}
