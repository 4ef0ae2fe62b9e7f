import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {commands} from '../../source/commands/command-registry.js';
import {auto, engines} from '../../source/engines/engine-registry.js';
import {exportFormats} from '../../source/exports/formats/format-registry.js';
import {optionRows} from '../../source/options/table.js';
import {keyTable} from '../../source/ui/state/keys.js';
import {views} from '../../source/views/view-registry.js';

const root = path.resolve(import.meta.dirname, '../..');

/** A kind of thing that is written down as entries, each with an id. */
type Kind = {
	readonly ids: readonly string[];
	/** What an id stands in: `view`, `state.view`, `column.id`, `view.id`, `sort.column`, `id`. */
	readonly holders: readonly string[];
	/** The files of the entries: these may say their own ids. */
	readonly isEntry?: (name: string) => boolean;
	/** Folders and files where the holders hold such ids; all of the source when left out. */
	readonly within?: readonly string[];
};

const kinds: Readonly<Record<string, Kind>> = {
	'view or column': {
		ids: views.flatMap(({id, columns}) => [id, ...columns.map(column => column.id)]),
		holders: ['view', 'column', 'id'],
		isEntry: name => /^source\/views(?:\/[^/]+){2}$/.test(name) && !name.startsWith('source/views/common/'),
	},
	engine: {ids: [auto, ...engines.map(({id}) => id)], holders: ['engine', 'asked', 'id']},
	format: {ids: exportFormats.map(({id}) => id), holders: ['format', 'id']},
	command: {
		ids: commands.map(({name}) => name),
		holders: ['command', 'name', 'word', 'first'],
		isEntry: name => /^source\/commands\/[\w-]+-command\.ts$/.test(name),
		within: ['source/commands', 'source/options', 'source/manual', 'source/config', 'source/main.ts'],
	},
	key: {
		ids: keyTable.flatMap(({keys}) => keys),
		holders: ['key'],
		// Who decodes keys, and who spells their names.
		isEntry: name => name.startsWith('source/ui/terminal/') || name === 'source/ui/state/keys.ts',
		within: ['source/ui', 'source/views', 'source/config'],
	},
	option: {
		ids: optionRows.map(([, {name}]) => name),
		holders: ['option', 'name', 'flag'],
		within: ['source/options', 'source/commands', 'source/main.ts'],
	},
};

/**
Places of a source text that decide something by an id of the kind: comparisons, the first case of a switch, lists.
*/
function decisionsById(text: string, {ids, holders}: Kind): string[] {
	const id = `'(?:${ids.map(each => each.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)).join('|')})'`;
	const holder = String.raw`(?:\w+\??\.)*\b(?:${holders.join('|')})\b`;
	const decision = new RegExp([
		`${holder} [!=]== ${id}`,
		`${id} [!=]== ${holder}`,
		String.raw`switch \(${holder}\) {\s*case ${id}`,
		String.raw`[[,{(] ?${id}[^\n]*]\)?\.(?:includes|has)\(${holder}\)`,
	].join('|'), 'g');
	return Array.from(text.matchAll(decision), ([found]) => found);
}

const sourceFiles = readdirSync(path.join(root, 'source'), {recursive: true, encoding: 'utf8'}).filter(name =>
	/\.tsx?$/.test(name)).map(name => `source/${name}`);

test.each(Object.entries(kinds))('nothing but its own entry decides by the id of a %s', (_, kind) => {
	const {isEntry, within = ['source']} = kind;
	const files = sourceFiles.filter(name => !isEntry?.(name) && within.some(place => name.startsWith(place)));
	expect(kind.ids).not.toEqual([]);
	expect(files.flatMap(name =>
		decisionsById(readFileSync(path.join(root, name), 'utf8'), kind).map(decision => `${name}: ${decision}`))).toEqual([]);
});

test.each([
	['view or column', 'if (state.view === \'threads\') {}'],
	['view or column', 'switch (column.id) {case \'self\': {}}'],
	['view or column', 'columns.filter(({id}) => ![\'trend\', \'idle\'].includes(id));'],
	['engine', 'const isExact = snapshot.session.engine === \'memory\';'],
	['format', 'formats.find(({id}) => id === \'pprof\')'],
	['command', 'const needsAgent = command.name === \'trace\' || hasAgent;'],
	['command', 'switch (first) {\n\tcase \'open\': {}}'],
	['key', 'if (key === \'escape\') {}'],
])('%s: %s is found', (kind, text) => {
	expect(decisionsById(text, kinds[kind])).toHaveLength(1);
});

// The options and the list of JVMs read the entries too: what an engine needs to work is loaded when it is called.
test.each(engines.map(({id}) => id))('the entry of the engine %s loads nothing', id => {
	const entry = sourceFiles.filter(name =>
		name.startsWith('source/engines/') && readFileSync(path.join(root, name), 'utf8').includes(`\tid: '${id}',`));
	expect(entry).toHaveLength(1);
	const imports = readFileSync(path.join(root, entry[0]), 'utf8').split('\n').filter(line =>
		line.startsWith('import '));
	expect(imports.filter(line => !line.startsWith('import type '))).toEqual([]);
});

// Each call of the program loads all commands: the code that one of them runs is loaded when it is called.
test.each(commands.map(({name}) => name))('the entry of the command %s loads only what reads its words', name => {
	const text = readFileSync(path.join(root, `source/commands/${name}-command.ts`), 'utf8');
	expect(text).toContain(`\tname: '${name}',`);
	const loaded = [...text.matchAll(/^import (?!type )[^;]*from '([^']+)';/gm)].map(([, file]) => file);
	expect(loaded.filter(file => ![
		'../options/command.js', '../options/method-pattern.js', '../runtime/errors.js', '../fleet/backend-address.js',
	].includes(file))).toEqual([]);
});

test('docs/engines.md has a row for every engine', () => {
	const page = readFileSync(path.join(root, 'docs/engines.md'), 'utf8');
	expect(engines.filter(({id}) => !page.includes(`| \`${id}\` | `)).map(({id}) => id)).toEqual([]);
});
