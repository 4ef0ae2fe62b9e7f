// Bundles the command line and the sampler's worker into dist/, which is replaced in one step. The folder works
// wherever it is copied to.
import {execFileSync} from 'node:child_process';
import process from 'node:process';
import {
	chmod, cp, readFile, rename, rm, writeFile,
} from 'node:fs/promises';
import {build} from 'esbuild';
import {billOfMaterials} from './build/bill-of-materials.js';
import {bundledPackages, thirdPartyNotices} from './build/third-party-notices.js';
import {bundleOptions} from './build/bundle-options.js';
import {copyKoffi} from './build/koffi.js';
import {flamePage} from './build/flame-page.js';

const {name, version, license} = JSON.parse(await readFile('package.json', 'utf8'));
const fresh = `dist-new-${process.pid}`;
const old = `dist-old-${process.pid}`;

const {metafile} = await build({
	entryPoints: {
		cli: 'source/cli.ts',
		'kubectl-tprof': 'source/kubectl.ts',
		worker: 'source/sampler/worker.ts',
		'host-worker': 'source/sampler/host-worker.ts',
	},
	outdir: fresh,
	...bundleOptions,
	splitting: true,
	minifySyntax: true,
	chunkNames: 'chunks/[name]-[hash]',
	define: {
		...bundleOptions.define,
		'process.env.TPROF_VERSION': JSON.stringify(version),
	},
	legalComments: 'none',
	metafile: true,
});
// Loaded by require, when a filter first has a regular expression; see source/query/filter/regex.ts.
const {metafile: expressions} = await build({
	stdin: {contents: 'export {RE2JS, RE2JSSyntaxException} from \'re2js\';', resolveDir: '.'},
	outfile: `${fresh}/re2js.cjs`,
	bundle: true,
	minify: true,
	format: 'cjs',
	platform: 'node',
	target: 'node22',
	legalComments: 'none',
	metafile: true,
	logLevel: 'warning',
});
const flame = await flamePage();
await writeFile(`${fresh}/flame-graph.html`, flame.page);
await chmod(`${fresh}/cli.js`, 0o755);
await chmod(`${fresh}/kubectl-tprof.js`, 0o755);
// Without it Node would take the files for CommonJS where dist/ is alone.
await writeFile(`${fresh}/package.json`, `${JSON.stringify({name, version, license, type: 'module'}, undefined, '\t')}\n`);
await cp('demo/shop.jar', `${fresh}/demo/shop.jar`);
await cp('demo/src', `${fresh}/demo/src`, {recursive: true});
await cp('agent/agent.jar', `${fresh}/agent/agent.jar`);
await cp('probes', `${fresh}/probes`, {recursive: true});
await cp('demo/recording.tprof', `${fresh}/demo/recording.tprof`);
await copyKoffi(fresh);
await cp('LICENSE', `${fresh}/LICENSE`);
// The program prints it, from the tables that it works by.
await writeFile(`${fresh}/tprof-top.1`, execFileSync(process.execPath, [`${fresh}/cli.js`, 'man'], {encoding: 'utf8'}));
const packages = [
	...bundledPackages(metafile), ...bundledPackages(expressions), ...flame.packages, 'node_modules/koffi',
];
await writeFile(`${fresh}/third-party-notices.txt`, await thirdPartyNotices(packages));
await writeFile(`${fresh}/sbom.cdx.json`, await billOfMaterials(packages, {name, version, license}));
await rename('dist', old).catch(() => {});
await rename(fresh, 'dist');
await rm(old, {recursive: true, force: true});
