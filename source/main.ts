/*
Reads the command line and runs the command. Loads only what that needs: `--version` and batch never load the screen.
*/
import process from 'node:process';
import {isatty} from 'node:tty';
import {getSystemErrorMap} from 'node:util';
import type {CommandLine} from './commands/command-line.js';
import {UserError} from './runtime/errors.js';
import {printable} from './util/printable.js';
import {outOfFiles} from './jvm/system/proc.js';

/** Longest line of an error message, which may have several paths of 4,096 characters (PATH_MAX). */
const maxLineLength = 16_384;

/** Prints lines to standard error, made printable, as they may contain text from anywhere. */
function printErrors(...lines: string[]): void {
	process.stderr.write(lines.map(line => `${printable(line, maxLineLength)}\n`).join(''));
}

/** Prints what is wrong and, in a second line, what to do; returns the exit code. */
function report(error: unknown): number {
	if (error instanceof UserError) {
		printErrors(`tprof-top: ${error.message}`, ...(error.hint ? [`  ${error.hint}`] : []));
		return error.exitCode;
	}

	const files = outOfFiles(error);
	if (files) {
		printErrors(`tprof-top: ${files.reason}`, `  ${files.hint}`);
		return 1;
	}

	const message = error instanceof Error ? error.message : String(error);
	printErrors(
		`tprof-top: internal error: ${message}`,
		'  please report it and say what you did; TPROF_DEBUG=1 shows where it happened',
	);
	if (process.env.TPROF_DEBUG && error instanceof Error) {
		printErrors(...String(error.stack).split('\n'));
	}

	return 1;
}

async function printVersion(): Promise<number> {
	const {version} = await import('./runtime/bundle.js');
	process.stdout.write(`${version}\n`);
	return 0;
}

async function main(): Promise<number> {
	const argv = process.argv.slice(2);
	if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
		return printVersion();
	}

	const {parseCommandLine, withSuggestion} = await import('./commands/command-line.js');
	try {
		const parsed = parseCommandLine(argv);
		return parsed === 'version' ? await printVersion() : await runCommand(parsed);
	} catch (error) {
		throw withSuggestion(error);
	}
}

async function runCommand({call, options: typed, given}: CommandLine): Promise<number> {
	const [{run}, {configured}] = await Promise.all([import('./commands/run.js'), import('./config/configure.js')]);
	const options = await configured(typed, {command: call.command, given});
	const {faults} = options.configuration;
	if (faults.length > 0) {
		// Without faults, not even an empty text: with `stty tostop`, any write to a terminal stops us in the
		// background.
		printErrors(...faults.map(fault => `tprof-top: ${fault}`));
	}

	return run(call, options);
}

const terminals = [0, 1, 2].filter(fd => isatty(fd));
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
	// A reader that has gone (`| head`) is not an error, nor is a closed terminal.
	if (error.code === 'EPIPE' || (error.code === 'EIO' && terminals.includes(1))) {
		process.exit(0);
	}

	const [, reason] = getSystemErrorMap().get(error.errno ?? 0) ?? [];
	printErrors(`tprof-top: cannot write to standard output: ${reason ?? error.message}`);
	process.exit(1);
});

process.stderr.on('error', () => {
	// The exit code still reports the error.
});

process.on('exit', () => {
	// Node aborts at exit if it cannot restore the modes of a terminal that is gone: end by SIGHUP instead.
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
