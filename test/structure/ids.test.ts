import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import {expect, test} from 'vitest';
import {views} from '../../source/views/registry.js';

const root = path.resolve(import.meta.dirname, '../..');

/** Where views and columns have their records: these may say their own ids. */
const isRecord = (name: string) => (/^source\/views\/[^/]+$/.test(name) && !/\/(?:view|registry|record)\.ts$/.test(name)) || /^source\/query\/columns\/[a-z]+-columns\.ts$/.test(name);

/** What an id stands in: `view`, `state.view`, `column.id`, `view.id`, `sort.column`, `id`. */
const holders = new Set(['view', 'column', 'id']);

const ids = new Set(views.flatMap(({id, columns}) => [id, ...columns.map(column => column.id)]));

const isId = (node: ts.Node) => (ts.isStringLiteralLike(node) || ts.isIdentifier(node)) && ids.has(node.text);
const isIdText = (node: ts.Node) => ts.isStringLiteralLike(node) && ids.has(node.text);
const holdsId = (node: ts.Node) => holders.has((ts.isPropertyAccessExpression(node) ? node.name : node).getText());

/** Whether a list, a set or an object is made of ids: as it stands there, or by the name that it has in its file. */
function isOfIds(node: ts.Node, declarations: ReadonlyMap<string, ts.Expression>): boolean {
	const made = ts.isIdentifier(node) ? declarations.get(node.text) : node;
	const list = made && ts.isNewExpression(made) ? made.arguments?.[0] : made;
	return list !== undefined && ((ts.isArrayLiteralExpression(list) && list.elements.some(element => isIdText(element)))
		|| (ts.isObjectLiteralExpression(list) && list.properties.some(({name}) => name !== undefined && isId(name))));
}

/** Places of a source text that decide something by the id of a view or column. */
function decisionsById(name: string, text: string): string[] {
	const found: string[] = [];
	const declarations = new Map<string, ts.Expression>();
	const visit = (node: ts.Node) => {
		if (ts.isVariableDeclaration(node) && node.initializer) {
			declarations.set(node.name.getText(), node.initializer);
		}

		const isComparison = ts.isBinaryExpression(node) && /^[!=]==?$/.test(node.operatorToken.getText())
			&& [[node.left, node.right], [node.right, node.left]].some(([id, other]) => isIdText(id) && holdsId(other));
		const isSwitch = ts.isSwitchStatement(node) && holdsId(node.expression) && node.caseBlock.clauses.some(clause => ts.isCaseClause(clause) && isIdText(clause.expression));
		const isLookUp = ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && node.arguments.some(argument => holdsId(argument))
			&& isOfIds(node.expression.expression, declarations);
		const isIndex = ts.isElementAccessExpression(node) && holdsId(node.argumentExpression) && isOfIds(node.expression, declarations);
		if (isComparison || isSwitch || isLookUp || isIndex) {
			found.push(`${name}: ${node.getText().split('\n')[0]}`);
		}

		ts.forEachChild(node, visit);
	};

	visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, name.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS));
	return found;
}

function filesBelow(folder: string): string[] {
	return readdirSync(path.join(root, folder), {withFileTypes: true}).flatMap(entry => {
		const name = `${folder}/${entry.name}`;
		return entry.isDirectory() ? filesBelow(name) : (/\.tsx?$/.test(name) ? [name] : []);
	});
}

test('nothing but its own record decides by the id of a view or column', () => {
	const files = filesBelow('source').filter(name => !isRecord(name));
	expect(files.flatMap(name => decisionsById(name, readFileSync(path.join(root, name), 'utf8')))).toEqual([]);
});

test.each([
	'if (state.view === \'threads\') {}',
	'const a = \'lines\' === data.view ? 1 : 2;',
	'switch (column.id) {case \'self\': {}}',
	'columns.filter(({id}) => id !== \'trend\');',
	'const roles = {runnable: 1}; roles[column];',
	'const leftOut = new Set([\'trend\', \'idle\']); columns.filter(({id}) => !leftOut.has(id));',
	'const at = [\'note\', \'file\'].includes(column.id);',
])('%s is found', text => {
	expect(decisionsById('example.ts', text)).toHaveLength(1);
});

test.each([
	'query.by === \'line\'',
	'message.tone === \'error\'',
	'columns.find(({id}) => id === state.sort.column)',
	'state.sorts[state.view]',
])('%s decides nothing by an id', text => {
	expect(decisionsById('example.ts', text)).toEqual([]);
});
