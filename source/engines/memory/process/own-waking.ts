import {ProcessClock} from '../../../jvm/threads/process-clock.js';

/** Sleeps that are remembered, and which of them stands for all: in most of the others our own code was in no cache. */
const remembered = 64;
const cheapPart = 0.25;

/**
What it costs the calling thread to sleep and wake up again, CPU nanoseconds: for the kernel it is one thread among
others, and the target's threads pay as much.
*/
export class OwnWaking {
	readonly #sleep: (microseconds: number) => void;
	readonly #clock: Pick<ProcessClock, 'readNs'> | undefined;
	readonly #costs: number[] = [];
	#next = 0;

	constructor(sleep: (microseconds: number) => void, clock: Pick<ProcessClock, 'readNs'> | undefined = ProcessClock.ofThisThread()) {
		this.#sleep = sleep;
		this.#clock = clock;
	}

	/** As known so far; 0 before the first sleep, and where there is no clock. */
	get ns(): number {
		const costs = [...this.#costs].sort((a, b) => a - b);
		return costs[Math.floor(costs.length * cheapPart)] ?? 0;
	}

	/** Sleeps. What the second half costs is measured, as the first has brought the code into the caches. */
	rest(microseconds: number): void {
		this.#sleep(microseconds / 2);
		const askedNs = this.#readNs();
		const sleepingNs = this.#readNs();
		this.#sleep(microseconds / 2);
		// Less what the clock itself takes.
		const costNs = this.#readNs() - sleepingNs - (sleepingNs - askedNs);
		if (Number.isFinite(costNs)) {
			this.#costs[this.#next] = Math.max(0, costNs);
			this.#next = (this.#next + 1) % remembered;
		}
	}

	#readNs(): number {
		return this.#clock?.readNs() ?? Number.NaN;
	}
}
