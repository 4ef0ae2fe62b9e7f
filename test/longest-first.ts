import path from 'node:path';
import {BaseSequencer, type TestSpecification} from 'vitest/node';

/** The files that take longest, longest first. */
const longest: readonly string[] = [
	'cli.test.ts',
	'commands/open.test.ts',
	'engines/memory/running-threads.test.ts',
	'dist.test.ts',
	'tracing/hostile-reports.test.ts',
	'engines/memory/cpu/perf/native-code.test.ts',
	'engines/memory/cpu/perf/cpu-rings.test.ts',
	'engines/memory/cpu/perf/perf-timer.test.ts',
	'sampler/suspension.test.ts',
	'engines/memory/stress.test.ts',
	'tracing/load.test.ts',
	'sampler/handle.test.ts',
	'commands/live.test.ts',
	'engines/memory/refusals.test.ts',
	'tracing/trace.test.ts',
	'tracing/jdk-classes.test.ts',
	'tracing/bad-ends.test.ts',
	'tracing/command.test.ts',
	'tracing/lambdas.test.ts',
	'engines/memory/waiting-threads.test.ts',
	'engines/memory/cpu-sums.test.ts',
	'engines/memory/loops.test.ts',
	'engines/memory/virtual-threads.test.ts',
	'engines/attach/handshake.test.ts',
];

/** Begun last, a long file would be waited for alone: so both CPUs have work to the end, where no run was timed yet, too. */
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
