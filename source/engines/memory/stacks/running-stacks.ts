import {type JavaThread} from '../threads/java-thread.js';
import {type JavaThreads} from '../threads/java-threads.js';
import {type Memory} from '../process/memory.js';
import {type Ptrace} from '../process/ptrace.js';
import {Unreadable} from '../process/reader.js';
import {type Stopper, type Stops} from '../process/stopper.js';
import {javaThreadState, type ThreadBlock} from '../threads/thread-block.js';
import {type ChunkPlace, type Continuations} from './continuation.js';
import {decodeRegisters, registersBytes} from './registers.js';
import {StackCopy} from './stack.js';
import {type TopFrame} from './top-frame.js';
import {type Walker, type WalkEnd} from './walker.js';

/**
Most bytes of a stack copied while its thread is held: 256 KB take some 50 microseconds, and hold 1,000 frames or more.
*/
const heldStackBytes = 1 << 18;

/** Who is told when a thread is stopped. */
export type StopWatch = {asked(thread: JavaThread): void; held(thread: JavaThread): void};

type Moment = {thread: JavaThread; readonly registers: Uint8Array; readonly stack: StackCopy; isTaken: boolean; isAnchored: boolean; chunk?: ChunkPlace};

/**
Takes and walks the stacks of threads that execute Java code: stopped for a moment each, walked once they run again.
*/
export class RunningStacks {
	readonly #memory: Memory;
	readonly #threads: JavaThreads;
	readonly #walker: Walker;
	readonly #top: TopFrame;
	readonly #ptrace: Ptrace;
	readonly #stopper: Stopper;
	readonly #continuations: Continuations;
	readonly #watch?: StopWatch;
	readonly #moments: Moment[] = [];

	constructor(parts: {
		readonly memory: Memory; readonly threads: JavaThreads; readonly walker: Walker; readonly top: TopFrame; readonly ptrace: Ptrace; readonly stopper: Stopper;
		readonly continuations: Continuations;
		/** Told of each thread just before it is asked to stop, and while it is held. */
		readonly watch?: StopWatch;
	}) {
		this.#memory = parts.memory;
		this.#threads = parts.threads;
		this.#walker = parts.walker;
		this.#top = parts.top;
		this.#ptrace = parts.ptrace;
		this.#stopper = parts.stopper;
		this.#continuations = parts.continuations;
		this.#watch = parts.watch;
	}

	/**
	Fills in the frames of all these threads; those that the kernel does not know as threads of the target are not
	stopped.
	*/
	walk(threads: readonly JavaThread[]): Stops {
		const byId = new Map<number, Moment>();
		for (const [index, thread] of threads.entries()) {
			this.#moments[index] ??= {
				thread, registers: new Uint8Array(registersBytes), stack: new StackCopy(), isTaken: false, isAnchored: false,
			};
			const moment = this.#moments[index];
			moment.thread = thread;
			moment.isTaken = false;
			if (thread.isThere) {
				byId.set(thread.nativeId, moment);
			}
		}

		const stops = this.#stopper.stop([...byId.keys()], tid => {
			const moment = byId.get(tid);
			if (moment) {
				this.#take(moment, tid);
			}
		}, tid => {
			const moment = byId.get(tid);
			if (moment) {
				this.#watch?.asked(moment.thread);
			}
		});
		for (let index = 0; index < threads.length; index++) {
			this.#finish(this.#moments[index]);
		}

		return stops;
	}

	/** While the thread stands still: registers, whether it still executes Java code, and the stack. */
	#take(moment: Moment, tid: number): void {
		const {thread} = moment;
		try {
			if (this.#ptrace.registers(tid, moment.registers) !== 0 || !this.#threads.reread(thread)) {
				return;
			}

			// It may have left Java code between the look at its state and its stop.
			const {block} = thread;
			moment.isAnchored = !thread.isInJava && block.anchorSp !== 0;
			const low = moment.isAnchored ? block.anchorSp - 8 : decodeRegisters(moment.registers).sp;
			// A thread that has only just begun to run tells the JVM only now where its stack is.
			if (low >= block.stackBase - block.stackSize && low < block.stackBase) {
				moment.stack.load(this.#memory, low, block.stackBase, heldStackBytes);
				moment.isTaken = true;
				this.#watch?.held(thread);
				moment.chunk = block.continuationEntry === 0 ? undefined : this.#continuations.locate(moment.stack, block.continuationEntry);
			}
		} catch (error) {
			if (!(error instanceof Unreadable)) {
				throw error;
			}
		}
	}

	#finish({thread, registers, stack, isTaken, isAnchored, chunk}: Moment): void {
		this.#walker.start();
		let end: WalkEnd = 'broken';
		if (isTaken) {
			const {block} = thread;
			const place = decodeRegisters(registers);
			// A call into the VM that need not change the thread's state (JRT_BLOCK_ENTRY: locking, allocating) still
			// leaves an anchor.
			if (isAnchored || (block.anchorSp > place.sp && !this.#top.isInCode(place))) {
				end = this.#fromAnchor(stack, block);
			} else {
				end = isOutsideJava(block) ? 'root' : this.#top.walk(stack, place);
			}
		}

		const hasHeap = this.#walker.heapStart !== -1 && chunk !== undefined && this.#continuations.walk(chunk);
		thread.setStack(this.#walker, end, hasHeap ? this.#continuations.frames : undefined);
		thread.setWalked(undefined);
	}

	#fromAnchor(stack: StackCopy, {anchorSp, anchorPc, anchorFp}: ThreadBlock): WalkEnd {
		return stack.has(anchorSp - 8) ? this.#walker.walk(stack, anchorPc || stack.word(anchorSp - 8), anchorSp, anchorFp) : 'broken';
	}
}

/**
Whether a thread that stands still has left Java code for good, as one that ends, or has not begun to run it: without an
anchor, and not on the way between two states.
*/
function isOutsideJava({state, anchorSp}: ThreadBlock): boolean {
	return anchorSp === 0 && state !== javaThreadState.inJava && state % 2 === 0;
}
