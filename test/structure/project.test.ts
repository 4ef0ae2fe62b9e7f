import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {expect, test} from 'vitest';
import {renderReference} from '../../build/reference-tables.js';

const root = path.resolve(import.meta.dirname, '../..');

type Locked = {readonly resolved?: string; readonly dependencies?: Record<string, string>; readonly optionalDependencies?: Record<string, string>};

/** Whether the lock file has this package where Node looks for it from `from`: in it, or beside a folder above it. */
function isLocked(packages: Record<string, Locked>, from: string, name: string): boolean {
	const places = from.split('/node_modules/').map((_, depth, parts) => parts.slice(0, parts.length - depth).join('/node_modules/'));
	return [...places, ''].some(place => path.posix.join(place, 'node_modules', name) in packages);
}

test('the lock file has every package that npm ci asks for on any platform, and names no registry', () => {
	const {packages} = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {packages: Record<string, Locked>};
	const missing = Object.entries(packages).flatMap(([at, {dependencies, optionalDependencies}]) =>
		Object.keys({...dependencies, ...optionalDependencies}).filter(name => !isLocked(packages, at, name)));
	expect(missing).toEqual([]);
	expect(Object.entries(packages).filter(([, {resolved}]) => resolved).map(([at]) => at)).toEqual([]);
});

test('the tables of docs/reference.md are those of the program (npm run reference writes them)', () => {
	const reference = readFileSync(path.join(root, 'docs/reference.md'), 'utf8');
	expect(reference).toBe(renderReference(reference));
});

test('no part of the project is larger than its limit (npm run size prints them)', () => {
	const {status, stderr} = spawnSync(process.execPath, ['build/size.js'], {cwd: root, encoding: 'utf8'});
	expect({status, stderr}).toEqual({status: 0, stderr: ''});
});
