import {constants} from 'node:os';

/** Signals that ask us to end: what there is is given out first. */
export const endSignals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const satisfies readonly NodeJS.Signals[];

/** The exit code of a process that such a signal has ended, as shells have it. */
export function exitCodeAfter(signal: NodeJS.Signals): number {
	return 128 + constants.signals[signal];
}
