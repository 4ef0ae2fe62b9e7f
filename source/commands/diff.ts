import {existsSync} from 'node:fs';
import path from 'node:path';
import type {Snapshot} from '../model/snapshot.js';
import {isOver} from '../model/source.js';
import {printable, safe, type Printable} from '../util/printable.js';
import type {Options} from '../options/parse.js';
import {UserError, usage} from '../runtime/errors.js';
import {comparing} from './baseline.js';
import {abortOnSignal, failureOf, waitUntil} from './batch.js';
import {openSaved, reading, savedSource, spanMoments, spanOf} from './recording.js';
import {resolveTarget} from './resolve-target.js';
import {sampled} from './sampled.js';
import {show} from './show.js';

/** Default of --duration for JVMs. */
const defaultS = 10;

/** One side of a comparison. */
type Side = {readonly snapshot: Snapshot; readonly title: Printable};

/** Shows what the second side uses more or less than the first. Returns the exit code; throws UserError. */
export async function diff(sides: readonly [string, string], options: Options): Promise<number> {
	const compared = comparing(options);
	const [baseline, shown] = await readSides(sides, options);
	return show(savedSource(shown), {...compared, baseline: {...baseline, since: undefined}});
}

/** Reads both sides; samples JVMs at the same time. Throws UserError. */
export async function readSides([a, b]: readonly [string, string], options: Options): Promise<readonly [Side, Side]> {
	return Promise.all([sideOf(a, options), sideOf(b, options)]);
}

async function sideOf(text: string, options: Options): Promise<Side> {
	const span = spanIn(text);
	return span ? savedSide(text, span) : liveSide(text, options);
}

/** A file, and the span of it to compare: all of it if there are no moments. */
type FileSpan = {readonly file: string; readonly from?: string; readonly to?: string};

/**
Returns the file and span of a side; undefined for a JVM. A file may itself be named like a span. Throws UserError.
*/
function spanIn(text: string): FileSpan | undefined {
	const [, file, from, to] = /^(.+)@([^@]+?)\.\.([^@]+)$/.exec(text) ?? [];
	if (existsSync(text)) {
		return {file: text};
	}

	if (file === undefined && text.includes('@') && existsSync(text.replace(/@[^@]*$/, ''))) {
		throw usage(
			`"${text}" is not a span of a recording`,
			'a span is FILE@FROM..TO, such as FILE@14:02..14:03; the times are written as for --at',
		);
	}

	if (file === undefined && /\.(?:tprof|gz)$/.test(text)) {
		throw new UserError(`cannot read ${printable(text)}: no such file`);
	}

	return file === undefined ? undefined : {file, from, to};
}

async function savedSide(text: string, {file, from, to}: FileSpan): Promise<Side> {
	const {snapshot, recording} = await openSaved(file);
	const title = printable(path.basename(text));
	if (!recording) {
		if (from !== undefined) {
			throw usage(`${printable(file)} is a snapshot: it has no moments`, 'only recordings have spans');
		}

		return {snapshot, title};
	}

	return reading(
		file,
		async () => ({snapshot: spanOf(recording.ring, ...spanMoments({from, to}, recording.ring)), title}),
	);
}

async function liveSide(text: string, options: Options): Promise<Side> {
	const {signal: stop} = abortOnSignal();
	const target = await resolveTarget(text);
	return sampled(target, options, async source => {
		await waitUntil(
			() => isOver(source.status()),
			performance.now() + ((options.durationS ?? defaultS) * 1000),
			stop,
		);
		const snapshot = source.read();
		if (!snapshot || snapshot.session.samples === 0) {
			throw source.status().phase === 'failed'
				? failureOf(source.status())
				: new UserError(`no sample of JVM ${target.pid}`);
		}

		return {snapshot, title: safe`${target.pid} ${target.facts.mainClass}`};
	});
}
