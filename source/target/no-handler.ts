import type {AttachFlags} from './jvm-flags.js';
import {obstacles, type Obstacle} from './obstacles.js';
import {longestWithoutHandlerMs, processAgeMs} from './start-up.js';

/** Why a JVM has no handler for SIGQUIT and cannot be woken by it: it was told so, is not up yet, or nobody knows. */
export function noHandlerObstacle(pid: number, startTicks: number, flags: AttachFlags): Obstacle {
	if (flags.reducedSignals) {
		return obstacles.reducedSignals(pid);
	}

	return processAgeMs(startTicks) < longestWithoutHandlerMs ? obstacles.starting(pid) : obstacles.noHandler(pid);
}
