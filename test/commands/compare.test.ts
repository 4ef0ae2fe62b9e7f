import path from 'node:path';
import {expect, test} from 'vitest';
import {runCli} from '../helpers/run.js';

const root = path.resolve(import.meta.dirname, '../..');
const saved = path.join(root, 'test/fixtures/exports/shop-jdk17.pb.gz');
const openAgainst = async (file: string, ...args: readonly string[]) => runCli('open', saved, '--compare', file, ...args);

test('a file against itself: nothing is new, nothing gone, all of it is noise', async () => {
	const text = await openAgainst(saved);
	expect(text).toMatchObject({status: 0, stderr: ''});
	expect(text.stdout).toContain('Changes, against shop-jdk17.pb.gz');
	expect(text.stdout).toMatch(/^ CPU \+\/- +ERR +CPU\/s +WAS +TCK \+\/- .*WHAT/m);
	expect(text.stdout).toMatch(/^ +0\.0 .* noise +\S+:\d+$/m);
	const {stdout} = await openAgainst(saved, '--format', 'json');
	const {comparedWith, changes} = JSON.parse(stdout) as {comparedWith: Record<string, unknown>; changes: Array<Record<string, unknown>>};
	expect(comparedWith).toMatchObject({title: 'shop-jdk17.pb.gz', samples: expect.any(Number) as number});
	expect(changes.length).toBeGreaterThan(3);
	expect(changes).toMatchObject(changes.map(() => ({change: 'both', noise: true, cpuMsPerS: {change: 0}, ticksPerS: {change: 0}})));
});

test('what cannot be compared with is said before anything is started', async () => {
	expect(await openAgainst(path.join(root, 'no-such.pb.gz'))).toMatchObject({status: 1, stdout: '', stderr: expect.stringContaining('no such file') as string});
	expect(await openAgainst(saved, '--format', 'lines')).toMatchObject({status: 2, stdout: '', stderr: expect.stringContaining('has no views') as string});
});
