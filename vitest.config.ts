import {tmpdir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {defineConfig} from 'vitest/config';
import {LongestFirst} from './test/longest-first.js';

/** Tests that need a JVM, or run the built program. The others run within their process, on data of their own. */
const withJvm = 'test/**/*.jvm.test.ts';

export default defineConfig({
	oxc: {jsx: {development: false}},
	test: {
		// Longer than what a test waits for by itself (test/helpers/until.ts), which says more when it is in vain.
		testTimeout: 240_000,
		hookTimeout: 240_000,
		// React as it is shipped: its development build takes three times as long to draw.
		// What the live view keeps when it is left is not the user's.
		env: {NODE_ENV: 'production', XDG_STATE_HOME: path.join(tmpdir(), `tprof-test-state-${process.getuid?.() ?? 0}`)},
		pool: 'forks',
		sequence: {sequencer: LongestFirst},
		// A process for each file would take longer to start than many files to run.
		isolate: false,
		projects: [
			// More at a time would leave JVMs without a CPU on a small machine.
			{
				extends: true,
				test: {name: 'programs', include: [withJvm], maxWorkers: 3, globalSetup: 'test/compile-programs.ts'},
			},
			// They come last: they use a CPU all the time, and leave none for long to a JVM.
			{
				extends: true,
				test: {
					name: 'within',
					include: ['test/**/*.test.{ts,tsx}'],
					exclude: [withJvm],
					maxWorkers: 3,
					sequence: {groupOrder: 1},
				},
			},
		],
	},
});
