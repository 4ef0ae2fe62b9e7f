import process from 'node:process';
import {readAttachFlags} from '../counters/jvm-flags.js';
import {readLibraries} from '../identity/libraries.js';
import {readPerfData} from '../counters/hsperfdata-file.js';
import {type Obstacle, obstacles} from '../obstacles.js';
import {
	errorCode, isAlive, readStat, readStatus,
} from '../system/proc.js';
import {vmSigns} from '../identity/running-vm.js';
import {isStartingUp} from '../identity/start-up.js';
import {handlerObstacle, noVmObstacle} from './quit-obstacle.js';

/** Why a process must not get SIGQUIT. */
export type SignalHazard = {
	readonly reason: string;
	readonly hint: string;
	/** The process has ended. */
	readonly ended: boolean;
};

type Looked = {readonly pid: number; readonly startTicks: number};

/**
Why the process may not get a SIGQUIT at this moment; undefined when it may. The signal kills any process that does not
catch it, and other servers take it to mean "shut down". So all of this must hold: it is the process that was looked at,
alive and not stopped, HotSpot mapped and no OpenJ9, a VM running in it with its thread for SIGQUIT, attach not
disabled, start-up over, SIGQUIT caught and not ignored.
*/
export function quitHazard(target: Looked): SignalHazard | undefined {
	const {pid} = target;
	const status = readStatus(pid);
	if (!status || !isAlive(target)) {
		return {...obstacles.absent(pid), ended: true};
	}

	const because = (obstacle: Obstacle): SignalHazard => ({...obstacle, ended: false});
	if (status.state === 'T' || status.state === 't') {
		return because(status.state === 'T' ? obstacles.stopped(pid) : obstacles.traced(pid));
	}

	const libraries = readLibraries(pid);
	if ('code' in libraries || !libraries.libjvm) {
		return because(obstacles.noJvm(pid, 'no libjvm.so'));
	}

	if (libraries.openJ9) {
		return because(obstacles.openJ9(pid));
	}

	const counters = readPerfData({pid, nsPid: status.nsPid, uid: status.uid});
	const flags = readAttachFlags({pid, nsPid: status.nsPid, uid: status.uid}, counters);
	const looked = {
		...target, status, flags, vm: vmSigns(target, counters, flags),
	};
	const noVm = noVmObstacle(looked);
	if (noVm) {
		// The threads of a process that is being killed end one by one.
		return isAlive(target) ? because(noVm) : {...obstacles.absent(pid), ended: true};
	}

	const obstacle = flags.attachDisabled ? obstacles.attachDisabled(pid) : handlerObstacle(looked);
	if (obstacle) {
		return because(obstacle);
	}

	return isStartingUp(looked.vm.startTicks, counters) ? because(obstacles.starting(pid)) : undefined;
}

/**
Sends SIGQUIT unless something speaks against it, and otherwise says what does. This is the only place that signals a
target.
*/
export function sendQuit(target: Looked): SignalHazard | undefined {
	const hazard = quitHazard(target);
	if (hazard) {
		return hazard;
	}

	// The last check is the start time: a pid that has been reused belongs to somebody else.
	if (readStat(target.pid)?.startTicks !== target.startTicks) {
		return {reason: `process ${target.pid} has ended`, hint: '', ended: true};
	}

	try {
		process.kill(target.pid, 'SIGQUIT');
		return undefined;
	} catch (error) {
		const code = errorCode(error);
		return {reason: `process ${target.pid} cannot be signalled (${code})`, hint: 'run tprof-top as the same user as the JVM, or as root', ended: code === 'ESRCH'};
	}
}
