import {readlinkSync} from 'node:fs';
import {ThreadCpu} from '../../jvm/threads/thread-cpu.js';

const nsInMs = 1_000_000;

/**
Estimates from outside how long one dump stopped the target. From the request to the answer's first byte passes (a) the
attach listener's own work, (b) the safepoints: the VM Thread brings all threads to a stop and prints them, (c) time in
which we wait for a CPU ourselves. So the pause is the latency without (a) and (c). It is at least what the VM Thread
worked, and waited for a CPU while everybody was stopped; it is at most the latency. Where the figures are closed to us
it is the latency: too much rather than too little.
*/
export class PauseEstimate {
	readonly #target: ThreadCpu;
	readonly #own = ownThread();
	#vmThreadNs = -1;
	#listenerNs = -1;
	#ownWaitNs = -1;

	/** `target` reads the target's threads. */
	constructor(target: ThreadCpu) {
		this.#target = target;
	}

	/** Right before the request. Ids are our own side's, 0 while not known. */
	begin(vmThread: number, listener: number): void {
		this.#vmThreadNs = this.#busyNs(vmThread);
		this.#listenerNs = this.#busyNs(listener);
		this.#ownWaitNs = this.#readOwnWaitNs();
	}

	/** Right after the answer, with its latency to the first byte: milliseconds for which the target was stopped. */
	end(vmThread: number, listener: number, latencyMs: number): number {
		return estimatePauseMs({
			latencyMs,
			vmThreadMs: since(this.#vmThreadNs, this.#busyNs(vmThread)),
			listenerMs: since(this.#listenerNs, this.#busyNs(listener)),
			ownWaitMs: since(this.#ownWaitNs, this.#readOwnWaitNs()),
		});
	}

	close(): void {
		this.#own?.cpu.close();
	}

	/** CPU time and time waiting for a CPU, in nanoseconds since the thread's start; -1 when not known. */
	#busyNs(thread: number): number {
		return thread > 0 && this.#target.read(thread) ? this.#target.cpuNs + this.#target.waitNs : -1;
	}

	#readOwnWaitNs(): number {
		return this.#own?.cpu.read(this.#own.id) ? this.#own.cpu.waitNs : -1;
	}
}

/** The parts that an estimate is made of, milliseconds during one request; undefined where not known. */
export type PauseParts = {
	readonly latencyMs: number;
	/** CPU time and time waiting for a CPU. */
	readonly vmThreadMs: number | undefined;
	readonly listenerMs: number | undefined;
	/** Time that we waited for a CPU. */
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

function since(before: number, after: number): number | undefined {
	return before >= 0 && after >= before ? (after - before) / nsInMs : undefined;
}

/** The thread that runs this; its id as /proc has it, which is another one than the process's in a worker. */
function ownThread(): {cpu: ThreadCpu; id: number} | undefined {
	try {
		const [, pid, id] = /^(\d+)\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self')) ?? [];
		return pid && id ? {cpu: new ThreadCpu(Number(pid), 1), id: Number(id)} : undefined;
	} catch {
		return undefined;
	}
}
