import {defineConfig} from 'vitest/config';

export default defineConfig({
	oxc: {jsx: {development: false}},
	test: {
		include: ['test/**/*.test.{ts,tsx}'],
		// Longer than what a test waits for by itself (test/helpers/patience.ts), which says more when it is in vain.
		testTimeout: 240_000,
		hookTimeout: 240_000,
		// React as it is shipped: its development build takes three times as long to draw.
		env: {NODE_ENV: 'production'},
		pool: 'forks',
		// One more than the CPUs of a small machine: tests on real JVMs wait for much of their time.
		maxWorkers: 3,
	},
});
