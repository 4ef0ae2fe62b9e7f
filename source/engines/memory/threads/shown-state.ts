import {stateCode} from '../../../model/thread-state.js';
import {type PartOwner, ThreadPart} from './thread-part.js';

/** The state that a thread's row shows: `ShownStates` finds it. */
export class ShownState extends ThreadPart<{readonly code: number}> {
	/** Since when the thread has been RUNNABLE in the VM without using CPU time (performance.now); NaN if it is not. */
	#stalledSinceMs = Number.NaN;

	constructor(owner: PartOwner) {
		super(owner, {code: stateCode.RUNNABLE});
	}

	get code(): number {
		return this.value.code;
	}

	/** `isFinal`: it is the state until the thread moves or uses CPU time; otherwise time alone may change it. */
	setState(code: number, isFinal: boolean): void {
		this.set({code}, isFinal);
	}

	/** Returns for how long the thread has stalled; call it in each sample. `isStalling`: it may be stalled now. */
	stalledMs(isStalling: boolean, nowMs: number): number {
		if (!isStalling) {
			this.#stalledSinceMs = Number.NaN;
			return 0;
		}

		if (Number.isNaN(this.#stalledSinceMs)) {
			this.#stalledSinceMs = nowMs;
		}

		return nowMs - this.#stalledSinceMs;
	}
}
