#!/usr/bin/env node
/*
The entry: reads the command line and hands on. Loads the least: `--version` and batch never load the screen.
*/
import process from 'node:process';
import {UserError} from './errors.js';

/** What is printed for an error: one line that says what is wrong, one that says what to do. */
function report(error: unknown): number {
	if (error instanceof UserError) {
		process.stderr.write(`tprof-top: ${error.message}\n${error.hint ? `  ${error.hint}\n` : ''}`);
		return error.exitCode;
	}

	const message = error instanceof Error ? error.message : String(error);
	process.stderr.write(`tprof-top: internal error: ${message}\n  please report it with what you did; TPROF_DEBUG=1 shows where it happened\n`);
	if (process.env.TPROF_DEBUG && error instanceof Error) {
		process.stderr.write(`${error.stack}\n`);
	}

	return 1;
}

const printed = {
	async version() {
		const {version} = await import('./version.js');
		return version;
	},
	async help() {
		const {helpText} = await import('./option-table.js');
		return helpText();
	},
};

async function main(): Promise<number> {
	const argv = process.argv.slice(2);
	if (argv.length === 1 && argv[0] === '--version') {
		process.stdout.write(`${await printed.version()}\n`);
		return 0;
	}

	const {parseOptions} = await import('./options.js');
	const parsed = parseOptions(argv);
	if ('print' in parsed) {
		const text = await printed[parsed.print]();
		process.stdout.write(`${text}\n`);
		return 0;
	}

	const {run} = await import('./run.js');
	return run(parsed.options);
}

// A reader that went away (`| head`) is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
	process.exit(error.code === 'EPIPE' ? 0 : 1);
});

try {
	process.exitCode = await main();
} catch (error) {
	process.exitCode = report(error);
}
