import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import {expect, test} from 'vitest';
import {auto, engines} from '../../source/engines/registry.js';
import {formats} from '../../source/exports/formats/registry.js';
import {optionRows} from '../../source/options/table.js';
import {keyTable} from '../../source/ui/state/keys.js';
import {views} from '../../source/views/registry.js';

const root = path.resolve(import.meta.dirname, '../..');

/** A kind of thing that is written down as records, each with an id. */
type Kind = {
	readonly ids: readonly string[];
	/** What an id stands in: `view`, `state.view`, `column.id`, `view.id`, `sort.column`, `id`. */
	readonly holders: readonly string[];
	/** The files of the records: these may say their own ids. */
	readonly isRecord?: (name: string) => boolean;
	/** Folders and files where the holders hold such ids; all of the source when left out. */
	readonly within?: readonly string[];
};

const kinds: Readonly<Record<string, Kind>> = {
	'view or column': {
		ids: views.flatMap(({id, columns}) => [id, ...columns.map(column => column.id)]),
		holders: ['view', 'column', 'id'],
		isRecord: name => /^source\/views(?:\/[^/]+){2}$/.test(name) && !name.startsWith('source/views/common/'),
	},
	engine: {ids: [auto, ...engines.map(({id}) => id)], holders: ['engine', 'asked', 'id']},
	format: {ids: formats.map(({id}) => id), holders: ['format', 'id']},
	key: {
		ids: keyTable.flatMap(({keys}) => keys),
		holders: ['key'],
		// Who decodes keys, and who spells their names.
		isRecord: name => name.startsWith('source/ui/terminal/') || name === 'source/ui/state/keys.ts',
		within: ['source/ui', 'source/views', 'source/config'],
	},
	option: {ids: optionRows.map(([, {name}]) => name), holders: ['option', 'name', 'flag'], within: ['source/options', 'source/commands', 'source/main.ts']},
};

const comparisons = new Set<ts.SyntaxKind>([ts.SyntaxKind.EqualsEqualsToken, ts.SyntaxKind.EqualsEqualsEqualsToken, ts.SyntaxKind.ExclamationEqualsToken, ts.SyntaxKind.ExclamationEqualsEqualsToken]);

const trees = new Map<string, ts.SourceFile>();

/** A text's syntax tree; made once. */
function treeOf(name: string, text: string): ts.SourceFile {
	let tree = trees.get(text);
	if (!tree) {
		tree = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, false, name.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS);
		trees.set(text, tree);
	}

	return tree;
}

/** Places of a source text that decide something by an id of the kind. */
function decisionsById(name: string, text: string, {ids, holders}: Kind): string[] {
	const found: string[] = [];
	const tree = treeOf(name, text);
	const declarations = new Map<string, ts.Expression>();
	const isIdText = (node: ts.Node) => ts.isStringLiteralLike(node) && ids.includes(node.text);
	const isId = (node: ts.Node) => isIdText(node) || (ts.isIdentifier(node) && ids.includes(node.text));
	const holdsId = (node: ts.Node) => {
		const last = ts.isPropertyAccessExpression(node) ? node.name : node;
		return ts.isIdentifier(last) && holders.includes(last.text);
	};

	// Whether a list, a set or an object is made of ids: as it stands there, or by the name that it has in its file.
	const isOfIds = (node: ts.Node) => {
		const made = ts.isIdentifier(node) ? declarations.get(node.text) : node;
		const list = made && ts.isNewExpression(made) ? made.arguments?.[0] : made;
		return list !== undefined && ((ts.isArrayLiteralExpression(list) && list.elements.some(element => isIdText(element)))
			|| (ts.isObjectLiteralExpression(list) && list.properties.some(({name}) => name !== undefined && isId(name))));
	};

	const visit = (node: ts.Node) => {
		if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
			declarations.set(node.name.text, node.initializer);
		}

		const isComparison = ts.isBinaryExpression(node) && comparisons.has(node.operatorToken.kind)
			&& [[node.left, node.right], [node.right, node.left]].some(([id, other]) => isIdText(id) && holdsId(other));
		const isSwitch = ts.isSwitchStatement(node) && holdsId(node.expression) && node.caseBlock.clauses.some(clause => ts.isCaseClause(clause) && isIdText(clause.expression));
		const isLookUp = ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && node.arguments.some(argument => holdsId(argument))
			&& isOfIds(node.expression.expression);
		const isIndex = ts.isElementAccessExpression(node) && holdsId(node.argumentExpression) && isOfIds(node.expression);
		if (isComparison || isSwitch || isLookUp || isIndex) {
			found.push(`${name}: ${node.getText(tree).split('\n')[0]}`);
		}

		ts.forEachChild(node, visit);
	};

	visit(tree);
	return found;
}

const sourceFiles = readdirSync(path.join(root, 'source'), {recursive: true, encoding: 'utf8'}).filter(name => /\.tsx?$/.test(name)).map(name => `source/${name}`);

test.each(Object.entries(kinds))('nothing but its own record decides by the id of a %s', (_, kind) => {
	const {isRecord, within = ['source']} = kind;
	const files = sourceFiles.filter(name => !isRecord?.(name) && within.some(place => name.startsWith(place)));
	expect(kind.ids).not.toEqual([]);
	expect(files.flatMap(name => decisionsById(name, readFileSync(path.join(root, name), 'utf8'), kind))).toEqual([]);
});

test.each([
	['view or column', 'if (state.view === \'threads\') {}'],
	['view or column', 'switch (column.id) {case \'self\': {}}'],
	['view or column', 'columns.filter(({id}) => id !== \'trend\');'],
	['view or column', 'const roles = {runnable: 1}; roles[column];'],
	['view or column', 'const leftOut = new Set([\'trend\', \'idle\']); columns.filter(({id}) => !leftOut.has(id));'],
	['engine', 'const isExact = snapshot.session.engine === \'memory\';'],
	['format', 'const depth = options.format === \'votes\' ? 10 : Infinity;'],
	['format', 'formats.find(({id}) => id === \'pprof\')'],
	['option', 'if (row.name === \'color\') {}'],
	['key', 'if (key === \'escape\') {}'],
])('%s: %s is found', (kind, text) => {
	expect(decisionsById('example.ts', text, kinds[kind])).toHaveLength(1);
});

test.each([
	['view or column', 'query.by === \'line\''],
	['view or column', 'message.tone === \'error\''],
	['view or column', 'columns.find(({id}) => id === state.sort.column)'],
	['view or column', 'state.sorts[state.view]'],
	['engine', 'engines.filter(({id}) => id === asked)'],
	['format', 'formats.find(({usualFor}) => usualFor === \'save\')'],
])('%s: %s decides nothing by an id', (kind, text) => {
	expect(decisionsById('example.ts', text, kinds[kind])).toEqual([]);
});

// The options and the list of JVMs read the records too: what an engine needs to work is loaded when it is called.
test.each(engines.map(({id}) => id))('the record of the engine %s loads nothing', id => {
	const record = sourceFiles.filter(name => name.startsWith('source/engines/') && readFileSync(path.join(root, name), 'utf8').includes(`\tid: '${id}',`));
	expect(record).toHaveLength(1);
	const imports = readFileSync(path.join(root, record[0]), 'utf8').split('\n').filter(line => line.startsWith('import '));
	expect(imports.filter(line => !line.startsWith('import type '))).toEqual([]);
});

test('the readme has a row for every engine', () => {
	const readme = readFileSync(path.join(root, 'readme.md'), 'utf8');
	expect(engines.filter(({id}) => !readme.includes(`| \`${id}\` | `)).map(({id}) => id)).toEqual([]);
});
