import {stateCode} from '../../../model/thread-state.js';
import {IdleList, idleKind} from '../../../jvm/threads/idle.js';
import {type Jvm} from '../hotspot/jvm.js';
import {javaThreadState} from '../hotspot/thread-block.js';
import {countsAsRunning} from './cpu-times.js';
import {derivedState, mayStall, waitKind} from './derived-state.js';
import {type JavaThread} from './java-thread.js';

/** Threads often pause inside the VM, for example at safepoints; after this long a paused thread counts as waiting. */
const stalledAfterMs = 200;

/** Finds the state that a thread's row shows: the thread's own, unless it is idle or stalled. */
export class ShownStates {
	readonly #jvm: Jvm;
	readonly #idle: IdleList;
	#nowMs = 0;
	/** Number of intervals that the current sample covers. */
	#repeats = 1;
	/** Whether a collection was stopping the program in this sample; undefined until needed. */
	#wasCollecting: boolean | undefined;

	constructor(jvm: Jvm, extraIdle: readonly string[] | undefined) {
		this.#jvm = jvm;
		this.#idle = new IdleList(extraIdle);
	}

	/** Begins a sample that covers `repeats` intervals. */
	start(repeats: number): void {
		this.#nowMs = performance.now();
		this.#repeats = repeats;
		this.#wasCollecting = undefined;
	}

	/** Sets the state that a thread's row shows. Call it in each sample until the state is settled. */
	update(thread: JavaThread): void {
		const code = this.#stateOf(thread);
		thread.state.setState(code, thread.cpu.isZero && (code === stateCode.IDLE || !mayStall(thread)));
	}

	#stateOf(thread: JavaThread): number {
		if (this.#isIdle(thread)) {
			return stateCode.IDLE;
		}

		if (!this.#isStalled(thread)) {
			return thread.description.state;
		}

		// A safepoint may delay a thread on its way into or out of a sleep, wait or park: show these.
		const {methods} = this.#jvm;
		return waitKind(thread, methods) === 'none' ? stateCode.BLOCKED : derivedState(thread, methods, undefined);
	}

	/**
	Whether a thread that the JVM reports as RUNNABLE waits inside the VM, for example for a class's initializer, memory
	or a compiler: its stack stays the same, and it uses no CPU time. Collections, which stop all threads, do not count.
	*/
	#isStalled(thread: JavaThread): boolean {
		return thread.state.stalledMs(mayStall(thread) && !this.#isCollecting(), this.#nowMs) >= stalledAfterMs;
	}

	#isCollecting(): boolean {
		this.#wasCollecting ??= this.#jvm.collections.isRunning();
		return this.#wasCollecting;
	}

	/** Whether a RUNNABLE thread waits in a known native call, or inside the VM without a Java frame. */
	#isIdle({description, cpu, stack: {frames, end}, block}: JavaThread): boolean {
		if (description.state !== stateCode.RUNNABLE) {
			return false;
		}

		const usedNoCpu = cpu.isKnown && !countsAsRunning(cpu, this.#repeats);
		if (frames.length === 0) {
			return end === 'root' && (cpu.isKnown ? usedNoCpu : block.state === javaThreadState.blocked);
		}

		const method = this.#jvm.methods.ofFrame(frames[0]);
		const kind = method ? this.#idle.kindOf(method.className, method.name) : idleKind.none;
		return kind === idleKind.always || (kind === idleKind.ifNoCpu && usedNoCpu);
	}
}
