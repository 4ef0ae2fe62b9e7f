import {constants} from 'node:os';

/** An error for the user, shown without a stack trace. Exit code 1: cannot be done, 2: wrong usage. */
export class UserError extends Error {
	readonly hint: string;
	readonly exitCode: 1 | 2;
	/** A word that may be a misspelt command. If it is like one, that is a better hint. */
	readonly misspelt: string | undefined;

	constructor(
		message: string,
		{hint = '', exitCode = 1, misspelt}: {hint?: string; exitCode?: 1 | 2; misspelt?: string} = {},
	) {
		super(message);
		this.hint = hint;
		this.exitCode = exitCode;
		this.misspelt = misspelt;
	}
}

/** Returns an error of wrong usage. */
export function usage(message: string, hint = 'tprof-top --help lists the options'): UserError {
	return new UserError(message, {hint, exitCode: 2});
}

/** Signals that ask us to end; we write pending output first. */
export const endSignals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const satisfies readonly NodeJS.Signals[];

/** Returns the exit code by which shells report a process ended by a signal. */
export function exitCodeAfter(signal: NodeJS.Signals): number {
	return 128 + constants.signals[signal];
}
