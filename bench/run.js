// npm run bench [-- NAME... NUMBER...]: bundles and runs the benchmarks of this folder, one after the other, each in a
// process of its own; numbers are handed on to them.
import {spawnSync} from 'node:child_process';
import {mkdtemp, readdir, rm} from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import {build} from 'esbuild';
import {bundleOptions} from '../build/bundle-options.js';
import {copyKoffi} from '../build/koffi.js';

const folder = import.meta.dirname;
const root = path.dirname(folder);
const words = process.argv.slice(2);
const numbers = words.filter(word => /^[\d.]+$/.test(word));
const names = words.filter(word => !numbers.includes(word));
const all = await readdir(folder);
const files = all.filter(file => file.endsWith('.ts')).map(file => file.slice(0, -3)).filter(name =>
	names.length === 0 || names.includes(name));
if (files.length === 0) {
	process.stderr.write(`no such benchmark; there are: ${
		all.filter(file => file.endsWith('.ts')).map(file =>
			file.slice(0, -3)).join(', ')
	}\n`);
	process.exit(2);
}

// Inside the project, so that packages which are not bundled are found; below test/, so that what test/helpers finds
// beside itself is found.
const out = await mkdtemp(path.join(root, 'test/dist-new-bench-'));
let failures = 0;
try {
	await build({
		entryPoints: files.map(name => path.join(folder, `${name}.ts`)),
		outdir: out,
		...bundleOptions,
		external: ['esbuild', '@lydell/node-pty', '@xterm/headless'],
	});
	await copyKoffi(out);
	for (const name of files) {
		process.stdout.write(`\n## ${name}\n\n`);
		const {status} = spawnSync(process.execPath, ['--expose-gc', path.join(out, `${name}.js`), ...numbers], {
			stdio: 'inherit',
			cwd: root,
		});
		failures += status === 0 ? 0 : 1;
	}
} finally {
	await rm(out, {recursive: true, force: true});
}

process.exitCode = failures === 0 ? 0 : 1;
