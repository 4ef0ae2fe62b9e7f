import path from 'node:path';
import {readProc, readText} from '../system/proc.js';

/** Mount points of control groups (cgroups(7)): version 2 alone or beside version 1; version 1's CPU controller. */
const mounts = {unified: ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'], cpu: ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup/cpu,cpuacct']};

/** Maximum number of groups read from a process's group upwards, each of which may limit its CPU time. */
const maxLevels = 16;

const maxFileBytes = 4096;

/** Number of periods in which a group's CPU limit was enforced, and number of them in which it throttled the group. */
type Periods = {readonly periods: number; readonly throttled: number};

/** Reads how often the CPU limits of a process's control groups throttle it. */
export class CpuLimits {
	readonly #files: readonly string[];
	#before: readonly Periods[] = [];

	constructor(pid: number) {
		this.#files = filesOf(readProc(pid, 'cgroup') ?? '');
	}

	/**
	Returns the percentage of periods since the previous reading in which a group was throttled, the largest of all
	groups; undefined without a limit.
	*/
	read(): number | undefined {
		const now = this.#files.map(file => {
			const text = readText(file, maxFileBytes) ?? '';
			return {periods: numberOf(text, 'nr_periods'), throttled: numberOf(text, 'nr_throttled')};
		});
		const percentages = now.flatMap(({periods, throttled}, index) => {
			const before = this.#before.at(index);
			return before && periods > before.periods ? [100 * (throttled - before.throttled) / (periods - before.periods)] : [];
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

/** Returns the cpu.stat files of a process's groups and those above that have limits; `cgroups`: /proc/PID/cgroup. */
function filesOf(cgroups: string): string[] {
	const files = [...cgroups.matchAll(/^\d+:([^:]*):(\/.*)$/gm)].flatMap(([, controllers, group]) => {
		const cpuMounts = controllers.split(',').includes('cpu') ? mounts.cpu : [];
		const roots = controllers === '' ? mounts.unified : cpuMounts;
		return roots.flatMap(root => foldersUp(group).map(folder => path.join(root, folder, 'cpu.stat')));
	});
	return [...new Set(files)].filter(file => readText(file, maxFileBytes)?.includes('nr_periods'));
}

/** Returns a group and those above it: `/a/b`, `/a`, `/`. */
function foldersUp(group: string): string[] {
	const folders = [path.normalize(group)];
	while (folders.at(-1) !== '/' && folders.length < maxLevels) {
		folders.push(path.dirname(folders.at(-1)!));
	}

	return folders;
}

function numberOf(text: string, name: string): number {
	return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}
