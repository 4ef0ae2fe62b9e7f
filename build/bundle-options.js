import path from 'node:path';
import {inkPlugins} from './ink-plugins.js';

/** How everything is bundled that Node runs: the program, what tests start, benchmarks. */
export const bundleOptions = {
	bundle: true,
	format: 'esm',
	platform: 'node',
	target: 'node20',
	plugins: inkPlugins,
	// Its usual entry finds its files in a way that no bundler sees.
	alias: {
		'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
		// ink-table hashes rows with it, which our subclass does not; it loads Node's cryptography at the start.
		'object-hash': path.join(import.meta.dirname, 'without-hash.js'),
	},
	// Some dependencies are CommonJS and call require.
	banner: {js: 'import {createRequire as tprofCreateRequire} from \'node:module\';const require = tprofCreateRequire(import.meta.url);'},
	logLevel: 'warning',
};
