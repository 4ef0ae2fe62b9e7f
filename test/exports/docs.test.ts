import fs from 'node:fs';
import {expect, test} from 'vitest';
import {labelKey, placeholders} from '../../source/exports/pprof/labels.js';
import {maxLocations, maxNameCharacters, maxNodes, maxProfileBytes, maxSampleItems, maxSamples, maxThreads} from '../../source/exports/pprof/limits.js';
import {formats} from '../../source/exports/formats/registry.js';
import {views} from '../../source/views/registry.js';

test('docs/formats.md names every format, column, label and bound', () => {
	const text = fs.readFileSync(new URL('../../docs/formats.md', import.meta.url), 'utf8');
	const names = [
		...formats.flatMap(({id, extension}) => [`| \`${id}\` | \`${extension}\` |`]),
		...views.flatMap(({files}) => files.csv.map(({id}) => `\`${id}\``)),
		...Object.values(labelKey).map(key => `| label \`${key}\` |`),
		...Object.values(placeholders).map(name => `\`${name}\``),
		`${maxProfileBytes / 1024 / 1024} MB`,
		`${maxSamples.toLocaleString('en')} samples`,
		`${maxSampleItems / 1e6} million frames, values and labels`,
		`${maxNodes.toLocaleString('en')} distinct stacks`,
		`${maxLocations.toLocaleString('en')} lines`,
		`${maxThreads.toLocaleString('en')} threads`,
		`${maxNameCharacters / 1e6} million characters in names`,
	];
	expect(names.filter(name => !text.includes(name))).toEqual([]);
});
