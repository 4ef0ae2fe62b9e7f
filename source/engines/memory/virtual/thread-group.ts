import {type FrozenStack} from '../unwind/continuation.js';
import {type VirtualKind} from './virtual-kinds.js';
import {type VirtualWait} from './virtual-waits.js';

/** Unmounted virtual threads of one kind with the same stack, state and wait. */
export class ThreadGroup {
	count = 0;
	/** When the thread that has been there longest was first found there (epoch ms), and whether in the first pass. */
	sinceMs = Number.POSITIVE_INFINITY;
	isLonger = false;
	/** Row in the newest sample. */
	row = -1;
	#shownCount = 0;
	#shownSinceMs = 0;
	#shownName = '';

	constructor(readonly key: number, public kind: VirtualKind, readonly state: number, readonly frames: Int32Array, readonly wait: VirtualWait) {}

	/** Whether the row of the previous sample is still valid. */
	isUnchanged(): boolean {
		return this.count === this.#shownCount && this.sinceMs === this.#shownSinceMs && this.kind.name === this.#shownName;
	}

	setShown(row: number): void {
		this.row = row;
		this.#shownCount = this.count;
		this.#shownSinceMs = this.sinceMs;
		this.#shownName = this.kind.name;
	}
}

/** A virtual thread as last read. */
export type KnownThread = {group: ThreadGroup; stack: FrozenStack; state: number; chunk: number; checksum: number; clock: number; sinceMs: number; isLonger: boolean; pass: number};

/** Updates since when a thread's group has been there. */
export function addSince({group, sinceMs, isLonger}: KnownThread): void {
	group.sinceMs = Math.min(group.sinceMs, sinceMs);
	group.isLonger ||= isLonger;
}
