import {readlinkSync} from 'node:fs';
import {ThreadCpu} from '../../jvm/threads/thread-cpu.js';

const nsInMs = 1_000_000;

/**
Estimates from outside how long one dump stopped the target. The time from the request to the answer's first byte is
made up of (a) the attach listener's own work, (b) the safepoints, in which the VM Thread brings all threads to a stop
and prints them, and (c) time in which we wait for a CPU ourselves. So the pause is the latency without (a) and (c). It
is at least the time that the VM Thread worked or waited for a CPU while everything was stopped, and at most the
latency. Where we may not see these figures it is the latency: too much rather than too little.
*/
export class PauseEstimate {
	readonly #target: ThreadCpu;
	readonly #own = ownThread();
	#beforeNs: readonly number[] = [];

	/** `target` reads the target's threads. */
	constructor(target: ThreadCpu) {
		this.#target = target;
	}

	/** Right before the request. Ids are those on our side; 0 while not known. */
	begin(vmThread: number, listener: number): void {
		this.#beforeNs = this.#read(vmThread, listener);
	}

	/** Right after the answer, with its latency to the first byte: milliseconds for which the target was stopped. */
	end(vmThread: number, listener: number, latencyMs: number): number {
		const [vmThreadMs, listenerMs, ownWaitMs] = this.#read(vmThread, listener).map((ns, index) => {
			const beforeNs = this.#beforeNs[index];
			return beforeNs >= 0 && ns >= beforeNs ? (ns - beforeNs) / nsInMs : undefined;
		});
		return estimatePauseMs({
			latencyMs, vmThreadMs, listenerMs, ownWaitMs,
		});
	}

	close(): void {
		this.#own?.cpu.close();
	}

	/** CPU time and time waiting for a CPU, in nanoseconds since the thread's start; -1 when not known. */
	#busyNs(thread: number): number {
		return thread > 0 && this.#target.read(thread) ? this.#target.cpuNs + this.#target.waitNs : -1;
	}

	/** Of the VM Thread and the listener, and the time that we waited for a CPU ourselves. */
	#read(vmThread: number, listener: number): readonly number[] {
		return [this.#busyNs(vmThread), this.#busyNs(listener), this.#own?.cpu.read(this.#own.id) ? this.#own.cpu.waitNs : -1];
	}
}

/** The parts of an estimate, milliseconds during one request; undefined where not known. */
type PauseParts = {
	readonly latencyMs: number;
	/** CPU time and time waiting for a CPU. */
	readonly vmThreadMs: number | undefined;
	readonly listenerMs: number | undefined;
	/** Time that we ourselves waited for a CPU. */
	readonly ownWaitMs: number | undefined;
};

/** See `PauseEstimate`; never negative, never more than the latency. */
export function estimatePauseMs({latencyMs, vmThreadMs, listenerMs, ownWaitMs}: PauseParts): number {
	if (vmThreadMs === undefined) {
		return latencyMs;
	}

	const without = latencyMs - (listenerMs ?? 0) - (ownWaitMs ?? 0);
	return Math.min(latencyMs, Math.max(vmThreadMs, without, 0));
}

/** The thread that runs this, by its id in /proc; in a worker that differs from the id of the process. */
function ownThread(): {cpu: ThreadCpu; id: number} | undefined {
	try {
		const [, pid, id] = /^(\d+)\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self')) ?? [];
		return pid && id ? {cpu: new ThreadCpu(Number(pid), 1), id: Number(id)} : undefined;
	} catch {
		return undefined;
	}
}
