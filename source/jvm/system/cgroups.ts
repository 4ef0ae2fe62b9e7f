import path from 'node:path';
import {readProc, readText} from './proc.js';

/** Mount points of control groups (cgroups(7)): version 2 alone or beside version 1; version 1's controllers. */
const mounts = {
	unified: ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'],
	cpu: ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup/cpu,cpuacct'],
	freezer: ['/sys/fs/cgroup/freezer'],
	memory: ['/sys/fs/cgroup/memory'],
	pids: ['/sys/fs/cgroup/pids'],
};

type Controller = Exclude<keyof typeof mounts, 'unified'>;

/** Maximum number of groups of a process, from its own upwards. */
const maxLevels = 16;

const maxFileBytes = 4096;

/** Returns the content of a file of a control group; empty if unreadable. */
export function readGroupFile(file: string): string {
	return readText(file, maxFileBytes) ?? '';
}

/** Returns the number in a file of a control group that holds one; undefined if it has none, such as `max`. */
export function readGroupNumber(file: string): number | undefined {
	const text = readGroupFile(file).trim();
	return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Returns the paths of a file of each of the folders, where it is readable. */
export function groupFiles(folders: readonly string[], name: string): string[] {
	return folders.map(folder => path.join(folder, name)).filter(file => readGroupFile(file) !== '');
}

/** Returns the value of a line `name value` of a control group's file; 0 if there is none. */
export function valueIn(text: string, name: string): number {
	return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}

/**
Returns the folders of a process's control groups in which a controller's files may be, each before the group above it.
Only some of them exist.
*/
export function groupFolders(pid: number, controller: Controller): string[] {
	const groups = (readProc(pid, 'cgroup') ?? '').matchAll(/^\d+:([^:]*):(\/.*)$/gm);
	const folders = [...groups].flatMap(([, controllers, group]) => {
		const ofVersion1 = controllers.split(',').includes(controller) ? mounts[controller] : [];
		const roots = controllers === '' ? mounts.unified : ofVersion1;
		return roots.flatMap(root => foldersUp(group).map(folder => path.join(root, folder)));
	});
	return [...new Set(folders)];
}

/** Whether a process's control group, or one above it, is frozen: none of the process's threads runs. */
export function isFrozen(pid: number): boolean {
	return groupFolders(pid, 'freezer').some(folder => {
		const [events, state] = ['cgroup.events', 'freezer.state'].map(name => readGroupFile(path.join(folder, name)));
		return /^frozen 1$/m.test(events) || state.trim() === 'FROZEN';
	});
}

/** Returns a group and those above it: `/a/b`, `/a`, `/`. */
function foldersUp(group: string): string[] {
	const folders = [path.normalize(group)];
	while (folders.at(-1) !== '/' && folders.length < maxLevels) {
		folders.push(path.dirname(folders.at(-1)!));
	}

	return folders;
}
