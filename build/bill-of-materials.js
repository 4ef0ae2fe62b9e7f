import {readFile} from 'node:fs/promises';
import path from 'node:path';

/**
Returns what the program is made of, as CycloneDX 1.6: the packages by their folders. It is sorted and has no time, so
that the same packages give the same bytes.
*/
export async function billOfMaterials(folders, program) {
	const packages = await Promise.all([...new Set(folders)].map(async folder =>
		component(JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')))));
	return asText({
		bomFormat: 'CycloneDX',
		specVersion: '1.6',
		version: 1,
		metadata: {component: {...component(program), type: 'application'}},
		components: packages.sort((a, b) => (a.purl < b.purl ? -1 : 1)),
	});
}

/** Returns the same with the Node in which the program runs. */
export function withNode(bill, version) {
	const parsed = JSON.parse(bill);
	return asText({
		...parsed, components: [...parsed.components, component({name: 'node', version, license: 'MIT'}, 'generic')],
	});
}

const asText = bill => `${JSON.stringify(bill, undefined, '\t')}\n`;

/** `license` is an SPDX expression, which a package may lack. */
function component({name, version, license}, kind = 'npm') {
	const purl = `pkg:${kind}/${name.replace('@', '%40')}@${version}`;
	return {
		type: 'library', 'bom-ref': purl, name, version, purl, ...(license && {licenses: [{expression: license}]}),
	};
}
