// npm run reference: puts the tables of options, keys and columns into docs/reference.md.
import {readFile, rm, writeFile} from 'node:fs/promises';
import {pathToFileURL} from 'node:url';
import process from 'node:process';
import {build} from 'esbuild';
import {bundleOptions} from './bundle-options.js';

const bundle = `dist-new-readme-${process.pid}.mjs`;
try {
	await build({
		...bundleOptions, entryPoints: ['build/reference-tables.ts'], outfile: bundle, packages: 'external',
	});
	const {renderReference} = await import(pathToFileURL(bundle).href);
	await writeFile('docs/reference.md', renderReference(await readFile('docs/reference.md', 'utf8')));
} finally {
	await rm(bundle, {force: true});
}
