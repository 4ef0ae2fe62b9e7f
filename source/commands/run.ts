import {existsSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {bundledFile} from '../runtime/bundle.js';
import {UserError, usage} from '../runtime/errors.js';
import {formatOf} from '../exports/formats/format-registry.js';
import type {SnapshotSource} from '../model/source.js';
import {printable} from '../util/printable.js';
import type {Options} from '../options/parse.js';
import type {CommandKind} from '../options/command.js';
import {isDumb} from '../options/environment.js';
import {groups} from '../options/option.js';
import {queryOf} from '../options/query-options.js';
import {untilForeground} from '../runtime/suspension.js';
import {platformProblem} from '../jvm/obstacles.js';
import type {Target} from '../jvm/target.js';
import {comparingView} from '../views/view-registry.js';
import {tasksView} from '../views/tasks/tasks-view.js';
import {tracesView} from '../views/traces/traces-view.js';
import type {LiveParts} from './live.js';
import type {LiveTracer} from './live-tracer.js';
import type {LiveTasks} from './tasks.js';
import {resolveTarget} from './resolve-target.js';
import {isBackend, momentOf, openSaved, reading, savedSource, spanMoments, spanOf, windowAt} from './recording.js';
import {sampled} from './sampled.js';
import {checkFormat, runBatch} from './batch.js';

type Agent = {readonly tracer?: LiveTracer; readonly tasks?: LiveTasks};

/** Whether to show the screen: on a terminal that can draw it, if no option asks for a report. */
export function isInteractive(options: Options): boolean {
	const hasTerminal = Boolean(process.stdout.isTTY) && Boolean(process.stdin.isTTY) && !isDumb(process.env);
	return hasTerminal && !options.batch && !withoutScreen.has(options.command.kind);
}

/** Runs the command. Returns the exit code; throws UserError. */
export async function run(given: Options): Promise<number> {
	const {command} = given;
	const options = given.compare === undefined ? given : await withBaseline(given, given.compare);
	// Errors in the command line are reported before anything is started.
	await checkOptions(options);
	switch (command.kind) {
		case 'list': {
			const {list} = await import('./list.js');
			return print(await list(formatOf(options.format)));
		}

		case 'probes': {
			const {probesText} = await import('./tasks.js');
			return print(probesText());
		}

		case 'completion': {
			const {completions} = await import('../manual/completions.js');
			return print(completions[command.shell]());
		}

		case 'man': {
			const {manual} = await import('../manual/man-page.js');
			return print(manual());
		}

		case 'open': {
			const {lastKept} = await import('./save.js');
			return openFile(command.file ?? await lastKept(), options);
		}

		case 'record': {
			return record(command.target, options);
		}

		case 'watch': {
			const {watchAll} = await import('./triggers.js');
			return watchAll(options);
		}

		case 'push': {
			const {push} = await import('./push.js');
			return push(command.target, options);
		}

		case 'diff': {
			const {readSides} = await import('./diff.js');
			const compared = comparing(options);
			const [baseline, shown] = await readSides(command.sides, options);
			return show(savedSource(shown), {...compared, baseline: {...baseline, since: undefined}});
		}

		case 'demo': {
			return demo(options);
		}

		case 'choose': {
			const {chooseTarget} = await import('./live.js');
			const pid = await chooseTarget(options);
			return pid === undefined ? 0 : profile(await resolveTarget(String(pid)), options);
		}

		case 'profile': {
			return profile(await resolveTarget(command.target), options);
		}

		case 'trace': {
			const {trace, traceLive} = await import('./trace.js');
			return isInteractive(options)
				? traceLive(
					command,
					options,
					async (target, tracer) =>
						profile(target, {...options, view: options.view ?? tracesView.id}, {tracer}),
				)
				: trace(command, options);
		}

		case 'tasks': {
			const {followTasks, followTasksLive} = await import('./tasks.js');
			return isInteractive(options)
				? followTasksLive(
					command,
					options,
					async (target, tasks) => profile(target, {...options, view: options.view ?? tasksView.id}, {tasks}),
				)
				: followTasks(command, options);
		}
	}
}

async function withBaseline(options: Options, file: string): Promise<Options> {
	const compared = comparing(options);
	const {command} = options;
	const backend = command.kind === 'open' && command.file !== undefined && isBackend(command.file)
		? command.file
		: undefined;
	if (backend !== undefined) {
		const {labelSet} = await import('../fleet/querier.js');
		if (labelSet(file)) {
			// The command itself asks the backend for these labels.
			return compared;
		}
	}

	const {snapshot} = await openSaved(file, options.headers, backend);
	return {
		...compared,
		baseline: {snapshot, since: undefined, title: printable(isBackend(file) ? file : path.basename(file))},
	};
}

/**
Returns the options with the Changes view, unless they name a view, or a format that compares. Throws UserError (2).
*/
function comparing(options: Options): Options {
	const formatCompares = !isInteractive(options) && formatOf(options.format).comparesWithBaseline;
	const compared = {...options, view: options.view ?? (formatCompares ? undefined : comparingView.id)};
	// Throws if --sort names no column of this view.
	queryOf(compared);
	return compared;
}

const withoutScreen: ReadonlySet<CommandKind> = new Set(['record', 'watch', 'push']);
const linuxOnly: ReadonlySet<CommandKind> = new Set([
	'list',
	'choose',
	'profile',
	'trace',
	'tasks',
	'record',
	'watch',
	'push',
]);

/** Throws a UserError if the command cannot run with these options. */
async function checkOptions(options: Options): Promise<void> {
	// Throws if --sort names no column of the view.
	queryOf(options);
	const {command: {kind}, output} = options;
	const hasScreen = isInteractive(options);
	const needsAgent = kind === 'trace' || kind === 'tasks';
	const platform = linuxOnly.has(kind) ? platformProblem() : undefined;
	if (platform) {
		throw new UserError(platform.reason, {hint: platform.hint});
	}

	if (!needsAgent) {
		checkFormat(formatOf(options.format), options, {hasView: options.view !== undefined && !hasScreen});
	}

	if (output !== undefined && existsSync(output)) {
		throw usage(
			`${output} already exists; tprof-top never overwrites`,
			'choose another name, or remove the file first',
		);
	}

	if (hasScreen && groups.view.commands.includes(kind) && !await untilForeground()) {
		throw new UserError(
			'no terminal to draw on: tprof-top is running in the background, with no shell to bring it forward',
			{hint: 'start it in the foreground, or use --batch'},
		);
	}

	if (options.record !== undefined && !hasScreen) {
		throw usage('--record is for the live screen', 'tprof-top record PID -o FILE writes a recording without one');
	}

	if (kind === 'choose' && !hasScreen) {
		throw usage(
			'which JVM? Give a pid or a part of a main class\'s name',
			'tprof-top list shows the JVMs on this host',
		);
	}
}

/** Prints a text; returns the exit code. */
function print(text: string): number {
	process.stdout.write(text);
	return 0;
}

async function demo(given: Options): Promise<number> {
	const {demoFile, findJava, startDemo} = await import('./demo.js');
	const java = findJava();
	const ownSources = bundledFile('demo/src');
	const options = {...given, sources: [...given.sources ?? [], ...(ownSources === undefined ? [] : [ownSources])]};
	if (!java || platformProblem()) {
		const recording = demoFile('recording.tprof');
		process.stderr.write(`tprof-top: ${java ? 'JVMs are profiled on Linux only' : 'no java found (JAVA_HOME, PATH)'}: showing a recording of the demo program\n`);
		return openFile(recording, options);
	}

	const program = await startDemo(java, demoFile('shop.jar'));
	try {
		return await profile(await resolveTarget(String(program.pid)), options);
	} finally {
		await program.stop();
	}
}

/** Samples a target until the screen or the reports end. `agent`: what an agent in it reports. */
async function profile(target: Target, options: Options, agent: Agent = {}): Promise<number> {
	// The screen may show or save whole stacks.
	const depth = isInteractive(options) ? undefined : formatOf(options.format).depth;
	return sampled(target, options, async sampler => {
		let {tracer} = agent;
		// On the screen the user may choose methods. Only one agent at a time: while it follows tasks, it cannot trace.
		if (isInteractive(options) && !agent.tasks) {
			const {LiveTracer, traceRequest} = await import('./live-tracer.js');
			tracer ??= new LiveTracer(target, traceRequest(target, [], options));
		}

		try {
			return await show((agent.tasks ?? tracer)?.source(sampler) ?? sampler, options, {target, tracer});
		} finally {
			await tracer?.close();
		}
	}, depth);
}

/** Records a target, with the traces or tasks that an agent in it reports, if asked for. */
async function record(text: string, options: Options): Promise<number> {
	const {tracePatterns, taskProbe, when} = options;
	if (tracePatterns && taskProbe) {
		throw usage('--trace and --tasks exclude each other', 'a JVM has one agent of tprof-top at a time');
	}

	const [{recordSession}, {recordWhen}] = [await import('./record.js'), await import('./triggers.js')];
	const recordTarget = async (target: Target, {tracer, tasks}: Agent = {}) =>
		sampled(target, options, async sampler => {
			const source = (tasks ?? tracer)?.source(sampler) ?? sampler;
			return when ? recordWhen(source, target, options) : recordSession(source, target, options);
		});
	if (tracePatterns) {
		const {traceLive} = await import('./trace.js');
		return traceLive(
			{kind: 'trace', target: text, patterns: tracePatterns},
			options,
			async (target, tracer) => recordTarget(target, {tracer}),
		);
	}

	if (taskProbe !== undefined) {
		const {followTasksLive} = await import('./tasks.js');
		return followTasksLive(
			{kind: 'tasks', target: text},
			{...options, probe: taskProbe},
			async (target, tasks) => recordTarget(target, {tasks}),
		);
	}

	return recordTarget(await resolveTarget(text));
}

/** Shows a saved session: a snapshot, or a recording from a moment on. */
async function openFile(file: string, options: Options): Promise<number> {
	if (isBackend(file)) {
		const {openBackend} = await import('./fleet.js');
		return openBackend(file, options, isInteractive(options));
	}

	const saved = await openSaved(file, options.headers);
	const {recording} = saved;
	const {at, from, to} = options;
	if (!recording) {
		if ([at, from, to].some(moment => moment !== undefined)) {
			throw usage(
				`${printable(file)} is a snapshot: it has no moments`,
				'--at, --from and --to are for recordings',
			);
		}

		return show(savedSource(saved), options);
	}

	return reading(file, async () => {
		const {ring} = recording;
		const atMs = at === undefined ? undefined : momentOf(at, '--at', ring);
		if (isInteractive(options) && from === undefined && to === undefined) {
			return show(savedSource(saved), options, {recording, atMs});
		}

		const snapshot = atMs === undefined ? spanOf(ring, ...spanMoments({from, to}, ring)) : windowAt(ring, atMs);
		return show(savedSource({...saved, snapshot}), options);
	});
}

/** Shows the source on the screen, or prints reports of it. */
async function show(source: SnapshotSource, options: Options, origin: LiveParts = {}): Promise<number> {
	if (!isInteractive(options)) {
		return runBatch(source, options, origin.target);
	}

	const {runLive} = await import('./live.js');
	return await runLive(source, options, origin) ?? 0;
}
