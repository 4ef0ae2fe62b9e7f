import fs from 'node:fs';
import {describe, expect, test} from 'vitest';
import {
	maxLocations,
	maxNameCharacters,
	maxNodes,
	maxProfileBytes,
	maxSampleItems,
	maxSamples,
	maxProfileThreads,
} from '../../source/exports/common/limits.js';
import {formatOf, exportFormats} from '../../source/exports/formats/format-registry.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {views} from '../../source/views/view-registry.js';
import {report, taskReport} from '../helpers/reports.js';
import {noTarget} from '../helpers/jvm.js';
import {labelKey, placeholders} from '../../source/exports/pprof/profile-names.js';
import {textOf} from './parse.js';
import {serviceSnapshots} from './snapshots.js';

const page = fs.readFileSync(new URL('../../docs/formats.md', import.meta.url), 'utf8');

test('docs/formats.md names every format, column, label and bound', () => {
	const names = [
		...exportFormats.flatMap(({id, extension}) => [`| \`${id}\` | \`${extension}\` |`]),
		...views.flatMap(({files}) => files.csv.map(({id}) => `\`${id}\``)),
		...Object.values(labelKey).map(key => `| label \`${key}\` |`),
		...Object.values(placeholders).map(name => `\`${name}\``),
		`${maxProfileBytes / 1024 / 1024} MB`,
		`${maxSamples.toLocaleString('en')} samples`,
		`${maxSampleItems / 1e6} million frames, values and labels`,
		`${maxNodes.toLocaleString('en')} distinct stacks`,
		`${maxLocations.toLocaleString('en')} lines`,
		`${maxProfileThreads.toLocaleString('en')} threads`,
		`${maxNameCharacters / 1e6} million characters in names`,
	];
	expect(names.filter(name => !page.includes(name))).toEqual([]);
});

describe('the fields of JSON that docs/formats.md names', () => {
	const section = (title: string) => page.split(/^## /m).find(text => text.startsWith(`${title}\n`))!;
	const named = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(match => match[1]);

	/** Every key in a document, at any depth. */
	const keysIn = (value: unknown): string[] =>
		value !== null && typeof value === 'object'
			? [
				...(Array.isArray(value) ? [] : Object.keys(value)),
				...Object.values(value).flatMap(part => keysIn(part)),
			]
			: [];
	const missing = (document: unknown, text: string) =>
		[...new Set(keysIn(document))].filter(key => !named(text).includes(key));

	const {whole: snapshot, first} = serviceSnapshots();
	const document = (more: object) => JSON.parse(textOf('json', snapshot, more)) as Record<string, unknown>;
	const rows = new Map(section('JSON').split('\n').flatMap(line => {
		const [, keys, meaning] = /^\| (.*?) \| (.*) \|$/.exec(line) ?? [];
		return keys?.startsWith('`') ? named(keys).map(key => [key, meaning] as const) : [];
	}));

	test('the keys of a document, in their order', () => {
		expect([...rows.keys()]).toEqual(Object.keys(document({})));
	});

	test.each(['target', 'skippedThreads', 'cost'])('all that is in %s, in its row', key => {
		expect(missing(document({})[key], rows.get(key)!)).toEqual([]);
	});

	test.each(views.map(view => [view.id, view] as const))(
		'all that is in a document with the rows of %s',
		(_, view) => {
			const query = {
				...defaultQuery,
				sort: view.sort,
				method: 'run',
				baseline: {snapshot: first, since: undefined, title: 'before'},
			};
			expect(missing(document({view, query}), section('JSON'))).toEqual([]);
		},
	);

	test('all that is in a document of traces, and of tasks', () => {
		const options = {version: '1', notes: []};
		const traces: unknown = JSON.parse(String(formatOf('json').traces!.write(noTarget.facts, report, options)));
		const tasks: unknown = JSON.parse(String(formatOf('json').tasks!.write(noTarget.facts, taskReport, options)));
		expect(missing(traces, section('JSON') + section('Traces'))).toEqual([]);
		expect(missing(tasks, section('JSON') + section('Traces') + section('Tasks'))).toEqual([]);
	});
});
