import {type Sample, threadFlag} from '../../../model/sample.js';
import {stateCode} from '../../../model/thread-state.js';
import {idleKind} from '../../../jvm/threads/idle.js';

/** Which frames make a thread IDLE when they are its top frame: codes of `idleKind` by frame id. */
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
	Makes RUNNABLE threads IDLE that stand in a known waiting call, or that have no Java frames and used no CPU since
	their previous sample (a thread without frames that did use CPU is at work inside the JVM). To be called when
	`cpuNs` of all rows is there; `cpuKnown` is 0 for rows of which it says nothing. A call that may work or wait then
	counts as work; a thread without frames still counts as waiting, as nearly all of the JVM's own do. `listener`:
	native id of the Attach Listener, which works for us alone, and is no load of the target's.
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
