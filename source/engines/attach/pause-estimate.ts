import {stopObstacle} from '../../jvm/attachability/signal.js';
import {linkOf} from '../../jvm/system/proc.js';
import {ThreadCpu} from '../../jvm/threads/thread-cpu.js';

/** Between two looks at whether the target is stopped. Most dumps come before the first. */
const stopPollMs = 20;

/**
Estimates from outside how long one dump stopped the target. The latency from the request to the answer's first byte
consists of (a) the attach listener's own work, (b) the safepoints, in which the VM Thread stops all threads and prints
them, (c) our own waiting for a CPU, and (d) time for which somebody else has stopped the process, by SIGSTOP, with a
debugger or by freezing its cgroup. So the pause is the latency minus (a), (c) and (d): at least the time that the VM
Thread worked or waited for a CPU, at most the latency without (d). If the figures of (a) and (b) are not readable, the
estimate is the latency without (d): too high rather than too low.
*/
export class PauseEstimate {
	/** Reads the target's two threads, whose files stay open. */
	readonly #target: ThreadCpu;
	readonly #own = ownThread();
	readonly #others: OthersStop;
	/** The figures at the request, see `#read`. */
	#beforeNs: readonly number[] = [];

	constructor(pid: number) {
		this.#target = new ThreadCpu(pid, 2);
		this.#others = new OthersStop(pid);
	}

	/** Call right before the request. The threads' Linux ids are in our pid namespace; 0 if unknown. */
	begin(vmThread: number, listener: number): void {
		this.#others.begin();
		this.#beforeNs = this.#read(vmThread, listener);
	}

	/** Call right after the answer. Returns how long the target was stopped. `latencyMs`: to the first byte. */
	end(vmThread: number, listener: number, latencyMs: number): number {
		const stoppedByOthersMs = this.#others.end();
		const [vmThreadMs, listenerMs, ownWaitMs] = this.#read(vmThread, listener).map((ns, index) => {
			const beforeNs = this.#beforeNs[index];
			return beforeNs >= 0 && ns >= beforeNs ? (ns - beforeNs) / 1e6 : undefined;
		});
		return estimatePauseMs(Math.max(0, latencyMs - stoppedByOthersMs), vmThreadMs, listenerMs, ownWaitMs);
	}

	close(): void {
		this.#others.end();
		this.#target.close();
		this.#own?.cpu.close();
	}

	/** Returns CPU time plus time waiting for a CPU since the thread's start; -1 if unknown. */
	#busyNs(thread: number): number {
		return thread > 0 && this.#target.read(thread) ? this.#target.cpuNs + this.#target.waitNs : -1;
	}

	/** Returns how long VM Thread and listener were busy, and how long we waited for a CPU; each -1 if unknown. */
	#read(vmThread: number, listener: number): readonly number[] {
		return [
			this.#busyNs(vmThread),
			this.#busyNs(listener),
			this.#own?.cpu.read(this.#own.id) ? this.#own.cpu.waitNs : -1,
		];
	}
}

/** Returns the pause, at most the latency. The other times, see `PauseEstimate`, are undefined if unknown. */
export function estimatePauseMs(
	latencyMs: number,
	vmThreadMs: number | undefined,
	listenerMs = 0,
	ownWaitMs = 0,
): number {
	return vmThreadMs === undefined
		? latencyMs
		: Math.min(latencyMs, Math.max(vmThreadMs, latencyMs - listenerMs - ownWaitMs, 0));
}

/** Measures for how long a process is stopped, too short by two polls at most. */
class OthersStop {
	readonly #pid: number;
	#timer: NodeJS.Timeout | undefined;
	/** When the last poll found it stopped; undefined if it was not. */
	#stoppedAtMs: number | undefined;
	#stoppedMs = 0;

	constructor(pid: number) {
		this.#pid = pid;
	}

	begin(): void {
		clearInterval(this.#timer);
		this.#stoppedAtMs = undefined;
		this.#stoppedMs = 0;
		this.#timer = setInterval(() => {
			this.#poll();
		}, stopPollMs);
	}

	/** Returns the milliseconds since `begin` for which it was stopped. */
	end(): number {
		clearInterval(this.#timer);
		return this.#stoppedMs;
	}

	#poll(): void {
		const nowMs = performance.now();
		const isStopped = stopObstacle(this.#pid) !== undefined;
		if (isStopped && this.#stoppedAtMs !== undefined) {
			this.#stoppedMs += nowMs - this.#stoppedAtMs;
		}

		this.#stoppedAtMs = isStopped ? nowMs : undefined;
	}
}

/** Returns the current thread by its id in /proc, which in a worker differs from the process id. */
function ownThread(): {cpu: ThreadCpu; id: number} | undefined {
	const [, pid, id] = /^(\d+)\/task\/(\d+)$/.exec(linkOf('/proc/thread-self')) ?? [];
	return pid && id ? {cpu: new ThreadCpu(Number(pid), 1), id: Number(id)} : undefined;
}
