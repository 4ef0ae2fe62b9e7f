// Bundles the command line and the sampler's worker into dist/, which is replaced in one step.
import process from 'node:process';
import {chmod, readFile, rename, rm} from 'node:fs/promises';
import {build} from 'esbuild';

const {version} = JSON.parse(await readFile('package.json', 'utf8'));
const fresh = `dist-new-${process.pid}`;
const old = `dist-old-${process.pid}`;

await build({
	entryPoints: {cli: 'source/cli.ts', worker: 'source/sampler/worker.ts'},
	outdir: fresh,
	bundle: true,
	splitting: true,
	minifySyntax: true,
	format: 'esm',
	platform: 'node',
	target: 'node20',
	chunkNames: 'chunks/[name]-[hash]',
	// Native code, loaded at run time and only where it is needed.
	external: ['koffi'],
	// Ink imports its developer tools only when DEV=true; they are not shipped.
	alias: {'react-devtools-core': './build/empty.js'},
	define: {
		'process.env.NODE_ENV': '"production"',
		'process.env.TPROF_VERSION': JSON.stringify(version),
	},
	// Some dependencies are CommonJS and call require.
	banner: {js: 'import {createRequire as tprofCreateRequire} from \'node:module\';const require = tprofCreateRequire(import.meta.url);'},
	legalComments: 'none',
	logLevel: 'warning',
});
await chmod(`${fresh}/cli.js`, 0o755);
await rename('dist', old).catch(() => {});
await rename(fresh, 'dist');
await rm(old, {recursive: true, force: true});
