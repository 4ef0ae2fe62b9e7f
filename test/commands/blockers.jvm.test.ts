import {describe, expect, test} from 'vitest';
import {attachEngine} from '../../source/engines/attach/attach-engine.js';
import {Sample} from '../../source/model/sample.js';
import {Names, rowsOf} from '../engines/observe.js';
import {beside, closedAfterTest, javaForTest} from '../helpers/for-test.js';
import {type JavaProcess, jdks, targetOf} from '../helpers/jvm.js';
import {runCli} from '../helpers/run.js';
import {untilAsync} from '../helpers/until.js';

type Row = {
	readonly lock: string;
	readonly kind: string;
	readonly holder: string | null;
	readonly depth: number;
	readonly deadlock: boolean;
	readonly waiting: number;
	readonly readers: number;
	readonly waitedMs: number;
	readonly nowAt: {readonly method: string} | null;
	readonly tookAt: {readonly method: string} | null;
	readonly waiters: ReadonlyArray<{readonly thread: string; readonly at: {readonly method: string}}>;
};
type Document = {
	readonly blockers: readonly Row[];
	readonly threads: ReadonlyArray<{readonly name: string}>;
	readonly durationMs: number;
	readonly notes: readonly string[];
	readonly deadlocks: ReadonlyArray<
		ReadonlyArray<
			{
				readonly thread: string;
				readonly lock: string;
				readonly at: {readonly class: string; readonly method: string};
			}
		>
	>;
};

/** Two dumps at least a second apart prove a deadlock; on a busy machine a dump takes long. */
const attachSeconds = 6;

async function report(
	engine: string,
	{pid}: JavaProcess,
	args: readonly string[] = [],
	seconds = 1.5,
): Promise<{readonly document: Document; readonly message: string}> {
	const {status, stdout, stderr} = await runCli(
		String(pid),
		'--engine',
		engine,
		'--view',
		'blockers',
		'--format',
		'json',
		'--duration',
		String(seconds),
		...args,
	);
	expect(status).toBe(0);
	return {document: JSON.parse(stdout) as Document, message: stderr};
}

const rowText = ({lock, holder, depth, deadlock, waiters}: Row) =>
	`${'  '.repeat(depth)}${deadlock ? '!' : ''}${holder ?? '?'} ${lock.replace(/^.*[.$](?=.)/, '')} <- ${waiters.map(({thread}) => thread).sort().join(' ')}`;

/** The methods in which holders took monitors, by what holds and is held. */
const tookAt = ({blockers}: Document) =>
	Object.fromEntries(blockers.filter(({kind}) =>
		kind === 'monitor').map(row => [`${row.holder} ${row.lock.replace(/^.*\$/, '')}`, row.tookAt?.method.replace(/\$.*/, '')]));
const expectedTookAt = {
	'chain-a Pool': 'hold',
	'chain-b Cache': 'both',
	'deep Shelf': 'shelve',
	'deep Box': 'pack',
	'mixed-1 Account': 'lambda',
	'three-1 Depot': 'meet',
	'three-2 Depot': 'meet',
	'three-3 Depot': 'meet',
	'two-1 Desk': 'meet',
	'two-2 Desk': 'meet',
};

describe.concurrent.each(jdks().map(jdk => ({release: jdk.release, jdk})))('JDK $release', ({jdk}) => {
	test(
		'who blocks whom, and every deadlock, with both engines',
		beside(async () => {
			const java = await javaForTest('KnownBlocking', {jdk, jvmArgs: ['-Xbatch']});
			const memory = await report('memory', java);
			expect(memory.document.blockers.map(row => rowText(row)).sort()).toEqual([
				'  !mixed-2 NonfairSync <- mixed-1',
				'  !three-3 Depot <- three-2',
				'  chain-b Cache <- chain-c chain-d',
				'    !three-2 Depot <- three-1',
				'!mixed-1 Account <- mixed-2',
				'  !two-2 Desk <- two-1',
				'!two-1 Desk <- two-2',
				'!three-1 Depot <- three-3',
				'reader NonfairSync <- writer',
				'chain-a Pool <- chain-b',
				'deep Box <- wants-box',
				'deep Shelf <- wants-shelf',
				'owner NonfairSync <- parked',
			].sort());
			expect(memory.document.deadlocks.map(members =>
				members.map(({thread, at}) => `${thread} ${at.method.replace(/\$.*/, '')}`))).toEqual([
				['three-1 meet', 'three-2 meet', 'three-3 meet'],
				['two-1 meet', 'two-2 meet'],
				['mixed-1 lambda', 'mixed-2 intoMonitor'],
			]);
			expect(memory.message)
				.toMatch(/deadlock of 3 threads: three-1 waits at KnownBlocking\.meet:\d+ for KnownBlocking\$Depot held by three-2/);
			const chain = memory.document.blockers.find(({holder}) => holder === 'chain-b')!;
			expect(chain).toMatchObject({waiting: 2, kind: 'monitor', nowAt: {method: 'both'}});
			expect(memory.document.blockers.filter(({readers}) => readers > 0)).toEqual([
				expect.objectContaining({
					holder: 'reader',
					readers: 2,
					tookAt: null,
					nowAt: expect.objectContaining({method: 'sleepForGood'}) as unknown,
				}),
			]);
			// Two threads for the whole time.
			expect(chain.waitedMs / memory.document.durationMs).toBeCloseTo(2, 0);

			expect(tookAt(memory.document)).toEqual(expectedTookAt);

			const attach = await report('attach', java, [], attachSeconds);
			expect(tookAt(attach.document)).toEqual(expect.objectContaining(expectedTookAt));
			const known = attach.document.blockers.filter(({kind}) => kind === 'monitor');
			expect(known.map(row => rowText({...row, depth: 0})).sort())
				.toEqual(expect.arrayContaining([
					'!three-1 Depot <- three-3',
					'!two-1 Desk <- two-2',
					'chain-a Pool <- chain-b',
					'chain-b Cache <- chain-c chain-d',
				]));
			expect(known.find(({holder}) => holder === 'chain-b')).toMatchObject({
				tookAt: {method: 'both'},
				nowAt: {method: 'both'},
			});
			// The JVM itself says who is in a circle, and so who holds its locks.
			expect(attach.document.notes.join(' ')).not.toContain('not mounted');
			expect(attach.document.deadlocks.map(members => members.map(({thread}) => thread)))
				.toEqual(expect.arrayContaining([
					['three-1', 'three-2', 'three-3'],
					['two-1', 'two-2'],
					['mixed-1', 'mixed-2'],
				]));
		}),
	);

	test(
		'a holder that a full dump named, and that has released the lock since, is in no deadlock',
		beside(async () => {
			const java = await javaForTest('HandsLockOn', {jdk});
			const names = new Names();
			const sample = new Sample();
			const session = closedAfterTest(await attachEngine.open(await targetOf(java), {depth: 10}, names));
			/**
			Who holds what "waiter" and "first" wait for, in the next sample in which this is known of "first" or not.
			*/
			const ownersWhere = async (isFirstWaiting: boolean): Promise<readonly string[]> => {
				let owners: readonly string[] = [];
				await untilAsync(async () => {
					const {ok} = await session.sample(sample);
					const ownerOf = new Map(ok
						? rowsOf(sample, names).map(({name, owner}) => [name, owner.replace(/ .*/, '')] as const)
						: []);
					owners = [ownerOf.get('waiter') ?? '', ownerOf.get('first') ?? ''];
					return ok && (owners[1] !== '') === isFirstWaiting;
				});
				return owners;
			};

			expect(await ownersWhere(false)).toEqual(['', '']);
			session.askForHolders!();
			expect(await ownersWhere(false)).toEqual(['first', '']);
			expect(await ownersWhere(false)).toEqual(['first', '']);
			java.child.stdin!.write('\n');
			expect(await ownersWhere(true)).toEqual(['', 'waiter']);
		}),
	);

	test(
		'threads that need a class wait for the one that initialises it, with both engines',
		beside(async () => {
			const java = await javaForTest('ClassInitialisation', {jdk});
			// Up to JDK 16 a thread dump does not say which class it is, and two are being initialised.
			const unknown = {kind: 'class-init', lock: '', holder: null, waiting: 19};
			const known = {
				kind: 'class-init',
				lock: 'ClassInitialisation$Slow',
				holder: 'initialiser',
				waiting: 19,
				tookAt: {method: '<clinit>'},
				nowAt: {method: 'sleepForGood'},
			};
			const [memory, attach] = [await report('memory', java), await report('attach', java)];
			expect(memory.document.blockers).toMatchObject([known]);
			expect(attach.document.blockers).toMatchObject([jdk.release < 17 ? unknown : known]);
		}),
	);
});

describe.each(jdks().filter(({release}) => release >= 21))('JDK $release', on => {
	// Of other collectors test/sampler/virtual-waits.jvm.test.ts reads them.
	test.concurrent.for(['Serial', 'Parallel'])(
		'virtual threads that are not mounted, and who holds what they wait for: %s',
		beside(async collector => {
			const java = await javaForTest('VirtualWaits', {jdk: on, jvmArgs: [`-XX:+Use${collector}GC`]});
			const {document: {blockers, notes, threads}} = await report('memory', java);
			expect(blockers).toMatchObject([{
				lock: 'java.util.concurrent.locks.ReentrantLock$NonfairSync',
				kind: 'park',
				holder: 'holder',
				waiting: 20,
				nowAt: {class: 'VirtualWaits'},
				waiters: [{thread: 'waiter-*', threads: 20}],
			}]);
			expect(threads.find(({name}) => name === 'waiter-*')).toMatchObject({
				virtual: true,
				threads: 20,
				mounted: 0,
				state: 'WAITING',
			});
			expect(notes).not.toContainEqual(expect.stringContaining('virtual threads'));
		}),
	);

	test.concurrent(
		'each virtual thread of a deadlock has its own name, or its id',
		beside(async () => {
			const java = await javaForTest('VirtualWaits', {jdk: on, args: ['deadlock']});
			const {document: {deadlocks}} = await report('memory', java, [], 5);
			const names = deadlocks.map(members => members.map(({thread}) => thread).sort().join(' ')).sort();
			expect(names).toEqual([
				expect.stringMatching(/^VirtualThread\[#(\d+)] VirtualThread\[#(?!\1\b)\d+]$/),
				'left right',
			]);
		}),
	);

	test.concurrent(
		'that they are not seen is said where they are not read',
		beside(async () => {
			const java = await javaForTest('VirtualWaits', {jdk: on});
			for (
				const [engine, args] of [['memory', ['--max-virtual-threads', '0']], ['memory', [
					'--max-virtual-threads',
					'20',
				]], ['attach', []]] as const
			) {
				const {document: {blockers, notes}} = await report(engine, java, [...args]);
				expect(blockers).toEqual([]);
				expect(notes)
					.toContainEqual(expect.stringMatching(/^virtual threads that are not mounted are not seen/));
			}
		}),
	);
});
