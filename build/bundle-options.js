import path from 'node:path';
import {inkPlugin} from './ink-plugin.js';

/** How everything is bundled that Node runs: the program, what tests start, benchmarks. */
export const bundleOptions = {
	bundle: true,
	format: 'esm',
	platform: 'node',
	target: 'node22',
	plugins: [inkPlugin],
	define: {
		'process.env.NODE_ENV': '"production"',
		// Yoga reads the bytes that are in its own file by `fetch` if there is one, which loads Node's HTTP client.
		fetch: 'undefined',
	},
	alias: {
		// Its usual entry finds its files in a way that no bundler sees.
		'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
		'string-width': path.join(import.meta.dirname, 'string-width.js'),
	},
	// Some dependencies are CommonJS and call require.
	banner: {
		js: 'import {createRequire as tprofCreateRequire} from \'node:module\';const require = tprofCreateRequire(import.meta.url);',
	},
	logLevel: 'warning',
};
