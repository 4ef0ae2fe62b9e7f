import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {pathToFileURL} from 'node:url';
import {build} from 'esbuild';
import {bundleOptions} from '../../build/bundle-options.js';
import {copyKoffi} from '../../build/koffi.js';

const root = path.resolve(import.meta.dirname, '../..');
const bundles = new Map<string, Promise<URL>>();

// Vitest ends its processes by this signal, which by itself is no exit that takes the bundles away.
process.once('SIGTERM', () => {
	process.exit();
});

/**
Bundles an entry point, named from the project's root, as build.js does, once in a process; gives the bundle's URL.
*/
export async function bundle(entry: string): Promise<URL> {
	const found = bundles.get(entry) ?? bundled(entry);
	bundles.set(entry, found);
	return found;
}

async function bundled(entry: string): Promise<URL> {
	const directory = mkdtempSync(path.join(tmpdir(), 'tprof-bundle-'));
	process.once('exit', () => {
		rmSync(directory, {recursive: true, force: true});
	});
	const outfile = path.join(directory, `${path.basename(entry).replace(/\.tsx?$/, '')}.mjs`);
	await build({
		...bundleOptions,
		entryPoints: [path.join(root, entry)],
		outfile,
	});
	await copyKoffi(directory);
	return pathToFileURL(outfile);
}
