import {setTimeout as sleep} from 'node:timers/promises';
import {identify} from '../../source/jvm/identity/inspect.js';
import {readStat, readStatus} from '../../source/jvm/system/proc.js';
import type {Target} from '../../source/jvm/target.js';

/** The JVM as a target, as soon as it is up; fails with the reason when it cannot be one. */
export async function targetOf(java: {readonly pid: number}): Promise<Target> {
	for (;;) {
		const found = identify(java.pid);
		if (found.ok) {
			return found.target;
		}

		if (!found.reason.includes('still starting')) {
			throw new Error(found.reason);
		}

		await sleep(20);
	}
}

/**
The process as a target, even where identifying it would find something in the way: for testing the guards behind that.
*/
export function rawTarget(pid: number): Target {
	const status = readStatus(pid)!;
	return {
		pid, nsPid: status.nsPid, uid: status.uid, gid: status.gid, startTicks: readStat(pid)!.startTicks, jdk: 0,
		facts: {
			pid, mainClass: '', command: '', jvmVersion: '', vm: '', user: '', startedAtMs: 0,
		},
	};
}
