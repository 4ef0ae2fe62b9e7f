import {
	chmodSync, lchownSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {describe, expect, test, vi} from 'vitest';
import {openSaved} from '../../source/commands/recording.js';
import {keepSession, keptFolder, lastKept, saver} from '../../source/commands/save.js';
import {readPprof} from '../../source/exports/pprof/read.js';
import {exportFormats} from '../../source/exports/formats/format-registry.js';
import {emptyRing} from '../../source/query/past/past-ring.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {canonical, serviceSnapshots} from '../exports/snapshots.js';
import {folderForTest} from '../helpers/for-test.js';
import {picture} from '../helpers/picture.js';
import {isRoot, otherUser} from '../helpers/users.js';

const {whole} = serviceSnapshots();

describe.each(exportFormats)('a save as $id', ({id, extension}) => {
	test('without a name stands beside earlier ones, its number before the whole extension', async () => {
		const snapshotDir = folderForTest();
		const save = saver({snapshotDir, depth: undefined});
		for (let round = 0; round < 3; round++) {
			expect(await save(whole, undefined, defaultQuery, {format: id})).toMatch(/^saved .* \(\d+ samples\)$/);
		}

		const names = readdirSync(snapshotDir);
		expect(names).toHaveLength(3);
		expect(names.filter(name =>
			!name.endsWith(extension) || !/^tprof-4711-\d+T\d+Z(?:-[23])?$/.test(name.slice(0, -extension.length)))).toEqual([]);
	});

	test('under a name that is taken is refused: what is wrong is said first', async () => {
		const save = saver({snapshotDir: folderForTest(), depth: undefined});
		const how = {name: `mine-${id}`, format: id};
		await save(whole, undefined, defaultQuery, how);
		await expect(save(whole, undefined, defaultQuery, how)).rejects.toThrow(/^it already exists; /);
	});
});

test('a save is a pprof file that opens again and the same moment as text, both for the owner alone; a second one in that second stands beside it', async () => {
	vi.setSystemTime(Date.UTC(2026, 8, 14, 14, 2, 1, 987));
	const folder = folderForTest();
	const save = async () => saver({snapshotDir: folder, depth: undefined})(whole, undefined, defaultQuery, {});
	expect(await save()).toMatch(/^saved tprof-4711-20260914T140201Z\.pb\.gz and \.txt \(50 samples\)$/);
	const [pb, txt] = readdirSync(folder).sort().map(name => path.join(folder, name));
	expect(canonical(readPprof(readFileSync(pb)))).toEqual(canonical(whole));
	expect(readFileSync(txt, 'utf8')).toContain('com.acme.sort.Bubble.swap:24');
	expect([pb, txt].map(file => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
	await save();
	vi.useRealTimers();
	expect(readdirSync(folder).sort())
		.toEqual(['-2.pb.gz', '-2.txt', '.pb.gz', '.txt'].map(end => `tprof-4711-20260914T140201Z${end}`));
});

const stateFolder = () => path.join(folderForTest(), 'state', 'tprof-top');
const session = (samples: number) =>
	picture('main | R | A.run:1', {samples, takenAtMs: samples * 1000, lastSampleAtMs: samples * 1000});

test('a session is kept for its user alone, and opens again', async () => {
	const folder = stateFolder();
	const file = path.join(folder, 'tprof-0-20260914T140201000Z.tprof');
	expect(await keepSession(session(7), emptyRing, 5, Date.UTC(2026, 8, 14, 14, 2, 1), folder)).toBe(file);
	expect([file, folder].map(name => statSync(name).mode & 0o777)).toEqual([0o600, 0o700]);
	expect(await lastKept(folder)).toBe(file);
	const {snapshot: {session: kept}} = await openSaved(file);
	expect(kept.samples).toBe(7);
});

test('the newest are kept, those of one second too, and nothing else is touched', async () => {
	const folder = stateFolder();
	for (let second = 0; second < 6; second++) {
		await keepSession(session(second + 1), emptyRing, 5, second * 1000, folder);
	}

	writeFileSync(path.join(folder, 'notes.txt'), 'mine');
	for (let again = 0; again < 10; again++) {
		await keepSession(session(100 + again), emptyRing, 3, 9000 + again, folder);
	}

	expect(readdirSync(folder).sort()).toEqual([
		'notes.txt',
		...[7, 8, 9].map(ms => `tprof-0-19700101T00000900${ms}Z.tprof`),
	]);
	const {snapshot: {session: newest}} = await openSaved(await lastKept(folder));
	expect(newest.samples).toBe(109);
});

test('none is kept where none is asked for, or where the folder is not the user\'s own', async () => {
	const folder = stateFolder();
	expect(await keepSession(session(1), emptyRing, 0, 0, folder)).toBeUndefined();
	await expect(lastKept(folder)).rejects.toThrow('no session is kept yet');
	mkdirSync(folder, {recursive: true});
	chmodSync(folder, 0o777);
	await expect(keepSession(session(1), emptyRing, 5, 0, folder)).rejects.toThrow(`others may write to ${folder}`);
	expect(readdirSync(folder)).toEqual([]);
});

/** A folder of ours with sessions that a prune would delete, and what is in it. */
function privateFolder() {
	const folder = path.join(folderForTest(), 'private');
	mkdirSync(folder, {mode: 0o700});
	const names = Array.from({length: 9}, (_, index) => `tprof-1-2026091${index}T140201000Z.tprof`);
	for (const name of names) {
		writeFileSync(path.join(folder, name), '');
	}

	return {folder, names};
}

test.each(['state', 'state/tprof-top'])('none is kept, and none deleted, behind a symbolic link (%s)', async at => {
	const {folder, names} = privateFolder();
	const home = folderForTest();
	const link = path.join(home, at);
	mkdirSync(path.dirname(link), {recursive: true});
	symlinkSync(folder, link);
	const kept = keepSession(session(1), emptyRing, 2, 0, path.join(home, 'state/tprof-top'));
	await expect(kept).rejects.toThrow(`${link} is a symbolic link`);
	expect(readdirSync(folder)).toEqual(names);
});

const ofAnotherUser = 'root keeps none in a folder of another user (link at %s)';
test.runIf(isRoot).each(['.local', '.local/state', '.local/state/tprof-top'])(ofAnotherUser, async at => {
	const {folder, names} = privateFolder();
	const home = folderForTest();
	const link = path.join(home, at);
	mkdirSync(path.dirname(link), {recursive: true});
	symlinkSync(folder, link);
	lchownSync(home, otherUser.uid, otherUser.gid);
	lchownSync(link, otherUser.uid, otherUser.gid);
	const kept = keepSession(session(1), emptyRing, 2, 0, keptFolder({HOME: home}));
	await expect(kept).rejects.toThrow(`${home} belongs to another user`);
	expect(readdirSync(folder)).toEqual(names);
});

test.each([
	[{XDG_STATE_HOME: '/x/state', HOME: '/home/a'}, '/x/state/tprof-top'],
	[{XDG_STATE_HOME: 'state', HOME: '/home/a'}, '/home/a/.local/state/tprof-top'],
	[{HOME: '/home/a'}, '/home/a/.local/state/tprof-top'],
] as const)('the folder is where the XDG base directory specification has it: %j', (environment, folder) => {
	expect(keptFolder(environment)).toBe(folder);
});
