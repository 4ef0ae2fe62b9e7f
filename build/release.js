// Makes the files of a release, after node build.js: node build/release.js [FOLDER [PART...]]. The parts are linux-x64,
// linux-arm64, musl-x64, musl-arm64, packages and image; all of them unless some are named.
import {createHash} from 'node:crypto';
import {
	copyFile, mkdir, mkdtemp, readFile, readdir, rm, writeFile,
} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {withNode} from './bill-of-materials.js';
import {makeImage} from './release/image.js';
import {makeMuslFolder} from './release/musl-folder.js';
import {nodeForGlibc, nodeVersion, runTool} from './release/nodes.js';
import {makeDeb, makeRpm} from './release/packages.js';
import {makeSingleFile} from './release/single-file.js';

const glibcParts = {'linux-x64': 'x64', 'linux-arm64': 'arm64'};
const muslParts = {'musl-x64': 'x64', 'musl-arm64': 'arm64'};
const allParts = [...Object.keys(glibcParts), ...Object.keys(muslParts), 'packages', 'image'];

const [into = 'release', ...named] = process.argv.slice(2);
const wrong = named.find(part => !allParts.includes(part));
if (wrong !== undefined) {
	process.stderr.write(`no part "${wrong}" of a release; there are: ${allParts.join(', ')}\n`);
	process.exit(2);
}

const parts = named.length > 0 ? named : allParts;
const {version} = JSON.parse(await readFile('package.json', 'utf8'));
const {license: nodeLicense} = await nodeForGlibc(process.arch);
const licenseFiles = ['dist/LICENSE', 'dist/third-party-notices.txt', nodeLicense];
const texts = await Promise.all(licenseFiles.map(async name => readFile(name, 'utf8')));
const licenses = texts.join('\n');

/** Runs `make` with a folder for what is between, which goes afterwards. */
async function between(make) {
	const folder = await mkdtemp(path.join(os.tmpdir(), 'tprof-release-'));
	try {
		await make(folder);
	} finally {
		await rm(folder, {recursive: true, force: true});
	}
}

async function makePart(part) {
	const file = path.join(into, `tprof-top-${part}`);
	if (part in glibcParts) {
		await between(async folder => makeSingleFile(file, glibcParts[part], {folder, version}));
	} else if (part in muslParts) {
		await between(async folder => makeMuslFolder(`${file}.tar.gz`, muslParts[part], {folder}));
	} else if (part === 'packages') {
		for (const [architecture, single] of Object.entries(await singleFiles())) {
			for (const make of [makeDeb, makeRpm]) {
				await between(async folder => make(into, {file: single, architecture, version, licenses, folder}));
			}
		}
	} else {
		const files = await singleFiles();
		await between(async folder => makeImage(path.join(into, 'tprof-top-image.tar'), files, {version, folder}));
	}
}

/** The single files in the folder, by architecture. Throws if there is none. */
async function singleFiles() {
	const names = await readdir(into);
	const found = Object.entries(glibcParts).filter(([part]) => names.includes(`tprof-top-${part}`));
	if (found.length === 0) {
		throw new Error(`packages and the image need one of ${Object.keys(glibcParts).join(', ')}`);
	}

	return Object.fromEntries(found.map(([part, architecture]) => [architecture, path.join(into, `tprof-top-${part}`)]));
}

await mkdir(into, {recursive: true});
for (const part of parts) {
	process.stdout.write(`${part}\n`);
	await makePart(part);
}

await copyFile('build/release/install.sh', path.join(into, 'install.sh'));
await writeFile(path.join(into, 'licenses.txt'), licenses);
const bill = await readFile('dist/sbom.cdx.json', 'utf8');
await writeFile(path.join(into, 'sbom.cdx.json'), withNode(bill, nodeVersion));
const made = await readdir(into);
const names = made.filter(name => !name.startsWith('checksums.')).sort();
const lines = await Promise.all(names.map(async name =>
	`${createHash('sha256').update(await readFile(path.join(into, name))).digest('hex')}  ${name}\n`));
const sums = path.join(into, 'checksums.txt');
await writeFile(sums, lines.join(''));
// A key of whoever releases, by its id or address, in the keyring of gpg.
const {TPROF_SIGNING_KEY: key} = process.env;
if (key) {
	runTool('gpg', ['--batch', '--yes', '--local-user', key, '--armor', '--detach-sign', '--output', `${sums}.asc`, sums]);
}
