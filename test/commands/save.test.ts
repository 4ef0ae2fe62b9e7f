import {existsSync, mkdtempSync, readdirSync, readFileSync, statSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {saver, saveSnapshot} from '../../source/commands/save.js';
import {readPprof} from '../../source/exports/pprof/read.js';
import {formats} from '../../source/exports/formats/registry.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {canonical} from '../exports/canonical.js';
import {serviceSnapshots} from '../exports/snapshots.js';
import {folderForTest, sharedFolder} from '../helpers/for-test.js';

const {whole} = serviceSnapshots();
const folder = sharedFolder();

describe.each(formats)('a save as $id', ({id, extension}) => {
	test('without a name stands beside earlier ones, its number before the whole extension', async () => {
		const snapshotDir = mkdtempSync(path.join(folder, 'unnamed-'));
		const save = saver({snapshotDir, depth: undefined});
		for (let round = 0; round < 3; round++) {
			expect(await save(whole, undefined, defaultQuery, {format: id})).toMatch(/^saved .* \(\d+ samples\)$/);
		}

		const names = readdirSync(snapshotDir);
		expect(names).toHaveLength(3);
		for (const name of names) {
			const stem = name.slice(0, -extension.length);
			expect([stem.replace(/^tprof-4711-\d+T\d+Z/, '').replace(/^-[23]$/, ''), name]).toEqual(['', stem + extension]);
		}
	});

	test('under a name that is taken is refused: what is wrong is said first', async () => {
		const save = saver({snapshotDir: folder, depth: undefined});
		const how = {name: `mine-${id}`, format: id};
		await save(whole, undefined, defaultQuery, how);
		await expect(save(whole, undefined, defaultQuery, how)).rejects.toThrow(/^it already exists; /);
	});
});

const now = Date.UTC(2026, 8, 14, 14, 2, 1, 987);
const options = {query: defaultQuery, version: '1.2.3'};

test('a save is a pprof file that opens again and the same moment as text, both for the owner alone; a second one in that second stands beside it', async () => {
	const folder = folderForTest();
	const saved = await saveSnapshot(whole, undefined, folder, now, options);
	expect(saved).toEqual({pb: path.join(folder, 'tprof-4711-20260914T140201Z.pb.gz'), txt: path.join(folder, 'tprof-4711-20260914T140201Z.txt')});
	expect(canonical(readPprof(readFileSync(saved.pb)))).toEqual(canonical(whole));
	expect(readFileSync(saved.txt, 'utf8')).toContain('com.acme.sort.Bubble.swap:24');
	expect([saved.pb, saved.txt].map(file => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
	const again = await saveSnapshot(whole, undefined, folder, now, options);
	expect(again).toEqual({pb: path.join(folder, 'tprof-4711-20260914T140201Z-2.pb.gz'), txt: path.join(folder, 'tprof-4711-20260914T140201Z-2.txt')});
	expect(readdirSync(folder)).toHaveLength(4);
});

test('a save that fails leaves nothing', async () => {
	await expect(saveSnapshot(whole, undefined, path.join(folder, 'missing'), now, options)).rejects.toThrow('there is no folder');
	expect(existsSync(path.join(folder, 'missing'))).toBe(false);
});
