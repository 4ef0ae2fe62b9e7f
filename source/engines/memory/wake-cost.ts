import {type IdleCpus} from '../../jvm/system/idle-cpus.js';
import {type OwnWaking} from './process/own-waking.js';
import {type JavaThread} from './threads/java-thread.js';

/** The most that a waking is believed to cost, nanoseconds; measured with events it was up to 12 microseconds. */
const believedNs = 15_000;

/**
A guess at what threads use in waking up, where running threads are stopped: most of it comes before a thread's first
instruction (timer/wakings measures it with events), so that it is never found at it. An idle CPU takes as long for each
of them as for us, and one that is busy next to nothing.
*/
export class WakeCost {
	readonly #own: Pick<OwnWaking, 'ns'>;
	readonly #idle: Pick<IdleCpus, 'chance'>;
	readonly #openNs = new WeakMap<JavaThread, number>();
	#turnNs = 0;

	constructor(own: Pick<OwnWaking, 'ns'>, idle: Pick<IdleCpus, 'chance'>) {
		this.#own = own;
		this.#idle = idle;
	}

	/** Begins a sample, in which CPU times have been read. */
	begin(nowMs: number): void {
		this.#turnNs = Math.min(this.#own.ns, believedNs) * this.#idle.chance(nowMs);
	}

	/** What a thread has used since the sample before, in how many turns on a CPU. */
	add(thread: JavaThread): void {
		const wakingNs = Math.min(thread.cpuNs, Math.max(0, thread.newTurns) * this.#turnNs);
		if (wakingNs > 0) {
			this.#openNs.set(thread, this.openNs(thread) + wakingNs);
		}
	}

	/** CPU nanoseconds that a thread has used in waking up and that count nowhere yet. */
	openNs(thread: JavaThread): number {
		return this.#openNs.get(thread) ?? 0;
	}

	/** The same of a thread that waits now, where they count: they are not given again. */
	take(thread: JavaThread): number {
		const ns = this.openNs(thread);
		this.#openNs.delete(thread);
		return ns;
	}
}
