// Makes the program as one executable file: a Node with the files of dist/ as its assets (Node's single executable
// applications).
import {chmod, copyFile, readFile, readdir, rename, writeFile} from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import {build} from 'esbuild';
import {inject} from 'postject';
import {bundleOptions} from '../bundle-options.js';
import {nodeForGlibc, runTool} from './nodes.js';
import {withoutAwait} from './without-await.js';

/** By this text Node finds the place in its own binary that says whether a program is in it. */
const sentinelFuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Whether a file of dist/ is in the file as it is: its code is not, nor libraries for other platforms. */
const isAsset = (name, architecture) =>
	!/^(?:cli|kubectl-tprof|(?:host-)?worker)\.js$|^chunks\/|^package\.json$/.test(name)
	&& (!name.startsWith('koffi-') || name === `koffi-glibc-${architecture}.node`);

/** Bundles both programs in one; Node runs and caches only CommonJS there. */
async function bundleProgram(outfile, version) {
	await build({
		...bundleOptions,
		stdin: {contents: await readFile('build/release/entry.js', 'utf8'), resolveDir: 'build/release'},
		outfile,
		format: 'cjs',
		minifySyntax: true,
		legalComments: 'none',
		plugins: [...bundleOptions.plugins, withoutAwait],
		define: {
			...bundleOptions.define,
			'process.env.TPROF_VERSION': JSON.stringify(version),
			'import.meta': 'tprofImportMeta',
		},
		banner: {js: 'const tprofImportMeta = {url: require(\'node:url\').pathToFileURL(process.execPath).href};'},
	});
}

/** The workers, which Node runs from a text, by their names in dist/. */
const workers = ['worker.js', 'host-worker.js'];

async function bundleWorkers(outdir) {
	await build({
		...bundleOptions,
		entryPoints: workers.map(name => `source/sampler/${name.replace(/js$/, 'ts')}`),
		outdir,
		minifySyntax: true,
		legalComments: 'none',
	});
}

/** Returns the paths of the files in the program, by their names in dist/; those of the workers are in a folder. */
async function assetsWith(folder, architecture) {
	const entries = await readdir('dist', {recursive: true, withFileTypes: true});
	const names = entries.filter(entry => entry.isFile())
		.map(entry => path.relative('dist', path.join(entry.parentPath, entry.name)))
		.filter(name => isAsset(name, architecture));
	return Object.fromEntries([
		...names.map(name => [name, path.resolve('dist', name)]),
		...workers.map(name => [name, path.join(folder, name)]),
	]);
}

/**
Makes `file` for an architecture, `x64` or `arm64`, of dist/; `folder` is for what is between. V8's cache of the code,
which makes the start quicker, can be made only on the architecture itself.
*/
export async function makeSingleFile(file, architecture, {folder, version}) {
	const [main, config, output] = ['main.cjs', 'sea.json', 'program'].map(name => path.join(folder, name));
	await Promise.all([bundleProgram(main, version), bundleWorkers(folder)]);
	await writeFile(config, JSON.stringify({
		main, output, assets: await assetsWith(folder, architecture), useCodeCache: architecture === process.arch,
		execArgvExtension: 'none', disableExperimentalSEAWarning: true,
	}));
	const builder = await nodeForGlibc(process.arch);
	runTool(builder.file, ['--experimental-sea-config', config]);
	const made = path.join(folder, 'file');
	const {file: node} = await nodeForGlibc(architecture);
	await copyFile(node, made);
	await inject(made, 'NODE_SEA_BLOB', await readFile(output), {sentinelFuse});
	await chmod(made, 0o755);
	await copyFile(made, `${file}.new`);
	await rename(`${file}.new`, file);
}
