import {spawnSync} from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import {expect, test} from 'vitest';
import {parseFlameGraph} from '../exports/parse.js';
import {cli} from '../helpers/run.js';
import {patienceMs} from '../helpers/until.js';

const root = path.resolve(import.meta.dirname, '../..');
const saved = path.join(root, 'test/fixtures/exports/shop-jdk17.pb.gz');

function openAgainst(file: string, ...args: readonly string[]) {
	const {status, stdout, stderr} = spawnSync(process.execPath, [cli, 'open', saved, '--compare', file, ...args], {encoding: 'utf8', timeout: patienceMs});
	return {status, stdout, stderr};
}

test('a file against itself: nothing is new, nothing gone, all of it is noise; as text, JSON and CSV', () => {
	const text = openAgainst(saved);
	expect(text).toMatchObject({status: 0, stderr: ''});
	expect(text.stdout).toContain('Changes, against shop-jdk17.pb.gz');
	expect(text.stdout).toMatch(/^ CPU \+\/- +ERR +CPU\/s +WAS +TCK \+\/- .*WHAT/m);
	expect(text.stdout).toMatch(/^ +0\.0 .* noise +\S+:\d+$/m);
	const {comparedWith, changes} = JSON.parse(openAgainst(saved, '--format', 'json').stdout) as {comparedWith: Record<string, unknown>; changes: Array<Record<string, unknown>>};
	expect(comparedWith).toMatchObject({title: 'shop-jdk17.pb.gz', samples: expect.any(Number) as number});
	expect(changes.length).toBeGreaterThan(3);
	for (const row of changes) {
		expect(row).toMatchObject({change: 'both', noise: true, cpuMsPerS: {change: 0}, ticksPerS: {change: 0}});
	}

	const [heading, ...rows] = openAgainst(saved, '--format', 'csv').stdout.trim().split('\r\n');
	expect(heading).toBe('taken_at,class,method,file,line,change,noise,cpu_change,cpu_error,cpu_now,cpu_was,ticks_change,ticks_error,ticks_now,ticks_was,percent_now,percent_was');
	expect(rows.length).toBe(changes.length);
});

test('a flame graph shows the differences', () => {
	const {status, stdout, stderr} = openAgainst(saved, '--format', 'html');
	expect({status, stderr}).toEqual({status: 0, stderr: ''});
	expect(stdout).toContain('<li>compared with shop-jdk17.pb.gz: ');
	expect(parseFlameGraph(stdout).was).toMatchObject({cpuScale: 1, tickScale: 1});
});

test('what cannot be compared with is said before anything is started', () => {
	expect(openAgainst(path.join(root, 'no-such.pb.gz'))).toMatchObject({status: 1, stdout: '', stderr: expect.stringContaining('no such file') as string});
	expect(openAgainst(saved, '--format', 'lines')).toMatchObject({status: 2, stdout: '', stderr: expect.stringContaining('has no views') as string});
});
