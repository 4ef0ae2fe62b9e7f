import path from 'node:path';
import {readBytes, readProc} from '../system/proc.js';

/** Where control groups are mounted (cgroups(7)): version 2 alone or beside version 1, and the CPU controller of version 1. */
const mounts = {unified: ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'], cpu: ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup/cpu,cpuacct']};

/** A group may have as many above it as limit its CPU time. */
const maxLevels = 16;

const maxBytes = 4096;

/** Periods of a group's CPU limit, and those in which it had used it up. */
type Periods = {readonly periods: number; readonly throttled: number};

/** Reads how far a process is kept from using CPUs by the limits of its control groups. */
export class CpuLimits {
	readonly #files: readonly string[];
	#before: readonly Periods[] = [];

	constructor(pid: number) {
		this.#files = filesOf(readProc(pid, 'cgroup') ?? '');
	}

	/** Share of periods, percent, in which a limit was used up since the reading before: the worst of all groups; undefined without a limit. */
	read(): number | undefined {
		const now = this.#files.map(file => periodsOf(textOf(file)));
		const shares = now.map(({periods, throttled}, index) => {
			const before = this.#before.at(index);
			return before && periods > before.periods ? 100 * (throttled - before.throttled) / (periods - before.periods) : undefined;
		}).filter(share => share !== undefined);
		this.#before = now;
		return shares.length > 0 ? Math.max(...shares) : undefined;
	}
}

/** Share of the last ten seconds, percent, in which a task of this host waited for a CPU (/proc/pressure/cpu); undefined where the kernel does not say. */
export function cpuPressure(): number | undefined {
	const [, share] = /^some avg10=([\d.]+)/m.exec(textOf('/proc/pressure/cpu')) ?? [];
	return share === undefined ? undefined : Number(share);
}

/** The files cpu.stat of a process's groups that have one, by its /proc/PID/cgroup. */
function filesOf(cgroups: string): string[] {
	const groups = [...cgroups.matchAll(/^\d+:([^:]*):(\/.*)$/gm)].flatMap(([, controllers, group]) => {
		const roots = controllers === '' ? mounts.unified : (controllers.split(',').includes('cpu') ? mounts.cpu : []);
		return roots.flatMap(root => foldersUp(group).map(folder => path.join(root, folder, 'cpu.stat')));
	});
	return [...new Set(groups)].filter(file => textOf(file).includes('nr_periods'));
}

/** A group and those above it: `/a/b`, `/a`, `/`. */
function foldersUp(group: string): string[] {
	const folders = [path.normalize(group)];
	while (folders.at(-1) !== '/' && folders.length < maxLevels) {
		folders.push(path.dirname(folders.at(-1)!));
	}

	return folders;
}

function textOf(file: string): string {
	const read = readBytes(file, maxBytes);
	return 'bytes' in read ? read.bytes.toString('latin1') : '';
}

function periodsOf(text: string): Periods {
	return {periods: numberOf(text, 'nr_periods'), throttled: numberOf(text, 'nr_throttled')};
}

function numberOf(text: string, name: string): number {
	return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}
