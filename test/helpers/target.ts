import {setTimeout as sleep} from 'node:timers/promises';
import {identify} from '../../source/jvm/discovery/inspect.js';
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

/** The process as a target, even if identifying it would find something in the way. */
export function rawTarget(pid: number): Target {
	const {nsPid, uid, gid} = readStatus(pid)!;
	return {...noTarget, pid, nsPid, uid, gid, startTicks: readStat(pid)!.startTicks, jdk: 0};
}

/** A target for what asks no process. */
export const noTarget: Target = {
	pid: 1, nsPid: 1, uid: 0, gid: 0, startTicks: 0, jdk: 17,
	facts: {pid: 1, mainClass: 'Main', command: 'Main', jvmVersion: '17', vm: 'VM', user: 'me', startedAtMs: 0},
};
