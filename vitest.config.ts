import {defineConfig} from 'vitest/config';

export default defineConfig({
	test: {
		include: ['test/**/*.test.{ts,tsx}'],
		// Longer than what a test waits for by itself (test/helpers/patience.ts), which says more when it is in vain.
		testTimeout: 240_000,
		hookTimeout: 240_000,
		pool: 'forks',
		maxWorkers: 2,
	},
});
