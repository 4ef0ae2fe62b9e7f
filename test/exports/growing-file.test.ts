import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {GrowingFile} from '../../source/exports/files/growing-file.js';
import {bundle} from '../helpers/bundle.js';
import {folderForTest} from '../helpers/for-test.js';

const fresh = folderForTest;
const partialName = /^\.tprof-\d+-[\da-f]{16}\.partial$/;

test('reports are in a file of a temporary name, for its owner alone, as soon as they come, and have the file\'s own name at the end', async () => {
	const at = fresh();
	const file = await GrowingFile.create(path.join(at, 'day.json'));
	await file.append('one\n');
	await file.append(Buffer.from('two\n'));
	const [partial, ...others] = fs.readdirSync(at);
	expect(partial).toMatch(partialName);
	expect(others).toEqual([]);
	expect(fs.readFileSync(path.join(at, partial), 'utf8')).toBe('one\ntwo\n');
	expect(fs.statSync(path.join(at, partial)).mode & 0o777).toBe(0o600);
	await file.finish();
	expect(fs.readdirSync(at)).toEqual(['day.json']);
	expect(fs.readFileSync(path.join(at, 'day.json'), 'utf8')).toBe('one\ntwo\n');
	expect(fs.statSync(path.join(at, 'day.json')).mode & 0o777).toBe(0o600);
});

test('without a report there is nothing', async () => {
	const at = fresh();
	const file = await GrowingFile.create(path.join(at, 'day.json'));
	await file.finish();
	expect(fs.readdirSync(at)).toEqual([]);
});

test.each([
	['day.json', 'it already exists'],
	['link.json', 'it already exists'],
	['x'.repeat(300), 'the name is too long'],
	['missing/day.json', 'there is no folder'],
])('a name that it cannot get is refused before the first report: %s', async (name, reason) => {
	const at = fresh();
	fs.writeFileSync(path.join(at, 'day.json'), 'theirs');
	fs.symlinkSync('nowhere', path.join(at, 'link.json'));
	await expect(GrowingFile.create(path.join(at, name))).rejects.toThrow(reason);
	expect(fs.readdirSync(at)).toEqual(['day.json', 'link.json']);
});

test('a file that came under the name meanwhile is not replaced, and the reports are not lost', async () => {
	const at = fresh();
	const file = await GrowingFile.create(path.join(at, 'day.json'));
	await file.append('ours');
	fs.writeFileSync(path.join(at, 'day.json'), 'theirs');
	const [partial, ...others] = fs.readdirSync(at).sort();
	expect(others).toEqual(['day.json']);
	await expect(file.finish()).rejects.toMatchObject({
		message: expect.stringContaining('it already exists') as unknown, hint: expect.stringContaining(`the reports before that are in ${path.join(at, partial)}`) as unknown,
	});
	expect(fs.readdirSync(at).sort()).toEqual([partial, 'day.json']);
	expect(fs.readFileSync(path.join(at, partial), 'utf8')).toBe('ours');
	expect(fs.readFileSync(path.join(at, 'day.json'), 'utf8')).toBe('theirs');
});

test.each([
	['the first report', ['100000'], undefined],
	['a later one', ['5000', '100000'], 5000],
])('no room for %s: only whole reports stay, and it is said where', async (_, sizes, left) => {
	const at = fresh();
	const writer = fileURLToPath(await bundle('test/exports/grow-file.ts'));
	const {status, stderr} = spawnSync('sh', ['-c', 'ulimit -f 16; exec "$@"', 'sh', process.execPath, writer, path.join(at, 'day.json'), ...sizes], {encoding: 'utf8'});
	expect(status).toBe(1);
	expect(stderr).toContain('file size limit');
	const files = fs.readdirSync(at);
	expect(files.map(file => fs.statSync(path.join(at, file)).size)).toEqual(left === undefined ? [] : [left]);
	expect(files.filter(file => !partialName.test(file) || !stderr.includes(file))).toEqual([]);
});
