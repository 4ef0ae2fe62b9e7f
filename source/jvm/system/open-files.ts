/**
In words, an error that comes from a limit on open files, and what to do about it; undefined for other errors. Errors
that come from a worker have only their message.
*/
export function outOfFiles(error: unknown): {readonly reason: string; readonly hint: string} | undefined {
	const {code, message} = error as NodeJS.ErrnoException;
	const found = /^(?:EMFILE|ENFILE)\b/.exec(code ?? message ?? '')?.[0];
	if (found === undefined) {
		return undefined;
	}

	return found === 'EMFILE'
		? {reason: 'too many open files (EMFILE)', hint: 'raise the limit of open files: ulimit -n 1024'}
		: {reason: 'too many open files on this system (ENFILE)', hint: 'raise fs.file-max, or end the process that holds so many'};
}

/**
Rethrows an error that is about a limit on open files: taken for an answer, it would become a false statement, such as
that a process has ended.
*/
export function throwIfOutOfFiles(error: unknown): void {
	if (outOfFiles(error)) {
		throw error;
	}
}
