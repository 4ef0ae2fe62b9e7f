import {UserError} from '../process/errors.js';

/** A wrong command line. */
export function usage(message: string, hint = 'tprof-top --help lists the options'): UserError {
	return new UserError(message, {hint, exitCode: 2});
}
