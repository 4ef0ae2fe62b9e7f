import {existsSync} from 'node:fs';
import {readFile, readdir} from 'node:fs/promises';
import path from 'node:path';

const licenseFile = /^(licen[cs]e|copying|notice)/i;
/** Packages that ship other packages in their own files (meow) say here under which terms. */
const bundledLicenses = 'licenses.md';

/**
Texts for packages that come without one: by the package's folder, with what its package.json, readme and sources say of
licence and holder.
*/
const ownTexts = path.join(import.meta.dirname, 'licenses');

/** Folders of the packages that have bytes in a bundle, sorted; of esbuild's metafile. */
export function bundledPackages({outputs}) {
	const inputs = Object.values(outputs).flatMap(output =>
		Object.entries(output.inputs).filter(([, {bytesInOutput}]) => bytesInOutput > 0).map(([input]) => input));
	return [...new Set(inputs.flatMap(input => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? []))].sort();
}

/** The licence texts of packages, by their folders, as one text. Throws where a package has none. */
export async function thirdPartyNotices(folders) {
	const notices = await Promise.all(folders.map(async folder => noticeOf(folder)));
	return `tprof-top has these packages in its files, under the terms that follow each name.\n${notices.join('')}`;
}

async function noticeOf(folder) {
	const {name, version, license} = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
	const texts = [];
	for (const file of await filesOf(folder)) {
		const text = await readFile(file, 'utf8');
		texts.push(text.trim());
	}

	if (texts.length === 0) {
		throw new Error(`${name} has no licence text: add what it says to ${
			path.relative('', path.join(ownTexts, `${path.basename(folder)}.txt`))
		}`);
	}

	return `\n${'='.repeat(80)}\n${name} ${version} (${license})\n${'='.repeat(80)}\n\n${texts.join('\n\n')}\n`;
}

async function filesOf(folder) {
	const names = await readdir(folder);
	const found = names.filter(name => licenseFile.test(name) && !name.endsWith('.csv')).map(name =>
		path.join(folder, name));
	return [
		...found,
		...[path.join(ownTexts, `${path.basename(folder)}.txt`), path.join(folder, 'build', bundledLicenses)].filter(file => existsSync(file)),
	];
}
