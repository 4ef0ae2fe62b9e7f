// npm run size: the TypeScript tokens of each folder of source/, test/ and bench/, and how many more or fewer they are
// than where this branch left main. Comments and blank lines do not count.
import {execFileSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import process from 'node:process';
import ts from 'typescript';

const git = (...args) => execFileSync('git', args, {encoding: 'utf8', maxBuffer: 1 << 28}).trim();

const isSource = file => /^(?:source|test|bench)\/.*\.(?:tsx?|js)$/.test(file);

function tokensOf(file, text) {
	const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
	const count = node => {
		const children = node.getChildren(source).filter(child => !ts.isJSDoc(child));
		return children.length === 0
			? Number(node.getWidth(source) > 0)
			: children.reduce((sum, child) => sum + count(child), 0);
	};

	return count(source);
}

/** Adds the tokens of some files to the sums of their folders: the first two parts of a path. */
function sumUp(files, textOf) {
	const sums = new Map();
	for (const file of files.filter(file => isSource(file))) {
		const folder = file.split('/').slice(0, -1).slice(0, 2).join('/');
		sums.set(folder, (sums.get(folder) ?? 0) + tokensOf(file, textOf(file)));
	}

	return sums;
}

const filesNow = git('ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate').split('\n');
const now = sumUp(filesNow.filter(file => existsSync(file)), file => readFileSync(file, 'utf8'));

// A clone of another branch may have main only as its remote's.
const main = ['main', 'origin/main'].find(name => git('branch', '--all', '--list', name, `remotes/${name}`) !== '')
	?? 'HEAD';
const base = git('merge-base', 'HEAD', main);
const before = sumUp(git('ls-tree', '-r', '--name-only', base).split('\n'), file => git('show', `${base}:${file}`));

const changeOf = change => change === 0 ? '' : `${change > 0 ? '+' : ''}${change}`;
const print = (name, count, change) =>
	process.stdout.write(`${name.padEnd(24)}${String(count).padStart(9)}${changeOf(change).padStart(9)}\n`);

print('folder', 'tokens', 0);
for (const folder of [...new Set([...now.keys(), ...before.keys()])].sort()) {
	const count = now.get(folder) ?? 0;
	print(folder, count, count - (before.get(folder) ?? 0));
}

const total = sums => [...sums.values()].reduce((sum, count) => sum + count, 0);
print('all', total(now), total(now) - total(before));
