import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const source = path.join(root, 'source');

/** An engine is a folder. */
const engines = readdirSync(path.join(source, 'engines'), {withFileTypes: true}).filter(entry =>
	entry.isDirectory() && entry.name !== 'common').map(({name}) => `engines/${name}`);

/** Who may import whom, by folder or file of source/; each may import itself. */
const mayImport: Record<string, readonly string[]> = {
	util: [],
	model: ['util'],
	runtime: ['util', 'model', 'jvm'],
	jvm: ['util', 'model'],
	sources: ['util', 'model', 'jvm'],
	query: ['util', 'model'],
	'engines/common': ['util', 'model', 'jvm'],
	'engines/engine-registry.ts': ['engines/common', ...engines],
	...Object.fromEntries(engines.map(engine => [engine, ['util', 'model', 'jvm', 'engines/common']])),
	table: ['util', 'model'],
	tracing: ['util', 'model', 'jvm', 'runtime'],
	sampler: ['util', 'model', 'jvm', 'table', 'runtime', 'engines/common', 'engines/engine-registry.ts'],
	views: ['util', 'model', 'query'],
	ui: ['util', 'model', 'query', 'views', 'runtime', 'sources'],
	exports: ['util', 'model', 'query', 'views', 'runtime'],
	fleet: ['util', 'model', 'query', 'views', 'exports', 'runtime'],
	options: ['util', 'model', 'query', 'views', 'exports', 'runtime', 'engines/common', 'engines/engine-registry.ts'],
	config: ['util', 'model', 'jvm', 'views', 'exports', 'ui', 'runtime', 'options'],
	manual: ['util', 'query', 'views', 'ui', 'options'],
	probes: ['util', 'model', 'jvm', 'runtime', 'config'],
	commands: [
		'util',
		'model',
		'jvm',
		'query',
		'views',
		'exports',
		'sources',
		'fleet',
		'ui',
		'runtime',
		'sampler',
		'tracing',
		'engines/engine-registry.ts',
		'options',
		'config',
		'manual',
		'probes',
	],
	'main.ts': ['util', 'jvm', 'runtime', 'config', 'commands'],
	'cli.ts': ['main.ts'],
	'kubectl.ts': ['util', 'runtime'],
};

/** Packages that only some folders may use. */
const packageHomes: Record<string, readonly string[]> = {
	react: ['ui'], ink: ['ui'], chalk: ['ui'], 'ink-table': ['ui'], meow: ['options'], 'pprof-format': ['exports'],
	koffi: ['jvm'], 'string-width': ['util'], re2js: ['query'], 'jsonc-parser': ['config'],
};

const relative = (file: string) => path.relative(source, file);

function unitOf(file: string): string {
	const unit = Object.keys(mayImport).find(unit =>
		relative(file) === unit || relative(file).startsWith(`${unit}${path.sep}`));
	if (unit === undefined) {
		throw new Error(`${relative(file)}: mayImport has no rule for it`);
	}

	return unit;
}

const textOf
	= new Map(readdirSync(source, {recursive: true, encoding: 'utf8'}).filter(name => /\.tsx?$/.test(name)).map(name =>
		path.join(source, name)).map(file => [file, readFileSync(file, 'utf8')]));
const files = [...textOf.keys()];
const fileOfModule = new Map(files.map(file => [file.replace(/\.tsx?$/, '.js'), file]));
const importPattern = /(?:from\s+|import\s*\(\s*|import\s+|require\(\s*)'([^']+)'/g;

/** Names in a file's imports: those of packages, and files. */
function importsOf(file: string): {readonly packages: readonly string[]; readonly files: readonly string[]} {
	const names = [...textOf.get(file)!.matchAll(importPattern)].map(match => match[1]);
	const paths = names.filter(name => name.startsWith('.')).map(name => path.resolve(path.dirname(file), name));
	return {
		packages: names.filter(name => !/^(?:\.|node:)/.test(name)),
		files: paths.map(module => fileOfModule.get(module) ?? module),
	};
}

const imports = new Map(files.map(file => [file, importsOf(file)]));

/** Names of a graph from which a way leads back to them. */
function onCircles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
	return [...graph.keys()].filter(start => {
		const reached = new Set<string>();
		const open = [...graph.get(start)!];
		for (let name = open.pop(); name !== undefined; name = open.pop()) {
			if (!reached.has(name)) {
				reached.add(name);
				open.push(...graph.get(name) ?? []);
			}
		}

		return reached.has(start);
	});
}

describe('who may import whom', () => {
	test('folders, each those below it', () => {
		const forbidden = files.flatMap(file => {
			const allowed = new Set([unitOf(file), ...mayImport[unitOf(file)]]);
			return imports.get(file)!.files.filter(other => !allowed.has(unitOf(other))).map(other =>
				`${relative(file)} imports ${relative(other)}`);
		});
		expect(forbidden).toEqual([]);
	});

	test('no rules that allow a circle', () => {
		const rules = Object.entries(mayImport).map(([unit, others]) => [unit, new Set(others)] as const);
		expect(onCircles(new Map(rules))).toEqual([]);
	});

	test('packages, each at home in a folder', () => {
		const homeless = files.flatMap(file =>
			imports.get(file)!.packages.filter(name => !packageHomes[name.split('/')[0]]?.includes(unitOf(file))).map(name => `${relative(file)} imports ${name}`));
		expect(homeless).toEqual([]);
	});

	test('only table/ says Atomics, and the reader of the kernel\'s rings', () => {
		const sayers = files.filter(file => /\bAtomics\./.test(textOf.get(file)!));
		expect(sayers.filter(file => unitOf(file) !== 'table').map(file => relative(file))).toEqual([
			'engines/memory/cpu/perf/perf-ring.ts',
		]);
	});
});

describe('the shape of the source', () => {
	test('no two files have one name, which an editor\'s finder would show alike', () => {
		const names = files.map(file => path.basename(file));
		expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
	});

	test('no file that nothing imports', () => {
		const imported = new Set([...imports.values()].flatMap(({files}) => files));
		expect(files.filter(file => !imported.has(file)).map(file => relative(file)).sort()).toEqual([
			'cli.ts',
			'kubectl.ts',
			'sampler/host-worker.ts',
			'sampler/worker.ts',
		]);
	});

	test.each([
		['files', relative], ['folders', (file: string) => path.dirname(relative(file))],
	])('no %s that import each other in a circle, types included', (_, nameOf) => {
		const graph = new Map<string, Set<string>>();
		for (const file of files) {
			const name = nameOf(file);
			const others = imports.get(file)!.files.map(other => nameOf(other)).filter(other => other !== name);
			graph.set(name, new Set([...graph.get(name) ?? [], ...others]));
		}

		expect(onCircles(graph)).toEqual([]);
	});

	const folders = new Set(files.map(file => path.dirname(relative(file))).filter(folder => folder !== '.'));
	const topFolders = new Set([...folders].map(folder => folder.split(path.sep)[0]));

	test.each([...topFolders])('source/%s/README.md names the folders in it', top => {
		const readme = readFileSync(path.join(source, top, 'README.md'), 'utf8');
		const inside = [...folders].filter(folder => path.dirname(folder) !== '.' && folder.startsWith(`${top}${path.sep}`));
		expect(inside.filter(folder => !readme.includes(`| \`${path.relative(top, folder)}/\` |`))).toEqual([]);
	});

	test('docs/architecture.md names every top folder', () => {
		const page = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');
		expect([...topFolders].filter(top => !page.includes(`(../source/${top}/README.md)`))).toEqual([]);
	});
});
