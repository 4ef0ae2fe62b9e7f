/*
Reads the command line and runs the command. Loads only what that needs: `--version` and batch never load the screen.
*/
import process from 'node:process';
import {isatty} from 'node:tty';
import {getSystemErrorMap} from 'node:util';
import type {CommandLine} from './commands/command-line.js';
import {maxLineLength, UserError} from './runtime/errors.js';
import {printable, safe, type Printable} from './util/printable.js';
import {outOfFiles} from './jvm/system/proc.js';

/** Prints lines to standard error. */
function printErrors(...lines: Printable[]): void {
	process.stderr.write(lines.map(line => `${line}\n`).join(''));
}

/** Prints what is wrong and, in a second line, what to do; returns the exit code. */
function report(error: unknown): number {
	if (error instanceof UserError) {
		printErrors(safe`tprof-top: ${error.message}`, ...(error.hint ? [safe`  ${error.hint}`] : []));
		return error.exitCode;
	}

	const files = outOfFiles(error);
	if (files) {
		printErrors(safe`tprof-top: ${files.reason}`, safe`  ${files.hint}`);
		return 1;
	}

	const message = error instanceof Error ? error.message : String(error);
	printErrors(
		safe`tprof-top: internal error: ${printable(message, maxLineLength)}`,
		safe`  please report it and say what you did; TPROF_DEBUG=1 shows where it happened`,
	);
	if (process.env.TPROF_DEBUG && error instanceof Error) {
		printErrors(...String(error.stack).split('\n').map(line => printable(line, maxLineLength)));
	}

	return 1;
}

async function printVersion(): Promise<number> {
	const {version} = await import('./util/version.js');
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
		printErrors(...faults.map(fault => safe`tprof-top: ${fault}`));
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
	printErrors(safe`tprof-top: cannot write to standard output: ${printable(reason ?? error.message)}`);
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
