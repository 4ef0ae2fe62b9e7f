import {existsSync} from 'node:fs';
import process from 'node:process';
import {formatOf} from '../exports/formats/format-registry.js';
import {platformProblem} from '../jvm/obstacles.js';
import type {Call, Command} from '../options/command.js';
import type {Options} from '../options/parse.js';
import {queryOfOptions} from '../options/query-options.js';
import {UserError, usage} from '../runtime/errors.js';
import {untilForeground} from '../runtime/suspension.js';
import {checkFormat} from './batch.js';
import {commands} from './command-registry.js';

/** Runs a command. Returns the exit code; throws UserError. */
export async function run(call: Call, given: Options): Promise<number> {
	const options = given.compare === undefined ? given : await comparedWith(given.compare, call, given);
	// Errors in the command line are reported before anything is started.
	await checkOptions(call.command, options);
	const result = await call.run(options, commands);
	if (typeof result === 'number') {
		return result;
	}

	process.stdout.write(result);
	return 0;
}

async function comparedWith(file: string, {backend}: Call, options: Options): Promise<Options> {
	const {withBaseline} = await import('./baseline.js');
	return withBaseline(options, file, backend);
}

/** Throws a UserError if the command cannot run with these options. */
async function checkOptions({needsLinux, checksFormat}: Command, options: Options): Promise<void> {
	// Throws if --sort names no column of the view.
	queryOfOptions(options);
	const {format, onScreen, output, view} = options;
	const platform = needsLinux ? platformProblem() : undefined;
	if (platform) {
		throw new UserError(platform.reason, {hint: platform.hint});
	}

	if (!checksFormat) {
		checkFormat(formatOf(format), options, {hasView: view !== undefined && !onScreen});
	}

	if (output !== undefined && existsSync(output)) {
		throw usage(
			`${output} already exists; tprof-top never overwrites`,
			'choose another name, or remove the file first',
		);
	}

	if (onScreen && !await untilForeground()) {
		throw new UserError(
			'no terminal to draw on: tprof-top is running in the background, with no shell to bring it forward',
			{hint: 'start it in the foreground, or use --batch'},
		);
	}

	if (options.record !== undefined && !onScreen) {
		throw usage('--record is for the live screen', 'tprof-top record PID -o FILE writes a recording without one');
	}
}
