/**
What an error says in words when it comes from a limit of open files, and what to do; undefined for other errors. Errors
that come from a worker have their message only.
*/
export function outOfFiles(error: unknown): {readonly reason: string; readonly hint: string} | undefined {
	const {code, message} = error as NodeJS.ErrnoException;
	const found = /^(?:EMFILE|ENFILE)\b/.exec(code ?? message ?? '')?.[0];
	if (found === undefined) {
		return undefined;
	}

	return found === 'EMFILE'
		? {reason: 'no more files may be opened (EMFILE)', hint: 'raise the limit of open files: ulimit -n 1024'}
		: {reason: 'this system has no room for more open files (ENFILE)', hint: 'raise fs.file-max, or end what holds so many'};
}

/**
Throws the error on when it is about a limit of open files: whoever takes that for an answer says what is not true, as
that a process has ended.
*/
export function throwIfOutOfFiles(error: unknown): void {
	if (outOfFiles(error)) {
		throw error;
	}
}
