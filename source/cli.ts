#!/usr/bin/env node
/*
The entry point. It imports our other files inside `try`, so that it can report that not even these can be opened.
*/
import process from 'node:process';

try {
	await import('./main.js');
} catch (error) {
	const {code} = error as NodeJS.ErrnoException;
	if (code !== 'EMFILE' && code !== 'ENFILE') {
		throw error;
	}

	process.stderr.write(`tprof-top: too many open files (${code})\n  raise the limit of open files: ulimit -n 1024\n`);
	process.exitCode = 1;
}
