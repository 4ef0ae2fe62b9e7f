import {spawnSync} from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import {afterEach, describe, expect, test} from 'vitest';
import {jdks, startJava, type JavaProcess} from '../helpers/jvm.js';

const cli = path.resolve(import.meta.dirname, '../../dist/cli.js');

type Row = {readonly lock: string; readonly kind: string; readonly holder: string | null; readonly depth: number; readonly deadlock: boolean; readonly waiting: number; readonly waitedMs: number; readonly nowAt: {readonly method: string} | null; readonly tookAt: {readonly method: string} | null; readonly waiters: ReadonlyArray<{readonly thread: string; readonly at: {readonly method: string}}>};
type Document = {readonly blockers: readonly Row[]; readonly durationMs: number; readonly deadlocks: ReadonlyArray<ReadonlyArray<{readonly thread: string; readonly lock: string; readonly at: {readonly class: string; readonly method: string}}>>};

let java: JavaProcess | undefined;

afterEach(async () => {
	await java?.stop();
});

function report(engine: string): {readonly document: Document; readonly said: string} {
	const {status, stdout, stderr} = spawnSync(process.execPath, [cli, String(java!.pid), '--engine', engine, '--view', 'blockers', '--format', 'json', '--duration', '1.5'], {encoding: 'utf8'});
	expect(status).toBe(0);
	return {document: JSON.parse(stdout) as Document, said: stderr};
}

const rowText = ({lock, holder, depth, deadlock, waiters}: Row) => `${'  '.repeat(depth)}${deadlock ? '!' : ''}${holder ?? '?'} ${lock.replace(/^.*[.$](?=.)/, '')} <- ${waiters.map(({thread}) => thread).sort().join(' ')}`;

describe.each(jdks().map(jdk => ({release: jdk.release, jdk})))('JDK $release', ({jdk}) => {
	test('who holds up whom, and every deadlock, with both engines', async () => {
		java = await startJava('KnownBlocking', {jdk});
		const memory = report('memory');
		expect(memory.document.blockers.map(row => rowText(row)).sort()).toEqual([
			'  !mixed-2 NonfairSync <- mixed-1',
			'  !three-3 Depot <- three-2',
			'  chain-b Cache <- chain-c chain-d',
			'    !three-2 Depot <- three-1',
			'!mixed-1 Account <- mixed-2',
			'!three-1 Depot <- three-3',
			'? NonfairSync <- writer',
			'chain-a Pool <- chain-b',
			'owner NonfairSync <- parked',
		].sort());
		expect(memory.document.deadlocks.map(members => members.map(({thread, at}) => `${thread} ${at.method.replace(/\$.*/, '')}`))).toEqual([
			['three-1 meet', 'three-2 meet', 'three-3 meet'], ['mixed-1 lambda', 'mixed-2 intoMonitor'],
		]);
		expect(memory.said).toMatch(/deadlock of 3 threads: three-1 waits at KnownBlocking\.meet:\d+ for KnownBlocking\$Depot held by three-2/);
		const chain = memory.document.blockers.find(({holder}) => holder === 'chain-b')!;
		expect(chain).toMatchObject({waiting: 2, kind: 'monitor', nowAt: {method: 'both'}});
		// Two threads for the whole time.
		expect(chain.waitedMs / memory.document.durationMs).toBeCloseTo(2, 0);

		const attach = report('attach');
		const known = attach.document.blockers.filter(({kind}) => kind === 'monitor');
		expect(known.map(row => rowText({...row, depth: 0})).sort()).toEqual(expect.arrayContaining(['!three-1 Depot <- three-3', 'chain-a Pool <- chain-b', 'chain-b Cache <- chain-c chain-d']));
		expect(known.find(({holder}) => holder === 'chain-b')).toMatchObject({tookAt: {method: 'both'}, nowAt: {method: 'both'}});
		// The JVM itself says who is in a circle, and so who holds its locks.
		expect(attach.document.deadlocks.map(members => members.map(({thread}) => thread))).toEqual(expect.arrayContaining([['three-1', 'three-2', 'three-3'], ['mixed-1', 'mixed-2']]));
	});
});
