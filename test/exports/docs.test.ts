import fs from 'node:fs';
import {expect, test} from 'vitest';
import {csvColumns} from '../../source/exports/csv.js';
import {labelKey, placeholders} from '../../source/exports/pprof/labels.js';
import {maxProfileBytes} from '../../source/exports/pprof/read.js';
import {maxListNumbers, maxMessages} from '../../source/exports/pprof/wire-check.js';
import {formats} from '../../source/exports/registry.js';

test('docs/formats.md names every format, column, label and bound', () => {
	const text = fs.readFileSync(new URL('../../docs/formats.md', import.meta.url), 'utf8');
	const names = [
		...formats.flatMap(({id, extension}) => [`| \`${id}\` | \`${extension}\` |`]),
		...csvColumns.map(({id}) => `\`${id}\``),
		...Object.values(labelKey).map(key => `| label \`${key}\` |`),
		...Object.values(placeholders).map(name => `\`${name}\``),
		`${maxProfileBytes / 1024 / 1024} MB after decompression`,
		`${maxListNumbers / 1e6} million stack frames and values`,
		`${maxMessages / 1e6} million entries`,
	];
	expect(names.filter(name => !text.includes(name))).toEqual([]);
});
