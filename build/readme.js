// npm run readme: puts the tables of options, keys and columns into readme.md.
import {readFile, rm, writeFile} from 'node:fs/promises';
import {pathToFileURL} from 'node:url';
import process from 'node:process';
import {build} from 'esbuild';
import {bundleOptions} from './bundle-options.js';

const bundle = `dist-new-readme-${process.pid}.mjs`;
try {
	await build({
		...bundleOptions, entryPoints: ['build/readme-tables.ts'], outfile: bundle, packages: 'external',
	});
	const {renderReadme} = await import(pathToFileURL(bundle).href);
	await writeFile('readme.md', renderReadme(await readFile('readme.md', 'utf8')));
} finally {
	await rm(bundle, {force: true});
}
