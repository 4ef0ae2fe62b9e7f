import {spawnSync} from 'node:child_process';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import type {ThreadState} from '../../../source/model/thread-state.js';
import {isNewestOrAskedFor, jdks, type Jdk, type JavaProcess} from '../../helpers/jvm.js';
import {untilAsync} from '../../helpers/until.js';
import {javaForTest, sharedJava} from '../../helpers/for-test.js';
import {dumpOf} from '../attach/dumps.js';
import {Observer, type Row} from '../observe.js';

/** Collectors and ways to run that change how the JVM's memory looks; on one release where all do it alike. */
const ways: ReadonlyArray<{readonly flags: string[]; readonly on: (release: number) => boolean}> = [
	{flags: [], on: () => true},
	{
		flags: ['-XX:+UseSerialGC', '-XX:-UseCompressedOops'],
		on: release => release >= 17 && isNewestOrAskedFor(release),
	},
	{
		flags: ['-XX:+UseParallelGC', '-XX:-UseCompressedClassPointers'],
		on: release => release >= 17 && release < 27 && isNewestOrAskedFor(release),
	},
	{flags: ['-XX:+UseZGC'], on: release => release >= 17 && isNewestOrAskedFor(release)},
	{flags: ['-XX:+UseZGC', '-XX:+ZGenerational'], on: release => release === 21},
	{flags: ['-XX:+UseShenandoahGC'], on: release => release >= 17 && isNewestOrAskedFor(release)},
	{flags: ['-XX:+UseCompactObjectHeaders'], on: release => release === 25},
	{flags: ['-Xint'], on: release => release >= 17 && isNewestOrAskedFor(release)},
	// It takes long to start: on one of them, by the quicker compiler.
	{flags: ['-Xcomp', '-XX:TieredStopAtLevel=1'], on: release => release === jdks().at(-1)?.release},
];

/** Not every build has every collector, or every layout of objects. */
function starts({home}: Jdk, flags: string[]): boolean {
	return !flags.some(flag => /Use(?:Z|Shenandoah)GC|CompactObjectHeaders/.test(flag))
		|| spawnSync(path.join(home, 'bin/java'), [...flags, '-version'], {stdio: 'ignore'}).status === 0;
}

/** A dump has nobody IDLE, and who waits for a class's initialiser is BLOCKED in it at once. */
const dumpedState = ({name, state}: Row) =>
	name === 'waiting for the initialiser' ? 'BLOCKED' : (state === 'IDLE' ? 'RUNNABLE' : state);

/** What both views say alike. */
const facts = (thread: Row) => ({
	name: thread.name,
	state: dumpedState(thread),
	isDaemon: thread.flags.includes('daemon'),
	frames: thread.frames,
	nativeId: thread.nativeId,
});

async function bothViews(java: JavaProcess): Promise<{seen: Map<number, Row>; dumped: Row[]}> {
	const observer = await Observer.open(java.pid);
	await observer.observe();
	const rows = await dumpOf(java);
	const seen = await observer.observe();
	return {
		seen: new Map(seen.filter(thread => !thread.isVmInternal).map(thread => [thread.key, thread])),
		dumped: rows.filter(({key, name}) => key > 0 && name !== 'Attach Listener'),
	};
}

describe.each(jdks().map(jdk => ({release: jdk.release, jdk})))('JDK $release', ({jdk}) => {
	const args = ['2', '60'];
	const shared = sharedJava('WaitsEveryWay', {jdk, args});
	for (const {flags} of ways.filter(({on, flags}) => on(jdk.release) && starts(jdk, flags))) {
		test(`waiting threads are as in the thread dump ${flags.join(' ')}`, async () => {
			const {seen, dumped} = await bothViews(flags.length === 0
				? shared.java
				: await javaForTest('WaitsEveryWay', {jdk, jvmArgs: flags, args}));
			expect(dumped.length).toBeGreaterThan(25);
			for (const thread of dumped) {
				const own = seen.get(thread.key);
				expect(
					own && facts(own),
					`${thread.name} of ${[...seen.values()].map(({name}) => name).join(', ')}`,
				).toEqual(facts(thread));
				expect(own?.isIncomplete).toBe(false);
			}

			const blocked = dumped.filter(({lock, owner}) => lock.startsWith('monitor ') && owner !== '');
			expect(blocked.length).toBeGreaterThan(0);
			for (const {key, owner} of blocked) {
				expect(seen.get(key)!.owner).toBe(owner);
			}

			// The attach of the dump itself makes one more.
			expect(seen.size - dumped.length).toBeLessThanOrEqual(1);
			expect(dumped.reduce((sum, {frames}) => sum + frames.length, 0)).toBeGreaterThan(2000);
		});
	}

	test('a collection between samples changes neither names nor stacks nor states', async () => {
		const {java} = shared;
		const observer = await Observer.open(java.pid);
		const known = (threads: readonly Row[]) =>
			threads.filter(({name, isVmInternal}) =>
				!isVmInternal && /^(?:$|a name|[a-z-]+-0$|reading|initialising)/.test(name)).map(thread => ({...facts(thread), lock: thread.lock, owner: thread.owner.replace(/ at .*/, '')}));
		const before = known(await observer.observe());
		for (let round = 1; round <= 5; round++) {
			java.child.stdin?.write('g\n');
			await java.waitFor(new RegExp(`(?:done\\s+){${round}}`));
			const after = known(await observer.observe());
			// The collector's own helpers may have come up meanwhile.
			expect(after.filter(({name}) => before.some(thread => thread.name === name))).toEqual(before);
		}
	});

	test('names with quotes, control characters and characters beyond the basic plane; what threads wait for, and who holds it; no more frames than asked for', async () => {
		const observer = await Observer.open(shared.java.pid, {depth: 3});
		await observer.observe();
		const seen = await observer.observe();
		expect(Math.max(...seen.map(({frames}) => frames.length))).toBe(3);
		expect(seen.map(({name}) => name))
			.toEqual(expect.arrayContaining([String.raw`a name with "quotes" and a tab\x09 and é中😀`, '']));
		const threads = new Map(seen.map(thread => [thread.name, thread]));
		expect(['blocked', 'locking', 'latch', 'waiting', 'joining', 'sleeping', 'parked'].map(name =>
			threads.get(`${name}-0`)!).map(({lock, owner}) => [lock, owner.replace(/ at .*/, '')])).toEqual([
			['monitor java.lang.Object', 'main'],
			['park java.util.concurrent.locks.ReentrantLock$NonfairSync', 'main'],
			['park java.util.concurrent.CountDownLatch$Sync', ''],
			['monitor-wait java.lang.Object', ''],
			['monitor-wait java.lang.Thread', ''],
			['', ''],
			['', ''],
		]);
		expect(threads.get('parked-0')).toMatchObject({isIncomplete: false, state: 'WAITING'});
	});

	test('a thread that waits for long inside the VM, as for a class\'s initialiser, is blocked, and no other is; the JVM\'s own have whole names', async () => {
		const observer = await Observer.open(shared.java.pid);
		const before = await observer.observe();
		// Long enough for the list of the JVM's own threads to be read again, too.
		await sleep(600);
		const after = await observer.observe();
		const stateOf = (threads: readonly Row[], wanted: string) => threads.find(({name}) => name === wanted)?.state;
		expect(stateOf(before, 'waiting for the initialiser')).toBe('RUNNABLE');
		expect(stateOf(after, 'waiting for the initialiser')).toBe('BLOCKED');
		const others = (threads: readonly Row[]) =>
			threads.filter(({name, frames}) => frames.length > 0 && name !== 'waiting for the initialiser').map(({name, state}) => `${name} ${state}`).sort();
		expect(others(after)).toEqual(others(before));
		expect(after.filter(({isVmInternal}) => isVmInternal).map(({name}) => name))
			.toEqual(expect.arrayContaining(['VM Thread', 'VM Periodic Task Thread']));
	});

	// From 19 on a Java method calls the native one, and stops for safepoints itself while it is interpreted.
	if (isNewestOrAskedFor(jdk.release)) {
		test('a thread that a safepoint stops on its way into or out of a sleep is not blocked', async () => {
			const flags = [
				'-XX:-UseCountedLoopSafepoints',
				'-Xmx64m',
				'-XX:CompileCommand=quiet',
				'-XX:CompileOnly=SleepsAtSafepoints::count',
			];
			const java = await javaForTest('SleepsAtSafepoints', {jdk, jvmArgs: flags});
			const observer = await Observer.open(java.pid);
			const states = new Set<ThreadState>();
			let slowSafepoints = 0;
			await untilAsync(async () => {
				const threads = await observer.observe();
				// It waits inside the VM for the stack traces.
				const isHeldUp = threads.some(({name, state}) => name === 'main' && state === 'BLOCKED');
				slowSafepoints += isHeldUp ? 1 : 0;
				for (
					const {state} of threads.filter(({frames: [top]}) =>
						isHeldUp && top?.startsWith('java.lang.Thread.sleep'))
				) {
					states.add(state);
				}

				await sleep(30);
				return slowSafepoints >= 5;
			});
			expect([...states].sort()).not.toContain('BLOCKED');
			expect(states).toContain('TIMED_WAITING');
		});

		test('a thread whose object could not be read at first, as a collection moved objects, stays one thread', async () => {
			const java = await javaForTest('Garbage', {jdk, jvmArgs: ['-Xmx16m', '-XX:+UseParallelGC']});
			const {pid} = java;
			// Until one is found that is not known at once.
			let keys: Set<number> | undefined;
			await untilAsync(async () => {
				const observer = await Observer.open(pid);
				const threads = await observer.observe();
				const main = threads.find(({name, isVmInternal}) => name === 'java' && !isVmInternal);
				if (main) {
					keys = new Set([main.key]);
					await untilAsync(async () => {
						const later = await observer.observe();
						const {key, name} = later.find(({nativeId}) => nativeId === main.nativeId)!;
						keys!.add(key);
						return name === 'main';
					});
				}

				await observer.close();
				return main !== undefined;
			});
			expect([...keys!]).toHaveLength(1);
		});
	}
});
