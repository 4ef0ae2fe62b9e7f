import path from 'node:path';
import {BaseSequencer, type TestSpecification} from 'vitest/node';

/** The files that take longest, longest first. */
const longest: readonly string[] = [
	'engines/memory/counted-lines.test.ts',
	'commands/situations.test.ts',
	'engines/memory/cpu/perf/recorded-stacks.test.ts',
	'engines/memory/cpu-sums.test.ts',
	'tracing/jdk-classes.test.ts',
	'jvm/vitals.test.ts',
	'cli.test.ts',
	'tracing/command.test.ts',
	'engines/memory/cpu/perf/native-code.test.ts',
	'tracing/load.test.ts',
	'tracing/trace.test.ts',
	'tracing/hostile-reports.test.ts',
	'sampler/unattributed.test.ts',
	'commands/record.test.ts',
	'engines/memory/stress.test.ts',
	'commands/open.test.ts',
	'tracing/tasks.test.ts',
	'engines/attach/session.test.ts',
	'engines/memory/running-threads.test.ts',
	'tracing/lambdas.test.ts',
];

/**
Begun last, a long file would be waited for alone: so both CPUs have work to the end, where no run was timed yet, too.
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
