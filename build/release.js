// Makes the program as one executable file, a Node with the files of dist/ as its assets (Node's single executable
// applications): node build/release.js [FOLDER], after node build.js.
import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {
	chmod, copyFile, mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile,
} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {build} from 'esbuild';
import {inject} from 'postject';
import {bundleOptions} from './bundle-options.js';
import {withoutAwait} from './release/without-await.js';

const platform = 'linux-x64';

/** The Node that npm has installed for development. */
const node = path.resolve(`node_modules/node-${platform}/bin/node`);

/** By this text Node finds the place in its own binary that says whether a program is in it. */
const sentinelFuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Files of dist/ that are not in the file as they are: its code is, and musl needs another Node. */
const isNoAsset = name =>
	/^(?:cli|kubectl-tprof|(?:host-)?worker)\.js$|^chunks\/|^package\.json$|^koffi-musl/.test(name);

const {version} = JSON.parse(await readFile('package.json', 'utf8'));

/** Bundles both programs in one; Node runs and caches only CommonJS there. */
async function bundleProgram(outfile) {
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
async function assetsWith(folder) {
	const entries = await readdir('dist', {recursive: true, withFileTypes: true});
	const names = entries.filter(entry => entry.isFile())
		.map(entry => path.relative('dist', path.join(entry.parentPath, entry.name)))
		.filter(name => !isNoAsset(name));
	return Object.fromEntries([
		...names.map(name => [name, path.resolve('dist', name)]),
		...workers.map(name => [name, path.join(folder, name)]),
	]);
}

async function makeFile(file, folder) {
	const [main, config, output] = ['main.cjs', 'sea.json', 'program'].map(name => path.join(folder, name));
	await Promise.all([bundleProgram(main), bundleWorkers(folder)]);
	await writeFile(config, JSON.stringify({
		main, output, assets: await assetsWith(folder), useCodeCache: true, execArgvExtension: 'none',
		disableExperimentalSEAWarning: true,
	}));
	execFileSync(node, ['--experimental-sea-config', config], {stdio: ['ignore', 'ignore', 'inherit']});
	const made = path.join(folder, 'file');
	await copyFile(node, made);
	await inject(made, 'NODE_SEA_BLOB', await readFile(output), {sentinelFuse});
	await chmod(made, 0o755);
	await copyFile(made, `${file}.new`);
	await rename(`${file}.new`, file);
}

const [into = 'release'] = process.argv.slice(2);
await mkdir(into, {recursive: true});
const file = path.join(into, `tprof-top-${platform}`);
const folder = await mkdtemp(path.join(os.tmpdir(), 'tprof-release-'));
try {
	await makeFile(file, folder);
} finally {
	await rm(folder, {recursive: true, force: true});
}

const sum = createHash('sha256').update(await readFile(file)).digest('hex');
await writeFile(path.join(into, 'checksums.txt'), `${sum}  ${path.basename(file)}\n`);
const licenses = ['dist/LICENSE', 'dist/third-party-notices.txt', `node_modules/node-${platform}/LICENSE`];
const texts = await Promise.all(licenses.map(async name => readFile(name, 'utf8')));
await writeFile(path.join(into, 'licenses.txt'), texts.join('\n'));
process.stdout.write(`${file}\n`);
