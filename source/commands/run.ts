import {existsSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {UserError} from '../runtime/errors.js';
import {optimizeLess} from '../runtime/heap-trimming.js';
import {formatOf} from '../exports/formats/registry.js';
import type {SnapshotSource} from '../model/source.js';
import {printable} from '../model/text.js';
import type {Options} from '../options/parse.js';
import {groups} from '../options/option.js';
import {queryOf} from '../options/query-options.js';
import {startSampler} from '../sampler/handle.js';
import {beforeStop, untilForeground} from '../runtime/suspension.js';
import {platformProblem} from '../jvm/obstacles.js';
import type {Target} from '../jvm/target.js';
import {version} from '../runtime/version.js';
import type {Baseline} from '../query/types/rows.js';
import {comparingView, viewOf} from '../views/registry.js';
import {tasksView} from '../views/tasks.js';
import {tracesView} from '../views/traces.js';
import type {LiveTracer} from './live-tracer.js';
import type {LiveTasks} from './tasks.js';
import {resolveTarget} from './resolve-target.js';
import {readSnapshot, recordingSource} from './recording.js';
import {checkFormat, planBatch} from './batch-plan.js';
import {endsBySignal, runBatch} from './batch.js';

/** Whether there is a terminal on both sides to draw on. */
export function isInteractive(options: Options): boolean {
	return !options.batch && Boolean(process.stdout.isTTY) && Boolean(process.stdin.isTTY);
}

function checkPlatform(): void {
	const problem = platformProblem();
	if (problem) {
		throw new UserError(problem.reason, {hint: problem.hint});
	}
}

/** Does what the command line asks for and gives the exit code. Throws UserError. */
export async function run(given: Options): Promise<number> {
	const {compare} = given;
	if (compare === undefined) {
		return start(given);
	}

	const options = {...given, view: given.view ?? comparingView.id};
	queryOf(options);
	return start({...options, mark: await markOf(compare)});
}

async function start(options: Options): Promise<number> {
	// Anything wrong with the command line is reported before anything is started.
	queryOf(options);
	const {command} = options;
	if (command.kind === 'trace') {
		checkPlatform();
		checkOutput(options);
		const {trace, traceLive} = await import('./trace.js');
		return isInteractive(options) ? traceLive(command, options, async (target, tracer) => profile(target, {...options, view: options.view ?? tracesView.id}, {tracer})) : trace(command, options);
	}

	if (command.kind === 'tasks') {
		checkPlatform();
		checkOutput(options);
		const {followTasks, followTasksLive} = await import('./tasks.js');
		return isInteractive(options)
			? followTasksLive(command, options, async (target, tasks) => profile(target, {...options, view: options.view ?? tasksView.id}, {tasks}))
			: followTasks(command, options);
	}

	if (formatOf(options.format) === undefined) {
		throw new UserError(`--format ${options.format} is for tprof-top trace`, {hint: 'tprof-top --help lists the formats', exitCode: 2});
	}

	checkFormat(formatOf(options.format), {plan: planBatch(options), isToTerminal: options.output === undefined && Boolean(process.stdout.isTTY), hasView: options.view !== undefined && !isInteractive(options)});
	checkOutput(options);

	if (groups.view.commands.includes(command.kind) && isInteractive(options) && !await untilForeground()) {
		throw new UserError('no terminal to draw on: tprof-top is running in the background, with no shell to bring it forward', {hint: 'start it in the foreground, or use --batch'});
	}

	switch (command.kind) {
		case 'list': {
			checkPlatform();
			const {list} = await import('./list.js');
			process.stdout.write(await list(formatOf(options.format)));
			return 0;
		}

		case 'probes': {
			const {probesText} = await import('./tasks.js');
			process.stdout.write(probesText());
			return 0;
		}

		case 'completion': {
			const {completions} = await import('../manual/completions.js');
			process.stdout.write(completions[command.shell]());
			return 0;
		}

		case 'man': {
			const {manual} = await import('../manual/man-page.js');
			process.stdout.write(manual());
			return 0;
		}

		case 'open': {
			return openRecording(command.file ?? await lastSession(), options);
		}

		case 'demo': {
			return demo(options);
		}

		case 'choose': {
			checkPlatform();
			if (!isInteractive(options)) {
				throw new UserError('which JVM? Give a pid or a part of a main class\'s name', {hint: 'tprof-top list shows the JVMs on this host', exitCode: 2});
			}

			const {chooseTarget} = await import('./live.js');
			const pid = await chooseTarget(options);
			return pid === undefined ? 0 : profile(await resolveTarget(String(pid)), options);
		}

		case 'profile': {
			checkPlatform();
			return profile(await resolveTarget(command.target), options);
		}
	}
}

function checkOutput({output}: Options): void {
	if (output !== undefined && existsSync(output)) {
		throw new UserError(`${output} already exists; tprof-top never overwrites`, {hint: 'choose another name, or remove the file first', exitCode: 2});
	}
}

async function demo(given: Options): Promise<number> {
	const {
		demoJar, demoRecording, demoSources, findJava, startDemo,
	} = await import('./demo.js');
	const options = {...given, sources: [...given.sources ?? [], ...demoSources()]};
	const java = findJava();
	if (!java || platformProblem()) {
		const recording = needed(demoRecording());
		process.stderr.write(`tprof-top: ${java ? 'JVMs are profiled on Linux only' : 'no java found (JAVA_HOME, PATH)'}: showing a recording of the demo program\n`);
		return openRecording(recording, options);
	}

	const program = await startDemo(java, needed(demoJar()));
	try {
		return await profile(await resolveTarget(String(program.pid)), options);
	} finally {
		await program.stop();
	}
}

function needed(file: string | undefined): string {
	if (file === undefined) {
		throw new UserError('the demo program is not here: it is in demo/ beside tprof-top\'s cli.js', {hint: 'copy the whole dist folder, or install the package'});
	}

	return file;
}

async function profile(target: Target, options: Options, begun: {readonly tracer?: LiveTracer; readonly tasks?: LiveTasks} = {}): Promise<number> {
	optimizeLess();
	// On a screen all frames may be asked for, and saved.
	const formatDepth = isInteractive(options) ? undefined : formatOf(options.format).depth;
	const sampler = startSampler({
		target,
		engine: options.engine,
		timer: options.timer,
		intervalMs: options.intervalMs,
		depth: options.depth ?? formatDepth ?? Infinity,
		threads: options.threads,
		extraIdle: options.idleCalls,
		maxOverheadPercent: options.maxOverheadPercent,
		maxCpuPercent: options.maxCpuPercent,
	});
	// While suspended we must not hold the target: threads that we stopped a moment ago would stay stopped.
	const endSuspending = beforeStop({
		suspend: async () => sampler.hold(),
		resume() {
			sampler.resume();
		},
	});
	try {
		// One agent at a time: where it follows tasks it traces no methods.
		const tracer = begun.tracer ?? (begun.tasks ? undefined : await tracerOf(target, options));
		try {
			return await show((begun.tasks ?? tracer)?.source(sampler) ?? sampler, options, target, tracer);
		} finally {
			await tracer?.close();
		}
	} finally {
		await sampler.close();
		endSuspending();
	}
}

/** For methods that are to be traced while the screen is there. */
async function tracerOf(target: Target, options: Options): Promise<LiveTracer | undefined> {
	if (!isInteractive(options)) {
		return undefined;
	}

	const {LiveTracer, requestOf} = await import('./live-tracer.js');
	return new LiveTracer(target, requestOf([], options));
}

/** A saved snapshot to compare with. */
async function markOf(file: string): Promise<Baseline> {
	return {snapshot: await readSnapshot(file), since: undefined, title: printable(path.basename(file))};
}

async function lastSession(): Promise<string> {
	const {lastKept} = await import('./kept-sessions.js');
	return lastKept();
}

async function openRecording(file: string, options: Options): Promise<number> {
	return show(recordingSource(await readSnapshot(file)), options);
}

/** Draws the source on the terminal, or prints it where there is none. */
async function show(source: SnapshotSource, options: Options, target?: Target, tracer?: LiveTracer): Promise<number> {
	if (isInteractive(options)) {
		const {runLive} = await import('./live.js');
		return runLive(source, options, target, tracer);
	}

	const stop = endsBySignal();
	process.stdout.once('error', () => {
		stop.abort();
	});
	await runBatch({
		source,
		plan: planBatch(options),
		format: formatOf(options.format),
		options: {
			query: queryOf(options),
			view: options.view === undefined ? undefined : viewOf(options.view),
			version,
			top: options.top,
			width: process.stdout.columns || undefined,
			depth: options.depth,
			states: options.states,
		},
		output: options.output,
		stop: stop.signal,
	});
	return 0;
}
