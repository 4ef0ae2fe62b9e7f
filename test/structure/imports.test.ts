import {readdirSync, readFileSync, statSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const source = path.join(root, 'source');
const maxFileLines = 400;

/** An engine is a folder. */
const engines = readdirSync(path.join(source, 'engines'), {withFileTypes: true}).filter(entry => entry.isDirectory() && entry.name !== 'common').map(({name}) => `engines/${name}`);

/** Who may import whom, by folder of source/; a folder may always import itself. Files at the top wire everything. */
const mayImport: Record<string, readonly string[]> = {
	model: [],
	runtime: ['model', 'jvm'],
	jvm: ['model'],
	sources: ['model', 'jvm'],
	query: ['model'],
	'engines/common': ['model', 'jvm'],
	'engines/registry.ts': ['engines/common', ...engines],
	...Object.fromEntries(engines.map(engine => [engine, ['model', 'jvm', 'engines/common']])),
	table: ['model'],
	tracing: ['model', 'jvm', 'runtime', 'engines/attach'],
	sampler: ['model', 'jvm', 'table', 'runtime', 'engines/common', 'engines/registry.ts'],
	views: ['model', 'query'],
	ui: ['model', 'query', 'views', 'sampler', 'runtime', 'sources'],
	exports: ['model', 'query', 'views', 'runtime'],
};

/** Packages that only some folders may use. */
const packageHomes: Record<string, readonly string[]> = {
	react: ['ui'], ink: ['ui'], 'ink-table': ['ui'], meow: ['top'], 'pprof-format': ['exports'],
	koffi: ['jvm'], 'string-width': ['model'], re2js: ['query'], 'jsonc-parser': ['top'],
};

function filesBelow(directory: string): string[] {
	return readdirSync(directory).flatMap(name => {
		const file = path.join(directory, name);
		return statSync(file).isDirectory() ? filesBelow(file) : [file];
	});
}

function unitOf(file: string): string {
	const relative = path.relative(source, file);
	return Object.keys(mayImport).find(unit => relative === unit || relative.startsWith(`${unit}${path.sep}`)) ?? 'top';
}

const files = filesBelow(source).filter(file => /\.tsx?$/.test(file));
const importPattern = /(?:from\s+|import\s*\(\s*|import\s+|require\(\s*)'([^']+)'/g;

function importsOf(file: string): string[] {
	return [...readFileSync(file, 'utf8').matchAll(importPattern)].map(match => match[1]);
}

function resolved(file: string, specifier: string): string {
	const target = path.resolve(path.dirname(file), specifier);
	return files.find(candidate => candidate === target || candidate.replace(/\.tsx?$/, '.js') === target) ?? target;
}

describe('who may import whom', () => {
	test.each(files.map(file => [path.relative(root, file), file]))('%s', (_, file) => {
		const unit = unitOf(file);
		for (const specifier of importsOf(file)) {
			if (specifier.startsWith('.')) {
				const other = unitOf(resolved(file, specifier));
				if (unit !== 'top' && other !== unit) {
					expect(mayImport[unit], `${unit} imports ${specifier}`).toContain(other);
				}
			} else if (!specifier.startsWith('node:')) {
				const home = packageHomes[specifier.split('/')[0]];
				expect(home, `${specifier} has a home`).toBeDefined();
				expect(home).toContain(unit);
			}
		}
	});

	test('only table/ says Atomics, and the reader of the kernel\'s rings', () => {
		const sayers = files.filter(file => /\bAtomics\./.test(readFileSync(file, 'utf8')));
		expect(sayers.filter(file => unitOf(file) !== 'table').map(file => path.relative(source, file))).toEqual(['engines/memory/cpu/perf/ring.ts']);
	});
});

describe('the shape of the source', () => {
	test('no file is longer than four hundred lines', () => {
		const long = files.filter(file => readFileSync(file, 'utf8').split('\n').length > maxFileLines + 1);
		expect(long.map(file => path.relative(root, file))).toEqual([]);
	});

	test('no file that nothing imports', () => {
		const entries = new Set(['cli.ts', 'sampler/worker.ts'].map(name => path.join(source, name)));
		const imported = new Set(files.flatMap(file => importsOf(file).filter(name => name.startsWith('.')).map(name => resolved(file, name))));
		const orphans = files.filter(file => !imported.has(file) && !entries.has(file));
		expect(orphans.map(file => path.relative(root, file))).toEqual([]);
	});

	test('no files that import each other in a circle, types included', () => {
		const open = new Set<string>();
		const done = new Set<string>();
		const circle = (file: string, way: readonly string[]): readonly string[] | undefined => {
			if (open.has(file)) {
				return [...way.slice(way.indexOf(file)), file];
			}

			if (done.has(file)) {
				return undefined;
			}

			open.add(file);
			const others = importsOf(file).filter(name => name.startsWith('.')).map(name => resolved(file, name)).filter(other => files.includes(other));
			const found = others.map(other => circle(other, [...way, file])).find(Boolean);
			open.delete(file);
			done.add(file);
			return found;
		};

		expect(files.map(file => circle(file, [])).find(Boolean)?.map(file => path.relative(source, file))).toBeUndefined();
	});

	test('no folders that import each other in a circle, types included', () => {
		const folderOf = (file: string) => path.relative(source, path.dirname(file)) || '.';
		const imports = new Map<string, Set<string>>();
		for (const file of files) {
			const others = importsOf(file).filter(name => name.startsWith('.')).map(name => folderOf(resolved(file, name)));
			imports.set(folderOf(file), new Set([...imports.get(folderOf(file)) ?? [], ...others.filter(other => other !== folderOf(file))]));
		}

		const reach = (from: string) => {
			const found = new Set<string>();
			const open = [from];
			for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
				for (const other of imports.get(folder) ?? []) {
					if (!found.has(other)) {
						found.add(other);
						open.push(other);
					}
				}
			}

			return found;
		};

		const circles = [...imports.keys()].filter(folder => reach(folder).has(folder));
		expect(circles).toEqual([]);
	});

	test('every folder has its line in the source map of docs/architecture.md', () => {
		const map = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');
		const folders = new Set(files.map(file => path.relative(source, path.dirname(file))).filter(Boolean));
		for (const folder of folders) {
			expect(map, folder).toContain(`source/${folder}/`);
		}
	});
});
