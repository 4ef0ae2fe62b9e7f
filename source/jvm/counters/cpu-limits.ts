import path from 'node:path';
import {groupFiles, groupFolders, readGroupFile, readGroupNumber, valueIn} from '../system/cgroups.js';
import {readText} from '../system/proc.js';
import {sumOf} from '../../util/sum.js';

/** Number of periods in which a group's CPU limit was enforced, and number of them in which it throttled the group. */
type Periods = {readonly periods: number; readonly throttled: number};

/** Reads how often the CPU limits of a process's control groups throttle it. */
export class CpuLimits {
	readonly #files: readonly string[];
	/** `cpu.max` of version 2, `cpu.cfs_quota_us` of version 1. */
	readonly #quotas: readonly string[];
	#before: readonly Periods[] = [];

	constructor(pid: number) {
		const folders = groupFolders(pid, 'cpu');
		this.#files = groupFiles(folders, 'cpu.stat').filter(file => readGroupFile(file).includes('nr_periods'));
		this.#quotas = ['cpu.max', 'cpu.cfs_quota_us'].flatMap(name => groupFiles(folders, name));
	}

	/**
	Returns the percentage of periods since the previous reading in which a group was throttled, the largest of all
	groups; undefined without a limit.
	*/
	read(): number | undefined {
		const now = this.#files.map(file => {
			const text = readGroupFile(file);
			return {periods: valueIn(text, 'nr_periods'), throttled: valueIn(text, 'nr_throttled')};
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

	/** Returns the CPU time that the groups allow the process, percent of one core; undefined without a limit. */
	limitPercent(): number | undefined {
		const limits = this.#quotas.map(file => quotaPercent(file)).filter(limit => limit !== undefined);
		return limits.length > 0 ? Math.min(...limits) : undefined;
	}
}

/**
Returns the limit in a group's file, which has quota and period (version 2) or the quota alone; undefined if there is
none.
*/
function quotaPercent(file: string): number | undefined {
	const [quota, period] = readGroupFile(file).trim().split(' ').map(Number);
	const periodUs = period ?? readGroupNumber(path.join(path.dirname(file), 'cpu.cfs_period_us'));
	return quota > 0 && periodUs ? 100 * quota / periodUs : undefined;
}

/**
Returns the time for which the CPUs of this host were not idle since it was started, clock ticks, with what its
hypervisor took (`steal`); undefined if unreadable. The line is "cpu user nice system idle iowait irq softirq steal ..."
(proc_stat(5)).
*/
export function hostCpuTicks(): number | undefined {
	const [, figures] = /^cpu +([\d ]+)$/m.exec(readText('/proc/stat') ?? '') ?? [];
	const ticks = (figures ?? '').split(' ').map(Number).slice(0, 8);
	const busy = sumOf(ticks.filter((_, index) => index !== 3 && index !== 4), each => each);
	return busy > 0 ? busy : undefined;
}

/**
Returns the percentage of the last ten seconds in which some task of this host waited for a CPU (/proc/pressure/cpu);
undefined if the kernel does not report it.
*/
export function cpuPressure(): number | undefined {
	const [, share] = /^some avg10=([\d.]+)/m.exec(readText('/proc/pressure/cpu') ?? '') ?? [];
	return share === undefined ? undefined : Number(share);
}
