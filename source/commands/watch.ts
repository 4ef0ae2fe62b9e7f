import {setTimeout as sleep} from 'node:timers/promises';
import {listJvms} from '../jvm/discovery/list.js';
import type {Target} from '../jvm/target.js';
import {identify} from '../jvm/discovery/inspect.js';
import type {SnapshotSource} from '../model/source.js';
import type {Options} from '../options/parse.js';
import {usage} from '../runtime/errors.js';
import {abortOnSignal} from './batch.js';
import {eachWindow, Progress} from './record.js';
import {sampled, Windows} from './sampled.js';
import {failureOf} from './source-end.js';
import {Trigger, type FileCount} from './triggers.js';

/** Maximum JVMs watched at a time: each takes a thread and its share of --max-cpu. */
const maxTargets = 32;
const lookMs = 5000;
const pollMs = 200;

function stemOf({output = 'tprof'}: Options): string {
	return output.replace(/\.tprof$/, '');
}

/** Records a target around each --when. Returns the exit code; throws UserError. */
export async function recordWhen(source: SnapshotSource, target: Target, options: Options): Promise<number> {
	const files: FileCount = {left: options.maxFiles};
	const {signal} = abortOnSignal();
	const progress = new Progress();
	await watched(source, target, options, {
		files, stop: signal, stem: options.output === undefined ? `tprof-${target.facts.pid}` : stemOf(options), show(trigger) {
			progress.show(`watching ${target.facts.pid} ${target.facts.mainClass}  ${countOf(options, files)}${trigger.newest === undefined ? '' : `, the last ${trigger.newest}`}`, trigger.problem);
		},
	});
	progress.end(`watched ${target.facts.pid} ${target.facts.mainClass}: ${countOf(options, files)}`);
	if (source.status().phase === 'failed') {
		throw failureOf(source);
	}

	return 0;
}

function countOf({maxFiles}: Options, {left}: FileCount): string {
	return `${maxFiles - left} of ${maxFiles} files`;
}

async function watched(source: SnapshotSource, target: Target, options: Options, {files, stop, stem, show}: {readonly files: FileCount; readonly stop: AbortSignal; readonly stem: string; show(trigger: Trigger): void}): Promise<void> {
	const windows = new Windows(source, target);
	const trigger = new Trigger(options, stem, files);
	try {
		await eachWindow(source, options.durationS, stop, async isLast => {
			await trigger.follow(windows.follow(isLast));
			show(trigger);
		});
	} finally {
		await trigger.close();
		windows.close();
	}
}

/** The same for all JVMs of this host, including those that start later. */
export async function watchAll(options: Options): Promise<number> {
	if (!options.all || !options.when) {
		throw usage('watch needs --all and --when', 'tprof-top watch --all --when "cpu>300,deadlock"');
	}

	const files: FileCount = {left: options.maxFiles};
	const {signal: stop} = abortOnSignal();
	const progress = new Progress();
	const running = new Map<number, Promise<void>>();
	/** Not tried again. */
	const failed = new Set<number>();
	const endMs = performance.now() + ((options.durationS ?? Infinity) * 1000);
	let problem: string | undefined;
	let newest = '';
	const show = () => {
		progress.show(`watching ${running.size} JVMs  ${countOf(options, files)}${newest}`, problem);
	};

	const watch = async (target: Target) => {
		const {pid} = target;
		try {
			await sampled(target, options, async source => {
				await watched(source, target, options, {
					files, stop, stem: `${stemOf(options)}-${pid}`, show(trigger) {
						newest = trigger.newest === undefined ? newest : `, the last ${trigger.newest}`;
						problem = trigger.problem ?? problem;
					},
				});
				if (source.status().phase === 'failed') {
					throw failureOf(source);
				}
			});
		} catch (error) {
			problem = `${pid}: ${(error as Error).message}`;
			failed.add(pid);
		} finally {
			running.delete(pid);
		}
	};

	for (let lookedMs = -Infinity; !stop.aborted && performance.now() < endMs;) {
		if (performance.now() - lookedMs >= lookMs) {
			lookedMs = performance.now();
			for (const {pid, problem: obstacle} of listJvms()) {
				const found = obstacle !== undefined || running.has(pid) || failed.has(pid) || running.size >= maxTargets ? undefined : identify(pid);
				if (found?.ok) {
					running.set(pid, watch(found.target));
				}
			}
		}

		show();
		await sleep(pollMs);
	}

	await Promise.all(running.values());
	progress.end(`watched for ${countOf(options, files)}${newest}`);
	return 0;
}
