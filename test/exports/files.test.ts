import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {beforeAll, describe, expect, test} from 'vitest';
import {freeStem, writeTogether} from '../../source/exports/files/write-files.js';
import {GrowingFile} from '../../source/exports/files/growing-file.js';
import {bundle} from '../helpers/bundle.js';
import {sharedFolder} from '../helpers/for-test.js';

const folder = sharedFolder();
const fresh = () => fs.mkdtempSync(path.join(folder, 'case-'));
const partialName = /^\.tprof-\d+-[\da-f]{16}\.partial$/;
/** Writes a file in a process of its own, whose rights and limits a test sets. */
let writer: string;
/** A refusal in one printable line that has a reason, and a hint. */
const refusal = (reason: string, hint = '') => ({
	message: expect.stringMatching(new RegExp(String.raw`^\P{Cc}*${reason}\P{Cc}*$`, 'u')) as string,
	hint: expect.stringContaining(hint) as string,
});

beforeAll(async () => {
	fs.chmodSync(folder, 0o755);
	writer = path.join(folder, 'write-file.mjs');
	fs.copyFileSync(fileURLToPath(await bundle('test/exports/write-file.ts')), writer);
});

describe('a file', () => {
	test('is there whole, for its owner alone, and nothing beside it', async () => {
		const at = fresh();
		await writeTogether([{file: path.join(at, 'a.json'), bytes: 'text'}]);
		expect(fs.readFileSync(path.join(at, 'a.json'), 'utf8')).toBe('text');
		expect(fs.statSync(path.join(at, 'a.json')).mode & 0o777).toBe(0o600);
		expect(fs.readdirSync(at)).toEqual(['a.json']);
	});

	test('never takes the place of another, nor follows a link that stands under its name, not even a broken one', async () => {
		const at = fresh();
		const file = path.join(at, 'a.json');
		fs.writeFileSync(file, 'theirs');
		await expect(writeTogether([{file, bytes: 'ours'}])).rejects
			.toMatchObject(refusal('it already exists', 'choose another name'));
		expect(fs.readFileSync(file, 'utf8')).toBe('theirs');
		fs.rmSync(file);
		fs.symlinkSync(path.join(at, 'elsewhere'), file);
		await expect(writeTogether([{file, bytes: 'ours'}])).rejects.toMatchObject(refusal('it already exists'));
		expect(fs.readdirSync(at)).toEqual(['a.json']);
	});
});

test('files that belong together get one stem, or none of them is written', async () => {
	const at = fresh();
	fs.writeFileSync(path.join(at, 'a.txt'), 'theirs');
	await expect(writeTogether(['a.pb.gz', 'a.txt'].map(name => ({file: path.join(at, name), bytes: 'ours'})))).rejects
		.toMatchObject(refusal('it already exists'));
	expect(fs.readdirSync(at)).toEqual(['a.txt']);
	expect(freeStem(path.join(at, 'a'), ['.pb.gz', '.txt'])).toBe(path.join(at, 'a-2'));
});

describe('what is in the way is said in a line, with what to do', () => {
	test.each([
		['missing/a.txt', 'there is no folder', 'create it'],
		['file/a.txt', 'is not a folder', 'choose another folder'],
		[`${'x'.repeat(300)}.txt`, 'the name is too long', 'choose a shorter one'],
		['\u001B[31m\n/a.txt', 'there is no folder', 'create it'],
	])('%j', async (name, reason, what) => {
		const at = fresh();
		fs.writeFileSync(path.join(at, 'file'), '');
		await expect(writeTogether([{file: path.join(at, name), bytes: ''}])).rejects
			.toMatchObject(refusal(reason, what));
	});

	// A file system of its own in a mount namespace needs no rights on the host beyond those of a user namespace.
	const mounted = (options: string) => [
		'unshare',
		'--user',
		'--map-root-user',
		'--mount',
		'sh',
		'-c',
		`mount -t tmpfs -o ${options} none "$1" && "$2" "$3" "$1/a.bin" 1000000; ls -A "$1"`,
	];

	test.each([
		['a full disk', mounted('size=64k'), 'the disk is full'],
		['a read-only file system', mounted('ro'), 'read-only file system'],
		[
			'a limit on file sizes',
			['sh', '-c', 'ulimit -f 16; "$2" "$3" "$1/a.bin" 1000000; ls -A "$1"'],
			'file size limit',
		],
		['a folder without write permission', [
			'sh',
			'-c',
			'chmod 555 "$1"; [ "$(id -u)" != 0 ] || as_nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"; cd /; $as_nobody "$2" "$3" "$1/a.bin" 10; ls -A "$1"',
		], 'no permission to write'],
	])('%s: nothing is left', (_, [program, ...args], reason) => {
		const {stdout, stderr} = spawnSync(program, [...args, 'sh', fresh(), process.execPath, writer], {
			encoding: 'utf8',
		});
		expect(stdout).toBe('');
		expect(stderr).toContain(reason);
	});
});

describe('a file that grows', () => {
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
		await expect(file.finish()).rejects
			.toMatchObject(refusal('it already exists', `the reports before that are in ${path.join(at, partial)}`));
		expect(fs.readdirSync(at).sort()).toEqual([partial, 'day.json']);
		expect(fs.readFileSync(path.join(at, partial), 'utf8')).toBe('ours');
		expect(fs.readFileSync(path.join(at, 'day.json'), 'utf8')).toBe('theirs');
	});

	test.each([
		['the first report', ['100000'], undefined],
		['a later one', ['5000', '100000'], 5000],
	])('no room for %s: only whole reports stay, and it is said where', async (_, sizes, left) => {
		const at = fresh();
		const {status, stderr} = spawnSync('sh', [
			'-c',
			'ulimit -f 16; exec "$@"',
			'sh',
			process.execPath,
			writer,
			path.join(at, 'day.json'),
			...sizes,
		], {encoding: 'utf8'});
		expect(status).toBe(1);
		expect(stderr).toContain('file size limit');
		const files = fs.readdirSync(at);
		expect(files.map(file => fs.statSync(path.join(at, file)).size)).toEqual(left === undefined ? [] : [left]);
		expect(files.filter(file => !partialName.test(file) || !stderr.includes(file))).toEqual([]);
	});
});
