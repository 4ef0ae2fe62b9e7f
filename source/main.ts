/*
Reads the command line and hands on. Loads the least: `--version` and batch never load the screen.
*/
import process from 'node:process';
import {isatty} from 'node:tty';
import {getSystemErrorMap} from 'node:util';
import {UserError} from './runtime/errors.js';
import {printable} from './model/text.js';
import {outOfFiles} from './jvm/system/proc.js';

/** Longest line of an error: paths in it may have 4,096 characters, PATH_MAX of Linux. */
const maxLineLength = 16_384;

/** Prints lines; their words may come from anywhere, and are made harmless for a terminal. */
function complain(...lines: string[]): void {
	process.stderr.write(lines.map(line => `${printable(line, maxLineLength)}\n`).join(''));
}

/** What is printed for an error: one line that says what is wrong, one that says what to do. */
function report(error: unknown): number {
	if (error instanceof UserError) {
		complain(`tprof-top: ${error.message}`, ...(error.hint ? [`  ${error.hint}`] : []));
		return error.exitCode;
	}

	const files = outOfFiles(error);
	if (files) {
		complain(`tprof-top: ${files.reason}`, `  ${files.hint}`);
		return 1;
	}

	const message = error instanceof Error ? error.message : String(error);
	complain(`tprof-top: internal error: ${message}`, '  please report it and say what you did; TPROF_DEBUG=1 shows where it happened');
	if (process.env.TPROF_DEBUG && error instanceof Error) {
		complain(...String(error.stack).split('\n'));
	}

	return 1;
}

const printed = {
	async version() {
		const {version} = await import('./runtime/version.js');
		return version;
	},
	async help() {
		const {helpText} = await import('./options/help.js');
		return helpText();
	},
};

async function main(): Promise<number> {
	const argv = process.argv.slice(2);
	if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
		process.stdout.write(`${await printed.version()}\n`);
		return 0;
	}

	const {parseOptions} = await import('./options/parse.js');
	const parsed = parseOptions(argv);
	if ('print' in parsed) {
		const text = await printed[parsed.print]();
		process.stdout.write(`${text}\n`);
		return 0;
	}

	const {run, isInteractive} = await import('./commands/run.js');
	const {configured} = await import('./config/configure.js');
	const options = await configured(parsed.options, {given: parsed.given, isScreen: isInteractive(parsed.options)});
	const {faults} = options.configuration;
	// Even nothing, written to a terminal from the background, stops a process where the terminal is set so.
	if (faults.length > 0) {
		complain(...faults.map(fault => `tprof-top: ${fault}`));
	}

	return run(options);
}

const terminals = [0, 1, 2].filter(fd => isatty(fd));
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
	// A reader that went away (`| head`) is not an error, nor is a terminal that was closed.
	if (error.code === 'EPIPE' || (error.code === 'EIO' && terminals.includes(1))) {
		process.exit(0);
	}

	const [, reason] = getSystemErrorMap().get(error.errno ?? 0) ?? [];
	complain(`tprof-top: cannot write to standard output: ${reason ?? error.message}`);
	process.exit(1);
});

process.stderr.on('error', () => {
	// If an error cannot be printed, only the exit code tells.
});

process.on('exit', () => {
	// Node aborts at its end where it cannot set the modes of a terminal that has been closed: end as the signal does
	// that says so.
	if (terminals.some(fd => !isatty(fd))) {
		process.removeAllListeners('SIGHUP');
		process.kill(process.pid, 'SIGHUP');
	}
});

try {
	process.exitCode = await main();
} catch (error) {
	process.exitCode = report(error);
}
