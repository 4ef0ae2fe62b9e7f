import {ticksPerSecond} from '../system/proc.js';

/** CPU time that a process had used when it was looked at, in clock ticks; the moment by performance.now(). */
export type CpuLook = {readonly cpuTicks: number; readonly atMs: number};

/** CPU time between two looks, percent of one core; undefined when they are of one moment. */
export function cpuPercent(before: CpuLook, now: CpuLook): number | undefined {
	const seconds = (now.atMs - before.atMs) / 1000;
	return seconds > 0 ? Math.max(0, 100 * (now.cpuTicks - before.cpuTicks) / ticksPerSecond / seconds) : undefined;
}

/** A process as it was looked at; its start tells it from another one that was given its id. */
export type LookedAt = CpuLook & {readonly pid: number; readonly startTicks: number};

/** CPU shares of processes, each since it was last looked at. */
export class CpuShares {
	#last = new Map<number, LookedAt>();

	/** Percent of one core, by pid; none for a process that was not there before. */
	since(processes: readonly LookedAt[]): ReadonlyMap<number, number> {
		const shares = new Map<number, number>();
		for (const now of processes) {
			const before = this.#last.get(now.pid);
			const percent = before?.startTicks === now.startTicks ? cpuPercent(before, now) : undefined;
			if (percent !== undefined) {
				shares.set(now.pid, percent);
			}
		}

		this.#last = new Map(processes.map(looked => [looked.pid, looked]));
		return shares;
	}
}
