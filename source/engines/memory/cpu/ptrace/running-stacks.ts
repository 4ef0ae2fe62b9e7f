import {type JavaThread} from '../../threads/java-thread.js';
import {type JavaThreads} from '../../threads/java-threads.js';
import {type Jvm} from '../../hotspot/jvm.js';
import {ifReadable} from '../../target/memory-reader.js';
import {emptyBlock, isInTransition, javaThreadState, type ThreadBlock} from '../../hotspot/thread-block.js';
import {checkStack} from '../../unwind/check-stack.js';
import {type ChunkPosition, type Continuations} from '../../unwind/continuation.js';
import {StackCopy} from '../../unwind/stack.js';
import {type TopFrame} from '../../unwind/top-frame.js';
import {walkedStack, type WalkEnd, type Walker} from '../../unwind/walker.js';
import {type Stopper, type Stops} from './stopper.js';
import {decodeRegisters, registersBytes, type Ptrace} from './ptrace.js';

/** Enough for 1,000 frames. */
const maxCopiedBytes = 1 << 18;

/** Is called just before each thread is asked to stop, and while it is stopped. */
export type StopObserver = {beforeStop(thread: JavaThread): void; whileStopped(thread: JavaThread): void};

/**
What was copied of a stopped thread. `isComplete`: all was readable; `isAnchored`: the stack was copied from the anchor
on; `chunk`: where the rest of a virtual thread's frames are.
*/
type Capture = {
	thread: JavaThread;
	readonly registers: Uint8Array;
	readonly stack: StackCopy;
	readonly block: ThreadBlock;
	isComplete: boolean;
	isAnchored: boolean;
	chunk?: ChunkPosition;
};

type Parts = {
	readonly walker: Walker;
	readonly top: TopFrame;
	readonly ptrace: Ptrace;
	readonly stopper: Stopper;
	readonly continuations: Continuations;
};

/** Stops threads that execute Java code, copies their stacks, and walks the copies once the threads run again. */
export class RunningStacks {
	readonly #jvm: Jvm;
	readonly #threads: JavaThreads;
	readonly #parts: Parts;
	/** All captures made so far, whose memory is used again. */
	readonly #reusedCaptures: Capture[] = [];
	/** Of threads stopped by `stopInJava`, by Linux id. */
	#captures = new Map<number, Capture>();

	constructor(jvm: Jvm, threads: JavaThreads, parts: Parts) {
		this.#jvm = jvm;
		this.#threads = threads;
		this.#parts = parts;
	}

	/**
	Stops these threads and sets their frames. Threads that the kernel does not list for the target are not stopped.
	*/
	walk(threads: readonly JavaThread[]): Stops {
		const captures = new Map<number, Capture>();
		for (const thread of threads) {
			if (!thread.presence.exists) {
				thread.stack.setUnknown();
			}
		}

		const stops = this.#stop(threads, captures);
		for (const capture of captures.values()) {
			this.#setStack(capture);
		}

		return stops;
	}

	/**
	Stops those of the threads that execute Java code; `walkCaptured` sets their frames. A thread may run on for a
	moment, at most to its next system call, before it stops.
	*/
	stopInJava(
		threads: readonly JavaThread[],
		stillExists: (thread: JavaThread) => boolean,
		observer: StopObserver,
	): Stops {
		this.#captures = new Map();
		return this.#stop(
			threads,
			this.#captures,
			thread => this.#threads.isInJavaNow(thread) && stillExists(thread),
			observer,
		);
	}

	/**
	Sets the frames of the stopped threads to those at their stop, and returns these threads. A thread that could not be
	stopped in time has an unknown stack while it executes Java code.
	*/
	walkCaptured(threads: readonly JavaThread[]): readonly JavaThread[] {
		const capturedThreads = this.#captures.size === 0 ? [] : threads.filter(thread => this.isCaptured(thread));
		for (const thread of capturedThreads) {
			const capture = this.#captures.get(thread.nativeId)!;
			if (capture.isComplete) {
				thread.place.setBlock(capture.block);
			}

			this.#setStack(capture);
		}

		return capturedThreads;
	}

	/** Whether `walkCaptured` sets a thread's stack, which then need not be read again. */
	isCaptured(thread: JavaThread): boolean {
		const capture = this.#captures.get(thread.nativeId);
		return capture?.thread === thread && (capture.isComplete || thread.isInJava);
	}

	/** Stops those threads that `wants` accepts, and adds what it copies of each to `captures`, by Linux id. */
	#stop(
		threads: readonly JavaThread[],
		captures: Map<number, Capture>,
		wants: (thread: JavaThread) => boolean = () => true,
		observer?: StopObserver,
	): Stops {
		const byId = new Map<number, JavaThread>();
		for (const thread of threads) {
			if (thread.presence.exists) {
				byId.set(thread.nativeId, thread);
			}
		}

		return this.#parts.stopper.stop([...byId.keys()], tid => {
			const capture = captures.get(tid);
			if (capture) {
				this.#copy(capture, tid);
				observer?.whileStopped(capture.thread);
				Object.assign(capture.block, capture.thread.block);
			}
		}, {
			wants: tid => {
				const thread = byId.get(tid)!;
				const isWanted = wants(thread);
				if (isWanted) {
					this.#add(thread, captures);
				}

				return isWanted;
			},
			beforeStop(tid) {
				observer?.beforeStop(byId.get(tid)!);
			},
		});
	}

	/** Adds a capture of a thread that is about to be stopped. */
	#add(thread: JavaThread, captures: Map<number, Capture>): void {
		const index = captures.size;
		this.#reusedCaptures[index] ??= {
			thread,
			registers: new Uint8Array(registersBytes),
			stack: new StackCopy(),
			block: emptyBlock(),
			isComplete: false,
			isAnchored: false,
		};
		const capture = this.#reusedCaptures[index];
		capture.thread = thread;
		capture.isComplete = false;
		captures.set(thread.nativeId, capture);
	}

	/** Copies a stopped thread's registers, block and stack. */
	#copy(capture: Capture, tid: number): void {
		const {thread} = capture;
		ifReadable(() => {
			if (this.#parts.ptrace.registers(tid, capture.registers) !== 0 || !this.#threads.reread(thread)) {
				return;
			}

			// The thread may have left Java code before it stopped.
			const {block} = thread;
			capture.isAnchored = !thread.isInJava && block.anchorSp !== 0;
			const low = capture.isAnchored ? block.anchorSp - 8 : decodeRegisters(capture.registers).sp;
			// Only now does a thread that has just started have a stack base.
			if (low >= block.stackBase - block.stackSize && low < block.stackBase) {
				capture.stack.load(this.#jvm.memory, low, block.stackBase, maxCopiedBytes);
				capture.isComplete = true;
				capture.chunk = this.#parts.continuations.locate(capture.stack, block.continuationEntry);
			}
		}, undefined);
	}

	#setStack({thread, registers, stack, isComplete, isAnchored, chunk}: Capture): void {
		const {walker, top, continuations} = this.#parts;
		walker.start();
		let end: WalkEnd = 'broken';
		if (isComplete) {
			const {block} = thread;
			const location = decodeRegisters(registers);
			checkStack(this.#jvm, stack);
			// A VM call without a state transition (JRT_BLOCK_ENTRY: locking, allocating) still leaves an anchor.
			if (isAnchored || (block.anchorSp > location.sp && !top.isInCode(location))) {
				end = ifReadable<WalkEnd>(() => walker.walkFromAnchor(stack, block), 'broken');
			} else {
				// Without an anchor and outside Java code, the thread has left Java code or not entered it yet.
				const isOutsideJava = block.anchorSp === 0 && block.state !== javaThreadState.inJava
					&& !isInTransition(block);
				end = isOutsideJava ? 'root' : top.walk(stack, location);
			}
		}

		const heap = walker.heapStart === -1 ? undefined : continuations.walk(chunk);
		thread.stack.setWalked(walkedStack(walker, end, heap));
	}
}
