import type {AttachFlags} from '../counters/jvm-flags.js';
import {obstacles, type Obstacle} from '../obstacles.js';
import type {ProcessStatus} from '../system/proc.js';
import type {VmSigns} from '../identity/running-vm.js';
import {processAgeMs, silentStartUpMs} from '../identity/start-up.js';

/**
Up to this age, enough for the slowest hosts, a JVM without a handler for SIGQUIT counts as starting up; after it, as
one that does without.
*/
const longestWithoutHandlerMs = 20_000;

/** What was found out about a process with HotSpot's library. */
export type Looked = {
	readonly pid: number;
	readonly startTicks: number;
	readonly status: ProcessStatus;
	readonly flags: AttachFlags;
	readonly vm: VmSigns;
};

/** Why there is no VM to talk to in a process that has HotSpot's library; undefined if there is one. */
export function noVmObstacle({pid, startTicks, vm}: Looked): Obstacle | undefined {
	if (vm.isRunning) {
		return undefined;
	}

	const ageMs = processAgeMs(startTicks);
	return ageMs < silentStartUpMs ? obstacles.starting(pid) : {...obstacles.noVm(pid), isPassing: ageMs < longestWithoutHandlerMs};
}

/**
Why SIGQUIT would not reach HotSpot's own handler: the JVM was told to leave that signal alone, is not up yet, or has no
handler, or one that is not HotSpot's. Undefined if it would.
*/
export function handlerObstacle({pid, startTicks, status, flags, vm}: Looked): Obstacle | undefined {
	if (status.catchesQuit && !status.ignoresQuit && vm.takesQuit) {
		return undefined;
	}

	if (flags.reducedSignals) {
		return obstacles.reducedSignals(pid);
	}

	return processAgeMs(startTicks) < longestWithoutHandlerMs && !status.catchesQuit ? obstacles.starting(pid) : obstacles.noHandler(pid);
}
