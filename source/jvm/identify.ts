import {inspect} from './identity/inspect.js';
import {obstacles} from './obstacles.js';
import {platformProblem} from './system/platform.js';
import type {Identified} from './target.js';

/** The largest process id on 64-bit Linux (PID_MAX_LIMIT). */
export const maxPid = 4_194_304;

/**
Looks at a process id: a HotSpot JVM that may be profiled, or what is in the way. Reads only; sends nothing to the
process.
*/
export function identify(pid: number): Identified {
	const platform = platformProblem();
	if (platform) {
		return {ok: false, ...platform};
	}

	if (!Number.isSafeInteger(pid) || pid < 1 || pid > maxPid) {
		return {ok: false, ...obstacles.badPid(String(pid))};
	}

	const {target, obstacle} = inspect(pid);
	// What rules out only one engine is for that engine to say.
	return target && (!obstacle || obstacle.isAttachOnly) ? {ok: true, target} : {ok: false, ...(obstacle ?? obstacles.absent(pid))};
}
