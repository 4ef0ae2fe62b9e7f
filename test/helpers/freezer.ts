import {mkdirSync, rmdirSync, writeFileSync} from 'node:fs';
import process from 'node:process';
import {atTestEnd} from './for-test.js';
import {until} from './until.js';

/**
A version of control groups that can freeze processes: where groups are made, the file, and what is written to it.
*/
export type Freezer = {readonly root: string; readonly file: string; readonly freeze: string; readonly thaw: string};

const known: readonly Freezer[] = [
	{root: '/sys/fs/cgroup', file: 'cgroup.freeze', freeze: '1', thaw: '0'},
	{root: '/sys/fs/cgroup/unified', file: 'cgroup.freeze', freeze: '1', thaw: '0'},
	{root: '/sys/fs/cgroup/freezer', file: 'freezer.state', freeze: 'FROZEN', thaw: 'THAWED'},
];

/** The freezers of this machine in which we may make groups. */
export const freezers = known.filter(freezer => {
	const folder = `${freezer.root}/tprof-test-freezer-${process.pid}`;
	try {
		mkdirSync(folder);
	} catch {
		return false;
	}

	try {
		// Only a group has the file: writing would make it in a plain folder.
		writeFileSync(`${folder}/${freezer.file}`, freezer.thaw, {flag: 'r+'});
		return true;
	} catch {
		return false;
	} finally {
		rmdirSync(folder);
	}
});

/** Puts a process into a group of its own, which is thawed and removed with the test. */
export function frozenGroup({root, file, freeze, thaw}: Freezer, pid: number): {freeze(): void; thaw(): void} {
	const folder = `${root}/tprof-test-freezer-${process.pid}`;
	const write = (state: string) => {
		writeFileSync(`${folder}/${file}`, state);
	};

	mkdirSync(folder);
	atTestEnd(async () => {
		write(thaw);
		writeFileSync(`${root}/cgroup.procs`, String(pid));
		await until(() => {
			try {
				rmdirSync(folder);
				return true;
			} catch {
				return false;
			}
		});
	});
	writeFileSync(`${folder}/cgroup.procs`, String(pid));
	return {
		freeze() {
			write(freeze);
		},
		thaw() {
			write(thaw);
		},
	};
}
