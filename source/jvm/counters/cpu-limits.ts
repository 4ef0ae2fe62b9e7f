import path from 'node:path';
import {groupFolders, readGroupFile} from '../system/cgroups.js';
import {readText} from '../system/proc.js';

/** Number of periods in which a group's CPU limit was enforced, and number of them in which it throttled the group. */
type Periods = {readonly periods: number; readonly throttled: number};

/** Reads how often the CPU limits of a process's control groups throttle it. */
export class CpuLimits {
	readonly #files: readonly string[];
	#before: readonly Periods[] = [];

	constructor(pid: number) {
		this.#files = groupFolders(pid, 'cpu')
			.map(folder => path.join(folder, 'cpu.stat'))
			.filter(file => readGroupFile(file).includes('nr_periods'));
	}

	/**
	Returns the percentage of periods since the previous reading in which a group was throttled, the largest of all
	groups; undefined without a limit.
	*/
	read(): number | undefined {
		const now = this.#files.map(file => {
			const text = readGroupFile(file);
			return {periods: numberOf(text, 'nr_periods'), throttled: numberOf(text, 'nr_throttled')};
		});
		const percentages = now.flatMap(({periods, throttled}, index) => {
			const before = this.#before.at(index);
			return before && periods > before.periods
				? [100 * (throttled - before.throttled) / (periods - before.periods)]
				: [];
		});
		this.#before = now;
		return percentages.length > 0 ? Math.max(...percentages) : undefined;
	}
}

/**
Returns the percentage of the last ten seconds in which some task of this host waited for a CPU (/proc/pressure/cpu);
undefined if the kernel does not report it.
*/
export function cpuPressure(): number | undefined {
	const [, share] = /^some avg10=([\d.]+)/m.exec(readText('/proc/pressure/cpu') ?? '') ?? [];
	return share === undefined ? undefined : Number(share);
}

function numberOf(text: string, name: string): number {
	return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}
