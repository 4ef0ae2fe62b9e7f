import type {TargetInfo} from '../model/snapshot.js';
import type {Obstacle} from './obstacles.js';

/** A HotSpot JVM on this host that may be profiled. Plain data: it is posted to the sampler's worker. */
export type Target = {
	readonly pid: number;
	/** The pid in the innermost pid namespace, which HotSpot uses in file names (last number of NSpid). */
	readonly nsPid: number;
	readonly uid: number;
	readonly gid: number;
	/** Start time in clock ticks after boot (field 22 of /proc/PID/stat): tells a reused pid from this process. */
	readonly startTicks: number;
	/** JDK feature release, such as 8 or 21; 0 if unknown. */
	readonly jdk: number;
	readonly facts: TargetInfo;
};

/** The ids of a process outside and inside its container, and its user. */
export type ProcessIds = Pick<Target, 'pid' | 'nsPid' | 'uid'>;

export type Identified =
	| {readonly ok: true; readonly target: Target}
	| ({readonly ok: false} & Obstacle);
