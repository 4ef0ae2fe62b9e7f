import {constants} from 'node:os';

/** Signals that ask us to end; pending output is written first. */
export const endSignals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const satisfies readonly NodeJS.Signals[];

/** Returns the exit code by which shells report a process ended by a signal. */
export function exitCodeAfter(signal: NodeJS.Signals): number {
	return 128 + constants.signals[signal];
}
