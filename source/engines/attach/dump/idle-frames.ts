import {type Sample, threadFlag} from '../../../model/sample.js';
import {stateCode} from '../../../model/thread-state.js';
import {idleKind} from '../../../jvm/threads/idle.js';

/** The frames that make a thread IDLE when on top of its stack: codes of `idleKind` by frame id. */
export class IdleFrames {
	#kind = new Uint8Array(1024);

	set(frame: number, kind: number): void {
		if (frame >= this.#kind.length) {
			const larger = new Uint8Array(Math.max(frame + 1, this.#kind.length * 2));
			larger.set(this.#kind);
			this.#kind = larger;
		}

		this.#kind[frame] = kind;
	}

	/**
	Turns RUNNABLE threads into IDLE ones if they are in a call known to wait, or have no Java frames and used no CPU
	since their previous sample (a thread without frames that did use CPU is at work inside the JVM). Call it once
	`cpuNs` is set for all rows; `cpuKnown` is 0 for rows where it says nothing. There a call that may work or wait
	counts as work, and a thread without frames still counts as waiting, as nearly all of the JVM's own threads do.
	`listener`: native id of the Attach Listener, which works only for us and is not part of the target's load.
	*/
	settle(sample: Sample, cpuKnown: Uint8Array, listener: number): void {
		const {state, cpuNs, nativeId, stackStart, stackLength, frames, flags} = sample;
		for (let row = 0; row < sample.count; row++) {
			if (state[row] !== stateCode.RUNNABLE || (flags[row] & threadFlag.carrier) !== 0) {
				continue;
			}

			const hasFrames = stackLength[row] > 0;
			const kind = hasFrames ? this.#kindOf(frames[stackStart[row]]) : idleKind.withoutCpu;
			const usedCpu = cpuNs[row] > 0 || (hasFrames && cpuKnown[row] === 0);
			if (kind === idleKind.always || (!hasFrames && listener !== 0 && nativeId[row] === listener) || (kind === idleKind.withoutCpu && !usedCpu)) {
				state[row] = stateCode.IDLE;
			}
		}
	}

	#kindOf(frame: number): number {
		return frame < this.#kind.length ? this.#kind[frame] : idleKind.none;
	}
}
