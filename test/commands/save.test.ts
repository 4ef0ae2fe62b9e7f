import {mkdtempSync, readdirSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {
	afterAll, beforeAll, describe, expect, test,
} from 'vitest';
import {saver} from '../../source/commands/save.js';
import {formats} from '../../source/exports/formats/registry.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {serviceSnapshots} from '../exports/snapshots.js';

const {whole} = serviceSnapshots();
let folder: string;

beforeAll(() => {
	folder = mkdtempSync(path.join(tmpdir(), 'tprof-save-'));
});

afterAll(() => {
	rmSync(folder, {recursive: true, force: true});
});

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
