import {constants} from 'node:os';
import {printable, type Printable} from '../util/printable.js';

/** Longest line of an error message, which may have several paths of 4,096 characters (PATH_MAX). */
export const maxLineLength = 16_384;

/**
An error for the user, shown without a stack trace; it makes its message and hint printable, as they may have text from
anywhere. Exit code 1: cannot be done, 2: wrong usage.
*/
export class UserError extends Error {
	declare readonly message: Printable;
	readonly hint: Printable;
	readonly exitCode: 1 | 2;
	/** A word that may be a misspelt command. If it is like one, that is a better hint. */
	readonly misspelt: string | undefined;

	constructor(
		message: string,
		{hint = '', exitCode = 1, misspelt}: {hint?: string; exitCode?: 1 | 2; misspelt?: string} = {},
	) {
		super(printable(message, maxLineLength));
		this.hint = printable(hint, maxLineLength);
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
