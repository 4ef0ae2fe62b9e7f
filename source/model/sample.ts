import {stateCode} from './thread-state.js';

/** Bits of `Sample.flags`. */
export const threadFlag = Object.freeze({
	daemon: 1,
	/** A thread of the JVM itself (collector, VM thread): no Java thread, never any frames. */
	vmInternal: 2,
	/** A virtual thread, shown beside its carrier. */
	virtual: 4,
	/** A platform thread that carries a mounted virtual thread at this moment. */
	carrier: 8,
	/** The stack is only the part that is sure: cut, torn while read, or not readable. */
	incomplete: 16,
	/** A JIT compiler thread: a Java thread for the JVM, without Java frames. */
	compiler: 32,
	/** Set by the table, not by engines: it has stood where it stands since before the first sample, for longer than anybody saw. */
	stoodBefore: 64,
});

/** What a thread is held up by; codes of `Sample.lockKind`. */
export const lockKinds = ['none', 'monitor', 'monitor-wait', 'park', 'class-init'] as const;
export type LockKind = (typeof lockKinds)[number];
export const lockKindCode = Object.freeze({none: 0, monitor: 1, 'monitor-wait': 2, park: 3, 'class-init': 4}) satisfies Readonly<Record<LockKind, number>>;

/**
All threads at one moment, as a struct of arrays that an engine fills and the sampler counts; reused for every sample, so nothing may keep it.
Row i is a thread; its frames are `frames[stackStart[i]] .. frames[stackStart[i] + stackLength[i] - 1]`, the top (innermost) frame first.
*/
export class Sample {
	/** Number of threads (rows in use). */
	count = 0;
	/** Frames in use in `frames`. */
	frameCount = 0;
	/** Identity of a thread for the target's life: its Java id (java.lang.Thread.getId), or minus the native id for threads of the JVM itself and those whose Java id was not known when they were first seen. */
	key = new Float64Array(64);
	/** Linux thread id as the target's own /proc/PID/task shows it on our side; 0 if not known. */
	nativeId = new Int32Array(64);
	/** String id of the thread's name. */
	name = new Int32Array(64);
	/** State code, see `stateCode`. */
	state = new Uint8Array(64);
	/** Bits of `threadFlag`. */
	flags = new Uint8Array(64);
	/** CPU nanoseconds the thread used since its previous sample; 0 at its first. */
	cpuNs = new Float64Array(64);
	/** CPU nanoseconds that count at the stack it stands at now; the sampler sets it from `cpuNs` (see sampler/cpu-placement.ts). */
	placedCpuNs = new Float64Array(64);
	/** CPU nanoseconds that the thread used at no known place, as it was never seen running; set with `placedCpuNs`. */
	unseenCpuNs = new Float64Array(64);
	stackStart = new Int32Array(64);
	stackLength = new Int32Array(64);
	/** What the thread waits for: code of `lockKinds`. */
	lockKind = new Uint8Array(64);
	/** String id of the class of the object it waits for; 0 if none. */
	lockClass = new Int32Array(64);
	/** Row of the thread that holds it, in this sample; -1 if none or not known. */
	lockOwner = new Int32Array(64);
	/** Frame id of the owner's frame that took the lock; 0 if not known. */
	lockOwnerFrame = new Int32Array(64);
	/** Row of the carrier thread of a mounted virtual thread; -1 for others. */
	carrier = new Int32Array(64);
	frames = new Int32Array(4096);

	/** Empties the sample, keeping its memory. */
	clear(): void {
		this.count = 0;
		this.frameCount = 0;
	}

	/** Appends a thread in state RUNNABLE, with no frames and no lock, and returns its row. */
	addThread(key: number, nativeId: number, name: number): number {
		const row = this.count;
		if (row === this.key.length) {
			this.#growThreads();
		}

		this.key[row] = key;
		this.nativeId[row] = nativeId;
		this.name[row] = name;
		this.state[row] = stateCode.RUNNABLE;
		this.flags[row] = 0;
		this.cpuNs[row] = 0;
		this.placedCpuNs[row] = 0;
		this.unseenCpuNs[row] = 0;
		this.stackStart[row] = this.frameCount;
		this.stackLength[row] = 0;
		this.lockKind[row] = 0;
		this.lockClass[row] = 0;
		this.lockOwner[row] = -1;
		this.lockOwnerFrame[row] = 0;
		this.carrier[row] = -1;
		this.count = row + 1;
		return row;
	}

	/** Appends a frame below the ones already added to the thread that was added last. */
	addFrame(frame: number): void {
		if (this.frameCount === this.frames.length) {
			this.frames = grown(this.frames, new Int32Array(this.frames.length * 2));
		}

		this.frames[this.frameCount++] = frame;
		this.stackLength[this.count - 1]++;
	}

	#growThreads(): void {
		const size = this.key.length * 2;
		this.key = grown(this.key, new Float64Array(size));
		this.nativeId = grown(this.nativeId, new Int32Array(size));
		this.name = grown(this.name, new Int32Array(size));
		this.state = grown(this.state, new Uint8Array(size));
		this.flags = grown(this.flags, new Uint8Array(size));
		this.cpuNs = grown(this.cpuNs, new Float64Array(size));
		this.placedCpuNs = grown(this.placedCpuNs, new Float64Array(size));
		this.unseenCpuNs = grown(this.unseenCpuNs, new Float64Array(size));
		this.stackStart = grown(this.stackStart, new Int32Array(size));
		this.stackLength = grown(this.stackLength, new Int32Array(size));
		this.lockKind = grown(this.lockKind, new Uint8Array(size));
		this.lockClass = grown(this.lockClass, new Int32Array(size));
		this.lockOwner = grown(this.lockOwner, new Int32Array(size));
		this.lockOwnerFrame = grown(this.lockOwnerFrame, new Int32Array(size));
		this.carrier = grown(this.carrier, new Int32Array(size));
	}
}

function grown<T extends Float64Array | Int32Array | Uint8Array>(from: T, to: T): T {
	to.set(from);
	return to;
}
