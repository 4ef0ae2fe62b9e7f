import process from 'node:process';
import {safe, type Printable} from '../util/printable.js';
import {version} from '../util/version.js';
import {exitCodeAfter, UserError} from '../runtime/errors.js';
import {asciiOf} from '../util/ascii.js';
import {renderFinalSummary} from '../exports/formats/final-summary.js';
import {saveFormats} from '../exports/formats/format-registry.js';
import {explained} from '../exports/formats/markdown.js';
import type {Snapshot} from '../model/snapshot.js';
import type {SnapshotSource} from '../model/source.js';
import type {Configuration, Options} from '../options/parse.js';
import {shows256Colors} from '../options/environment.js';
import {queryOfOptions} from '../options/query-options.js';
import {IdleList} from '../jvm/threads/idle.js';
import type {Target} from '../jvm/target.js';
import {openVitals, type VitalsReader} from '../jvm/counters/vitals.js';
import {runApp, runChooser} from '../ui/app.js';
import type {ChooserPorts} from '../ui/screens/chooser.js';
import type {MethodTracer, SpanPort} from '../ui/screens/session-effects.js';
import {keepColumns} from '../config/configure.js';
import type {Ring} from '../query/past/past-ring.js';
import {namePackages} from '../query/columns/names.js';
import type {Message} from '../ui/state/state.js';
import type {Recording} from '../exports/recording/recording-reader.js';
import {factsOf} from './facts.js';
import {LiveRecorder} from './record.js';
import {keepSession, recordingItem, saver} from './save.js';
import {openSources} from './sources.js';

const defaultDelayS = 1;

function themeOf({color, ascii, configuration: {settings: {colors}}}: Options) {
	return {color, has256Colors: shows256Colors(process.env), ascii, colors};
}

/** Where a source comes from: a JVM and its tracer, a recording and the moment to show first, or spans of a backend. */
export type LiveParts = {
	readonly target?: Target;
	readonly tracer?: MethodTracer;
	readonly recording?: Recording;
	readonly atMs?: number;
	readonly spans?: SpanPort;
	readonly opener?: Opener;
};

/** What a table of JVMs knows of the one that was opened in it. */
export type Opener = {
	/** Reads the figures of the JVM; the table closes it. */
	readonly vitals?: VitalsReader;
	/** What the table said of the JVM. */
	readonly message?: Printable;
	/** Whether Esc leads back to the table. */
	readonly canGoBack: boolean;
};

/**
Shows the source until the user quits, then prints a summary. Returns the exit code, or undefined if the user went back
to the table in which it was opened; throws UserError.
*/
// It connects the parts of a session, most of which may be missing.
// eslint-disable-next-line complexity, max-lines-per-function
export async function runLive(
	given: SnapshotSource,
	options: Options,
	{target, tracer, recording, atMs, spans, opener}: LiveParts = {},
): Promise<number | undefined> {
	const recorder = target && new LiveRecorder(given, options);
	const source = recorder?.source ?? given;
	await recorder?.begin(options.record);
	const query = queryOfOptions(options);
	const {settings, file, faults, notes} = options.configuration;
	namePackages(settings.packages);
	const ownVitals = target && !opener?.vitals ? openVitals(target) : undefined;
	const vitals = opener?.vitals ?? ownVitals;
	const idle = new IdleList(options.idleCalls);
	try {
		const {reason, signal, lastSnapshot, ring} = await runApp({
			source,
			vitals: () => vitals?.read() ?? {},
			save: saver(options),
			explain: (snapshot, since, query, vitals) =>
				explained(snapshot, since, {query, vitals, version, facts: target ? factsOf(target) : []}),
			tracer,
			spans,
			canGoBack: opener?.canGoBack,
			recording: recorder,
			recorded: recording,
			onWindow(ring) {
				recorder?.follow(ring);
			},
			idleReason: (className, method) => idle.reasonOf(className, method),
			keepColumns: file === undefined ? undefined : async (...columns) => keepColumns(file, ...columns),
			sourceOf: openSources(options, target),
			saveFormats: [...saveFormats, ...(target === undefined && recording === undefined ? [] : [recordingItem])],
			view: {
				query,
				view: options.view,
				delayMs: (options.delayS ?? defaultDelayS) * 1000,
				top: options.top,
				columns: settings.columns,
				keyChanges: settings.keys,
				notes: [...faults, ...notes],
				message: recording?.problem === undefined
					? firstMessage(options.configuration, opener?.message)
					: {text: recording.problem, tone: 'error'},
				pastMs: atMs,
			},
			theme: themeOf(options),
			stdin: process.stdin,
			stdout: process.stdout,
			hasMouse: options.mouse,
		});
		const {phase, message: problem, hint} = source.status();
		const hasTerminal = reason !== 'gone';
		const hasSamples = lastSnapshot !== undefined && lastSnapshot.session.samples > 0;
		if (reason === 'back') {
			await (hasSamples && phase !== 'recording' ? keep(lastSnapshot, ring, options.keepSessions) : undefined);
			return undefined;
		}

		if (hasTerminal && hasSamples) {
			const lines: readonly Printable[] = renderFinalSummary(lastSnapshot, process.stdout.columns || 80, options);
			process.stdout.write(lines.map(line => `${options.ascii ? asciiOf(line) : line}\n`).join(''));
		}

		if (hasSamples && phase !== 'recording') {
			const message = await keep(lastSnapshot, ring, options.keepSessions);
			process.stdout.write(hasTerminal ? message : '');
		}

		if (phase === 'failed' || (phase === 'ended' && !hasSamples)) {
			throw new UserError(problem ?? 'the session failed', {hint});
		}

		return signal ? exitCodeAfter(signal) : 0;
	} finally {
		ownVitals?.close();
		await recorder?.end();
	}
}

/** Keeps the session; returns a line that says how to open it again, or why it could not be kept. */
async function keep(snapshot: Snapshot, ring: Ring, count: number): Promise<string> {
	try {
		return await keepSession(snapshot, ring, count, Date.now()) === undefined
			? ''
			: 'all of it again: tprof-top open --last\n';
	} catch (error) {
		return `the session was not kept: ${error instanceof Error ? error.message : String(error)}\n`;
	}
}

/** Returns the screen's first message: a mistake in the configuration, or a remark on it, or what a table said. */
function firstMessage(
	{faults: [fault, ...others], notes: [note]}: Configuration,
	ofTable: Printable | undefined,
): Message | undefined {
	if (fault !== undefined) {
		const more = others.length === 0 ? safe`` : safe` (and ${others.length} more; ? shows them)`;
		return {text: safe`${fault}${more}`, tone: 'error'};
	}

	const text = note ?? ofTable;
	return text === undefined ? undefined : {text, tone: 'plain'};
}

/** Lets the user choose a row; resolves to its id, or to undefined if they choose none. */
export async function choose(options: Options, ports: ChooserPorts): Promise<string | undefined> {
	return runChooser({
		...ports, theme: themeOf(options), stdin: process.stdin, stdout: process.stdout, hasMouse: options.mouse,
	});
}
