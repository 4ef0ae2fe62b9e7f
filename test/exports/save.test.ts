import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
	afterAll, beforeAll, expect, test,
} from 'vitest';
import {readPprof} from '../../source/exports/pprof/read.js';
import {saveSnapshot} from '../../source/commands/save.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {canonical} from './canonical.js';
import {serviceSnapshots} from './snapshots.js';

const now = Date.UTC(2026, 8, 14, 14, 2, 1, 987);
const options = {query: defaultQuery, version: '1.2.3'};
let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'save-test-'));
});

afterAll(() => {
	fs.rmSync(folder, {recursive: true, force: true});
});

test('a save is a pprof file that opens again and the same moment as text, both for the owner alone; a second one in that second stands beside it', async () => {
	const {whole} = serviceSnapshots();
	const saved = await saveSnapshot(whole, undefined, folder, now, options);
	expect(saved).toEqual({pb: path.join(folder, 'tprof-4711-20260914T140201Z.pb.gz'), txt: path.join(folder, 'tprof-4711-20260914T140201Z.txt')});
	expect(canonical(readPprof(fs.readFileSync(saved.pb)))).toEqual(canonical(whole));
	expect(fs.readFileSync(saved.txt, 'utf8')).toContain('com.acme.sort.Bubble.swap:24');
	expect([saved.pb, saved.txt].map(file => fs.statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
	const again = await saveSnapshot(whole, undefined, folder, now, options);
	expect(again).toEqual({pb: path.join(folder, 'tprof-4711-20260914T140201Z-2.pb.gz'), txt: path.join(folder, 'tprof-4711-20260914T140201Z-2.txt')});
	expect(fs.readdirSync(folder)).toHaveLength(4);
});

test('a save that fails leaves nothing', async () => {
	await expect(saveSnapshot(serviceSnapshots().whole, undefined, path.join(folder, 'missing'), now, options)).rejects.toThrow('there is no folder');
	expect(fs.existsSync(path.join(folder, 'missing'))).toBe(false);
});
