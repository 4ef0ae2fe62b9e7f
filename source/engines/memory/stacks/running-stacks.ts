import {availableParallelism} from 'node:os';
import {type JavaThread} from '../threads/java-thread.js';
import {type JavaThreads} from '../threads/java-threads.js';
import {type Memory} from '../process/memory.js';
import {OwnWaking} from '../process/own-waking.js';
import {type Ptrace} from '../process/ptrace.js';
import {Unreadable} from '../process/reader.js';
import {type Choice, type Stopper} from '../process/stopper.js';
import {type Stops} from '../process/stops.js';
import {emptyBlock, javaThreadState, type ThreadBlock} from '../threads/thread-block.js';
import {type ChunkPlace, type Continuations} from './continuation.js';
import {decodeRegisters, registersBytes} from './registers.js';
import {restLengthUs} from './rest-length.js';
import {StackCopy} from './stack.js';
import {type TopFrame} from './top-frame.js';
import {type Walker, type WalkEnd} from './walker.js';

/**
Most bytes of a stack copied while its thread is held: 256 KB take some 50 microseconds, and hold 1,000 frames or more.
*/
const heldStackBytes = 1 << 18;

/**
After how many microseconds those that are not at work are looked at again: as long as it takes from a look until a
thread stands still.
*/
const againUs = 25;

/** No thread has these ids (Linux include/linux/threads.h): what is asked of them does nothing. */
const nobody = 0;
const nobodyToWaitFor = 0x7F_FF_FF_FF;
const warmUps = 2;

/** CPUs beside the one that we use while we look. */
const otherCpus = availableParallelism() - 1;

/** Whom of some threads to stop, of those that are not wanted by the look before; see `Choice`. */
type Look = {readonly afterUs: number; begin?(): void; wants(thread: JavaThread): boolean};

/** Who is told when a thread is stopped. */
export type StopWatch = {asked(thread: JavaThread): void; held(thread: JavaThread): void};

type Moment = {thread: JavaThread; readonly registers: Uint8Array; readonly stack: StackCopy; readonly block: ThreadBlock; isTaken: boolean; isAnchored: boolean; chunk?: ChunkPlace};

/**
Takes and walks the stacks of threads that execute Java code: stopped for a moment each, walked once they run again.
*/
export class RunningStacks {
	/** What our own sleeps cost, before those who run are looked for. */
	readonly waking: OwnWaking;
	readonly #memory: Memory;
	readonly #threads: JavaThreads;
	readonly #walker: Walker;
	readonly #top: TopFrame;
	readonly #ptrace: Ptrace;
	readonly #stopper: Stopper;
	readonly #continuations: Continuations;
	readonly #watch?: StopWatch;
	readonly #moments: Moment[] = [];
	readonly #scratch = new Uint8Array(registersBytes);
	/** When the target was last left alone. */
	#restedMs = Number.NEGATIVE_INFINITY;
	/** By Linux id, those that `stopWorking` has stopped. */
	#caught = new Map<number, Moment>();

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
		this.waking = new OwnWaking(microseconds => {
			parts.ptrace.sleep(microseconds);
		});
	}

	/**
	Fills in the frames of all these threads; those that the kernel does not know as threads of the target are not
	stopped.
	*/
	walk(threads: readonly JavaThread[]): Stops {
		const moments = new Map<number, Moment>();
		for (const thread of threads) {
			if (!thread.isThere) {
				this.#walker.start();
				thread.setStack(this.#walker, 'broken', undefined);
				thread.setWalked(undefined);
			}
		}

		const stops = this.#stop(threads, moments, [{afterUs: 0, wants: () => true}]);
		for (const moment of moments.values()) {
			this.#finish(moment);
		}

		return stops;
	}

	/**
	Looks who of these threads executes Java code and stops those; `walkCaught` fills in their frames. Before that the
	target is left alone for a moment: while we worked it had a CPU less, and who is at work at the end of that has much to
	do. From the look on a thread goes on for some time until it stands still, so that a piece of work that had less to do is
	missed. In its place counts, where nobody was found, one that had not begun at the first look and has at the second,
	about as long afterwards: together they are as likely for work of any length that takes longer than both. Not where that
	may have begun only because another thread was stopped.
	*/
	stopWorking(threads: readonly JavaThread[], isStillThere: (thread: JavaThread) => boolean): Stops {
		const inJava = new Set<JavaThread>();
		let room = 0;
		this.#caught = new Map();
		return this.#stop(threads, this.#caught, [
			{afterUs: 0, wants: thread => this.#threads.isInJavaNow(thread) && isStillThere(thread) && Boolean(inJava.add(thread))},
			{
				afterUs: againUs,
				begin: () => {
					room = otherCpus - [...inJava].filter(thread => this.#threads.isInJavaNow(thread)).length;
				},
				wants: thread => room > 0 && this.#threads.isInJavaNow(thread) && isStillThere(thread) && Boolean(inJava.add(thread)),
			},
		], thread => {
			// One that has left Java code was there by chance; where it did so says nothing of where it worked.
			if (thread.isInJava !== inJava.has(thread)) {
				thread.isOffCpu = true;
				thread.wasOnCpu = false;
			}
		}, {
			rest: () => {
				this.#warmUp(threads, isStillThere);
				const nowMs = performance.now();
				this.waking.rest(restLengthUs(nowMs - this.#restedMs));
				this.#restedMs = nowMs;
			},
		});
	}

	/**
	Fills in the frames of those of the threads that were caught, as they stood then, and gives them. One that did not stop
	in time, or may not be stopped, has an unknown stack as long as it executes Java code.
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

	/**
	Does what is done from a look until a thread stands still, to no end but that it takes less time then: after a sleep
	of ours the code of it is in no cache. No thread is seized for it.
	*/
	#warmUp(threads: readonly JavaThread[], isStillThere: (thread: JavaThread) => boolean): void {
		const thread = threads.find(({isThere}) => isThere);
		if (!thread) {
			return;
		}

		for (let times = 0; times < warmUps; times++) {
			this.#threads.isInJavaNow(thread);
			isStillThere(thread);
			this.#watch?.asked(thread);
			this.#ptrace.interrupt(nobody);
			this.#ptrace.poll(nobodyToWaitFor);
			this.#ptrace.registers(nobody, this.#scratch);
		}
	}

	#stop(threads: readonly JavaThread[], moments: Map<number, Moment>, looks: readonly Look[], held: (thread: JavaThread) => void = () => undefined, before: Pick<Choice, 'rest'> = {}): Stops {
		const byId = new Map<number, JavaThread>();
		for (const thread of threads) {
			if (thread.isThere) {
				byId.set(thread.nativeId, thread);
			}
		}

		return this.#stopper.stop([...byId.keys()], tid => {
			const moment = moments.get(tid);
			if (moment) {
				this.#take(moment, tid);
				held(moment.thread);
				Object.assign(moment.block, moment.thread.block);
			}
		}, {
			looks: looks.map(({afterUs, begin, wants}) => ({
				afterUs, begin,
				wants: tid => {
					const thread = byId.get(tid)!;
					const isWanted = wants(thread);
					if (isWanted) {
						this.#momentOf(thread, moments);
					}

					return isWanted;
				},
			})),
			asked: tid => {
				this.#watch?.asked(byId.get(tid)!);
			},
			...before,
		});
	}

	#momentOf(thread: JavaThread, moments: Map<number, Moment>): Moment {
		const index = moments.size;
		this.#moments[index] ??= {
			thread, registers: new Uint8Array(registersBytes), stack: new StackCopy(), block: emptyBlock(), isTaken: false, isAnchored: false,
		};
		const moment = this.#moments[index];
		moment.thread = thread;
		moment.isTaken = false;
		moments.set(thread.nativeId, moment);
		return moment;
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
