import path from 'node:path';
import {BaseSequencer, type TestSpecification} from 'vitest/node';

/** The files that take longest, longest first. */
export const longest: readonly string[] = [
	'engines/memory/events/thread-events.jvm.test.ts',
	'dist.jvm.test.ts',
	'single-file.jvm.test.ts',
	'engines/memory/counted-lines.jvm.test.ts',
	'tracing/command.jvm.test.ts',
	'tracing/small-heaps.jvm.test.ts',
	'commands/situations.jvm.test.ts',
	'cli.jvm.test.ts',
	'engines/attach/session.jvm.test.ts',
	'engines/memory/running-threads.jvm.test.ts',
	'engines/memory/waiting-threads.jvm.test.ts',
	'commands/record.jvm.test.ts',
	'jvm/vitals.jvm.test.ts',
	'sampler/backoff.jvm.test.ts',
	'tracing/running-loops.jvm.test.ts',
	'tracing/tasks.jvm.test.ts',
	'tracing/trace.jvm.test.ts',
	'engines/memory/cpu/perf/native-code.jvm.test.ts',
	'engines/memory/cpu/perf/recorded-stacks.jvm.test.ts',
	'engines/memory/stress.jvm.test.ts',
	'commands/open.jvm.test.ts',
	'engines/memory/cpu/perf/cpu-rings.jvm.test.ts',
	'engines/memory/cpu-sums.jvm.test.ts',
	'commands/blockers.jvm.test.ts',
	'commands/live.jvm.test.ts',
	'tracing/jdk-classes.jvm.test.ts',
	'tracing/load.jvm.test.ts',
	'tracing/bad-ends.jvm.test.ts',
	'tracing/hostile-reports.jvm.test.ts',
	'commands/mcp.jvm.test.ts',
];

/**
Starts the longest files first, so that no CPU is free at the end. Vitest's own order needs the timings of an earlier
run.
*/
export class LongestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const rank = ({moduleId}: TestSpecification) => {
			const at = longest.indexOf(path.relative(import.meta.dirname, moduleId));
			return at === -1 ? longest.length : at;
		};

		const sorted = await super.sort(files);
		return sorted.sort((a, b) => rank(a) - rank(b));
	}
}
