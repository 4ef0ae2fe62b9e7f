import type {ChildProcess} from 'node:child_process';
import {
	existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmdirSync, rmSync, writeFileSync,
} from 'node:fs';
import {once} from 'node:events';
import {createServer, type AddressInfo} from 'node:net';
import {cpus, tmpdir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {beforeAll, expect, test, onTestFinished, vi} from 'vitest';
import {CpuLimits, cpuPressure} from '../../source/jvm/counters/cpu-limits.js';
import {ProcessLimits} from '../../source/jvm/counters/process-limits.js';
import {openVitals} from '../../source/jvm/counters/vitals.js';
import {threadIdsOf, kernelNameOf} from '../../source/jvm/threads/native-ids.js';
import {isCollector, jvmWork, workOf} from '../../source/model/jvm-stacks.js';
import type {TargetVitals} from '../../source/model/snapshot.js';
import {growthFindings} from '../../source/query/summary/limit-findings.js';
import {
	closedAfterTest, folderForTest, javaForTest, keepFirstCpuBusy, onFirstCpu, spawnForTest,
} from '../helpers/for-test.js';
import {
	isNewestOrAskedFor, type JavaProcess, type Jdk, jdk, jdks, nice, runTool, startJava, targetOf,
} from '../helpers/jvm.js';
import {until} from '../helpers/until.js';

const mb = 2 ** 20;

let filling: {readonly first: TargetVitals; readonly grown: Promise<TargetVitals>};

/** Files that a program opens one after the other, and one that has opened some at its start. */
let opening: {readonly grows: Promise<TargetVitals>; readonly hasGrown: Promise<TargetVitals>};

// Begun first and awaited last: growth is known after twenty seconds, in which the other tests run.
beforeAll(async () => {
	const java = await startJava('Situations', {
		under: nice,
		args: ['leak'],
		jvmArgs: ['-Xmx256m', '-Xmn4m', '-XX:+UseSerialGC'],
	});
	const vitals = openVitals(await targetOf(java));
	const first = vitals.read();
	const grown = until(() => {
		const now = vitals.read();
		return now.heapGrowthBytesPerMin! > 100 * 1024 * 1024 && now;
	});
	filling = {first, grown};
	const openers = await Promise.all(['1000000', '60'].map(async rounds => startJava('GrowsSteadily', {
		under: [...nice, 'prlimit', '--nofile=1000'],
		args: [rounds],
		jvmArgs: ['-Xmx64m'],
	})));
	const [growing, flat] = await Promise.all(openers.map(async opener => openVitals(await targetOf(opener))));
	opening = {
		grows: until(() => {
			const now = growing.read();
			return now.openFilesGrowthPerMin! > 0 && now;
		}),
		hasGrown: until(() => {
			const now = flat.read();
			const isFlat = now.openFiles! >= 60 && now.openFilesGrowthPerMin === 0;
			return isFlat && now.minuteGcCause !== undefined && now;
		}),
	};
	return async () => {
		for (const each of [vitals, growing, flat]) {
			each.close();
		}

		await Promise.all([java, ...openers].map(async each => each.stop()));
	};
});

test.each(jdks().filter(({release}) => isNewestOrAskedFor(release)))(
	'JDK $release: what the collector has not said yet of the heap is not known',
	async on => {
		// It says so when its first region is full.
		const java = await javaForTest('ParkedAndEcho', {
			jdk: on,
			jvmArgs: ['-Xms256m', '-Xmx256m', '-XX:+UseG1GC', '-XX:G1HeapRegionSize=32m'],
		});
		const vitals = closedAfterTest(openVitals(await targetOf(java)));
		const {heapUsedBytes, heapCapacityBytes, heapMaxBytes} = vitals.read();
		expect(heapUsedBytes).toBeUndefined();
		expect(heapCapacityBytes).toBeGreaterThan(0);
		expect(Math.abs(heapMaxBytes! - (256 * 1024 * 1024))).toBeLessThan(1024);
	},
);

test.each(jdks())('JDK $release: CPU, heap, collections and uptime of a running program', async on => {
	const java = await javaForTest('Garbage', {jdk: on, jvmArgs: ['-Xmx64m', '-Xmn16m', '-XX:+UseSerialGC']});
	const target = await targetOf(java);
	const early = closedAfterTest(openVitals(target));
	// What is in use is known from the first collection on.
	await until(() => early.read().heapUsedBytes !== undefined);
	const vitals = closedAfterTest(openVitals(target));
	const first = vitals.read();
	expect(first.cpuPercent).toBeUndefined();
	expect(first.heapCapacityBytes).toBeGreaterThan(1024 * 1024);
	expect(first.heapCapacityBytes).toBeLessThanOrEqual(64 * 1024 * 1024);
	expect(first.heapUsedBytes).toBeLessThanOrEqual(first.heapCapacityBytes!);
	expect(first.heapMaxBytes).toBeGreaterThanOrEqual(first.heapCapacityBytes!);
	expect(Math.abs(first.heapMaxBytes! - (64 * 1024 * 1024))).toBeLessThan(1024 * 1024);
	expect(first.uptimeMs).toBeGreaterThan(0);
	let second = first;
	// On a loaded machine the program may not get a CPU for a while.
	while (!(second.cpuPercent! > 0 && second.gcPercent! > 0 && second.safepointPercent! >= second.gcPercent!)) {
		await sleep(500);
		second = vitals.read();
	}

	// Not of the first reading: the first collection may have been under way.
	expect(second.gcCause).toBe('Allocation Failure');
	expect(second.gcPercent).toBeLessThanOrEqual(100);
	// Between two collections nothing stands still, but the program mostly collects.
	const recent = await until(() => {
		// Two readings at once: where the program has a CPU of its own, there are hundreds of collections a second.
		vitals.read();
		const reading = vitals.read();
		return reading.gcPercent === 0 && reading;
	});
	expect(recent).toMatchObject({recentGcCause: 'Allocation Failure'});
	expect(recent.recentGcPercent).toBeGreaterThan(0);
	expect(recent.recentCpuPercent).toBeGreaterThan(0);
	expect(second.safepointPercent).toBeLessThanOrEqual(100);
	expect(second.compilationsPerS).toBeGreaterThanOrEqual(0);
	// Of the garbage nothing is left.
	expect(second.heapAfterGcBytes).toBeLessThan(10 * 1024 * 1024);
	expect(second.uptimeMs).toBeGreaterThan(first.uptimeMs!);
	await java.stop();
	expect(vitals.read()).toEqual({});
});

test.each(jdks().filter(({release}) => isNewestOrAskedFor(release)))(
	'JDK $release: a program that waits for one thread to reach a safepoint is stopped',
	async on => {
		const java = await javaForTest('SleepsAtSafepoints', {jdk: on, jvmArgs: ['-XX:-UseCountedLoopSafepoints']});
		const vitals = closedAfterTest(openVitals(await targetOf(java)));
		vitals.read();
		// Such a stop counts when it ends, half a second or more later.
		do {
			await sleep(3000);
		} while (vitals.read().safepointPercent! < 30);
	},
);

test.each(jdks().filter(({release}) => isNewestOrAskedFor(release)).flatMap(on =>
	['Serial', 'Parallel', 'G1'].map(collector => ({...on, collector}))))('JDK $release, $collector: what a program allocates', async ({collector, ...on}) => {
	const java = await javaForTest('Garbage', {
		jdk: on,
		args: ['asked'],
		jvmArgs: ['-Xmx64m', '-Xmn16m', `-XX:+Use${collector}GC`],
	});
	const vitals = closedAfterTest(openVitals(await targetOf(java)));
	expect(vitals.read().allocBytesPerS).toBeUndefined();
	const startMs = performance.now();
	java.child.stdin!.write('200\n');
	await java.waitFor(/made/);
	const {allocBytesPerS} = vitals.read();
	const megabytes = allocBytesPerS! * (performance.now() - startMs) / 1000 / (2 ** 20);
	// Eden's last filling, and what came since the JVM last wrote its counters, may not have been said.
	expect(megabytes).toBeGreaterThan(155);
	expect(megabytes).toBeLessThan(230);
	// Nothing is allocated from here on: the rate sinks.
	await sleep(200);
	expect(vitals.read().allocBytesPerS).toBeLessThan(allocBytesPerS!);
});

/** Seconds for which safepoints stopped a program, as its JVM has logged so far (-Xlog:safepoint, JDK 17 and later). */
const loggedSeconds = (java: JavaProcess) =>
	[...java.output().matchAll(/ Total: +(\d+) ns/g)].reduce((sum, [, ns]) => sum + (Number(ns) / 1e9), 0);

const withCollectors = jdks().filter(({release}) => release >= 17 && isNewestOrAskedFor(release)).flatMap(on => {
	const generational = on.release >= 25 ? ['Shenandoah -XX:ShenandoahGCMode=generational'] : [];
	const all = ['Serial', 'Parallel', 'G1', 'Z', 'Shenandoah', ...generational];
	return [...all, ...(on.release === 21 ? ['Z -XX:+ZGenerational'] : [])].map(text => {
		const [collector, ...flags] = text.split(' ');
		return {
			...on, text, collector, flags: ['-XX:+UnlockExperimentalVMOptions', ...flags, `-XX:+Use${collector}GC`],
		};
	});
});

test.each(withCollectors)('JDK $release, $text: its log has all stops for collections', async values => {
	const {collector, flags, ...on} = values;
	const jvmArgs = ['-Xmx128m', ...flags, '-Xlog:safepoint'];
	const java = await javaForTest('Garbage', {jdk: on, args: ['asked'], jvmArgs});
	const vitals = closedAfterTest(openVitals(await targetOf(java)));
	const before = loggedSeconds(java);
	vitals.read();
	const startMs = performance.now();
	java.child.stdin!.write('1000\n');
	await java.waitFor(/made/);
	const seconds = (performance.now() - startMs) / 1000;
	const {gcPercent, gcCause} = vitals.read();
	expect(gcCause).toBeDefined();
	expect(gcPercent).toBeGreaterThan(0);
	// The log comes through a pipe, some of it later.
	await until(() => loggedSeconds(java) - before >= gcPercent! / 100 * seconds);
	const names = threadIdsOf(java.pid).map(thread => kernelNameOf(java.pid, thread));
	expect(names.filter(name => workOf(name) === jvmWork.native && name !== 'java')).toEqual([]);
	// The serial collector works in the VM Thread.
	expect(names.some(name => isCollector(name))).toBe(collector !== 'Serial');
});

test('what a JVM does not compile, and a collector does not say, is not known', async () => {
	const java = await javaForTest('Garbage', {
		jdk: jdk(release => release >= 21),
		jvmArgs: ['-Xint', '-Xmx64m', '-XX:+UseZGC'],
	});
	const vitals = closedAfterTest(openVitals(await targetOf(java)));
	await until(() => vitals.read().gcCause !== undefined);
	const read = vitals.read();
	const {compilationsPerS, heapAfterGcBytes, heapGrowthBytesPerMin, allocBytesPerS, safepointPercent} = read;
	// Its heap is shared memory.
	expect(read.rssSharedBytes).toBeGreaterThan(mb);
	const target = await targetOf(java);
	vi.useFakeTimers({toFake: ['performance']});
	onTestFinished(() => {
		vi.useRealTimers();
	});
	const atTimes = closedAfterTest(openVitals(target));
	const {threadCount} = atTimes.read();
	vi.advanceTimersByTime(59_000);
	expect(atTimes.read().threadsBefore).toBeUndefined();
	vi.advanceTimersByTime(1000);
	expect(atTimes.read().threadsBefore).toBe(threadCount);
	expect({compilationsPerS, heapAfterGcBytes, heapGrowthBytesPerMin, allocBytesPerS}).toEqual({});
	expect(safepointPercent).toBeGreaterThanOrEqual(0);
});

/** Returns the bytes that are committed of all of metaspace, and of its part for classes, as the JVM itself says. */
function committedMetaspace(on: Jdk, {pid}: JavaProcess): number[] {
	const [command, scale, pattern] = on.release === 8
		? [['GC.heap_info'], 1024, /(?:Metaspace|class space) .* committed (\d+)K/g] as const
		: [['VM.metaspace', 'scale=1'], 1, /(?:Both|Class space): +\d+ bytes reserved, +(\d+) bytes/g] as const;
	const committed = [...runTool(on, 'jcmd', String(pid), ...command).matchAll(pattern)].map(([, count]) => scale * Number(count));
	return committed.sort((a, b) => b - a);
}

test.each(jdks())('JDK $release: metaspace and open files, of their limits', async on => {
	const java = await javaForTest('ParkedAndEcho', {
		jdk: on, jvmArgs: ['-XX:MaxMetaspaceSize=80m', '-XX:CompressedClassSpaceSize=48m', '-XX:+UseSerialGC'],
	});
	const vitals = closedAfterTest(openVitals(await targetOf(java)));
	const {openFiles, openFilesMax, openSockets, openPipes, openPaths, metaspaceMaxBytes, classSpaceMaxBytes}
		= vitals.read();
	// Not after an attach: what waits for a connection has reserved a file that no list has.
	const links = readdirSync(`/proc/${java.pid}/fd`).map(name => readlinkSync(`/proc/${java.pid}/fd/${name}`));
	expect(openFiles).toBe(links.length);
	const ofKind = (start: string): number => links.filter(link => link.startsWith(start)).length;
	expect({openSockets, openPipes, openPaths})
		.toEqual({openSockets: ofKind('socket:'), openPipes: ofKind('pipe:'), openPaths: ofKind('/')});
	expect(openPaths).toBeGreaterThan(0);
	const limits = readFileSync(`/proc/${java.pid}/limits`, 'utf8');
	expect(openFilesMax).toBe(Number(/Max open files +(\d+)/.exec(limits)?.[1]));
	expect({metaspaceMaxBytes, classSpaceMaxBytes}).toEqual({metaspaceMaxBytes: 80 * mb, classSpaceMaxBytes: 48 * mb});
	runTool(on, 'jcmd', String(java.pid), 'GC.run');
	const {metaspaceUsedBytes, ...read} = vitals.read();
	const [all, classes] = committedMetaspace(on, java);
	expect(all).toBeGreaterThan(0);
	expect(read).toMatchObject({metaspaceCommittedBytes: all, classSpaceCommittedBytes: classes});
	expect(metaspaceUsedBytes).toBeGreaterThan(all / 4);
	expect(metaspaceUsedBytes).toBeLessThanOrEqual(all);
});

test('what most of the open files are', async () => {
	const server = createServer();
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	onTestFinished(() => {
		server.close();
	});
	const java = await javaForTest('OpensMany');
	const {port} = server.address() as AddressInfo;
	const mostAfter = async (line: string, opened: number) => {
		java.child.stdin!.write(`${line}\n`);
		await java.waitFor(new RegExp(`^has ${opened}$`, 'm'));
		// Files are listed at a session's first reading, and then only every few seconds.
		const {openMostly, openMostlyCount} = closedAfterTest(openVitals(await targetOf(java))).read();
		return {openMostly, openMostlyCount};
	};

	expect(await mostAfter(`sockets ${port} 100`, 100)).toEqual({
		openMostly: `sockets to 127.0.0.1:${port}`, openMostlyCount: 100,
	});
	const folder = folderForTest();
	expect(await mostAfter(`files ${folder} 303`, 403)).toEqual({
		openMostly: `files in ${folder}`, openMostlyCount: 152,
	});
});

test('without counters there is CPU and uptime', async () => {
	const java = await javaForTest('Garbage', {jvmArgs: ['-Xmx64m', '-XX:-UsePerfData']});
	const vitals = closedAfterTest(openVitals(await targetOf(java)));
	vitals.read();
	// On a loaded machine the program may not get a CPU for a while.
	await until(() => vitals.read().cpuPercent! > 0);
	const {uptimeMs, heapUsedBytes, gcPercent, gcCause, safepointPercent, compilationsPerS, heapAfterGcBytes} = vitals
		.read();
	expect(uptimeMs).toBeGreaterThan(0);
	expect(heapUsedBytes).toBeUndefined();
	expect({gcPercent, gcCause, safepointPercent, compilationsPerS, heapAfterGcBytes}).toEqual({});
	expect(vitals.read().allocBytesPerS).toBeUndefined();
});

test('a heap that fills grows from collection to collection, of which there must be some', async () => {
	const {first: {heapAfterGcBytes = 0, heapGrowthBytesPerMin}, grown} = filling;
	expect(heapGrowthBytesPerMin).toBeUndefined();
	const {heapAfterGcBytes: after} = await grown;
	expect(after).toBeGreaterThan(heapAfterGcBytes);
});

test('the CPUs that a program may use, and what other processes use of the host', async () => {
	const java = await javaForTest('IdleServer', {under: ['taskset', '-c', '0,1', ...nice]});
	const vitals = closedAfterTest(openVitals(await targetOf(java)));
	expect(vitals.read()).toMatchObject({allowedCpus: Math.min(2, cpus().length)});
	expect(vitals.read().othersCpuPercent).toBeGreaterThanOrEqual(0);
	keepFirstCpuBusy(1);
	await until(() => vitals.read().othersCpuPercent! > 40);
	await until(() => vitals.read().othersCpuPercent! <= 100 * cpus().length * 1.1);
	const pinned = await javaForTest('IdleServer', {under: onFirstCpu});
	expect(closedAfterTest(openVitals(await targetOf(pinned))).read().allowedCpus).toBe(1);
});

test('files that are opened one after the other are a finding before none is left, those of a start are none', async () => {
	const aged = {uptimeMs: 180_000, openFiles: 600};
	const [grows, hasGrown] = await Promise.all([opening.grows, opening.hasGrown]);
	// Twenty a second, unless the machine is busy.
	expect(grows.openFilesGrowthPerMin).toBeLessThan(1300);
	expect(growthFindings({...grows, ...aged})).toMatchObject([{id: 'growth', figures: {limit: 'open files', max: 1000}}]);
	expect(growthFindings({...hasGrown, ...aged})).toEqual([]);
	// It calls System.gc() once a second.
	expect(hasGrown).toMatchObject({minuteGcCause: 'System.gc()'});
	expect(hasGrown.minuteGcPercent).toBeGreaterThan(0);
	expect(hasGrown.minuteGcPercent).toBeLessThanOrEqual(100);
	expect(hasGrown.minuteCpuPercent).toBeGreaterThan(0);
});

/** Where groups may be made, and files with their limits, in version 1 or 2 of control groups. */
const versions = {
	cpu: [
		{root: '/sys/fs/cgroup/cpu', limits: {'cpu.cfs_period_us': '100000', 'cpu.cfs_quota_us': '10000'}},
		{root: '/sys/fs/cgroup', limits: {'cpu.max': '10000 100000'}},
	],
	memory: [
		{root: '/sys/fs/cgroup/memory', limits: {'memory.limit_in_bytes': String(256 * mb)}},
		{root: '/sys/fs/cgroup', limits: {'memory.max': String(256 * mb)}},
	],
	pids: [
		{root: '/sys/fs/cgroup/pids', limits: {'pids.max': '50'}},
		{root: '/sys/fs/cgroup', limits: {'pids.max': '50'}},
	],
};

/** A group with a limit; undefined where we may not make one. */
function limitedGroup(controller: keyof typeof versions): string | undefined {
	for (const {root, limits} of versions[controller].filter(version => existsSync(version.root))) {
		const folder = `${root}/tprof-test-${controller}-${process.pid}`;
		try {
			mkdirSync(folder);
			for (const [file, limit] of Object.entries(limits)) {
				writeFileSync(`${folder}/${file}`, limit);
			}

			return folder;
		} catch {
			if (existsSync(folder)) {
				rmdirSync(folder);
			}
		}
	}

	return undefined;
}

/** Starts a program in a group; ends it and removes the groups after the test, the innermost first. */
function startInGroup(groups: readonly string[], command: string, ...args: string[]): ChildProcess {
	const child = spawnForTest(command, args, {stdio: ['ignore', 'pipe', 'ignore']});
	onTestFinished(async () => {
		child.kill('SIGKILL');
		await until(() => {
			try {
				for (const folder of groups.filter(group => existsSync(group))) {
					rmdirSync(folder);
				}

				return true;
			} catch {
				return false;
			}
		});
	});
	writeFileSync(`${groups[0]}/cgroup.procs`, String(child.pid));
	return child;
}

const [cpuGroup, memoryGroup, pidsGroup] = (['cpu', 'memory', 'pids'] as const).map(controller =>
	limitedGroup(controller));

test.skipIf(cpuGroup === undefined)('a limit that is used up is told, and that of a group above, too (needs a cgroup that we may make)', async () => {
	const below = `${cpuGroup!}/below`;
	mkdirSync(below);
	const {pid = 0} = startInGroup([below, cpuGroup!], 'sh', '-c', 'while :; do :; done');
	const limits = new CpuLimits(pid);
	expect(limits.read()).toBeUndefined();
	expect(limits.limitPercent()).toBe(10);
	await until(() => (limits.read() ?? 0) > 50);
});

test.skipIf(memoryGroup === undefined)('memory of a group is what the kernel cannot reclaim: files do not count (needs a cgroup that we may make)', async () => {
	const folder = mkdtempSync(path.join(tmpdir(), 'tprof-test-'));
	onTestFinished(() => {
		rmSync(folder, {recursive: true});
	});
	// Waits until it is in the group; then takes 60 MB of memory, and writes a file of 100 MB.
	const program = `
		const {readFileSync, writeFileSync} = require('node:fs');
		while (!readFileSync('/proc/self/cgroup', 'utf8').includes('tprof-test')) {}
		const kept = Buffer.alloc(60 * ${mb}, 1);
		writeFileSync(${JSON.stringify(path.join(folder, 'file'))}, Buffer.alloc(100 * ${mb}, 2));
		console.log('ready');
		setInterval(() => kept[0]++, 1e6);
	`;
	const child = startInGroup([memoryGroup!], process.execPath, '-e', program);
	await once(child.stdout!, 'data');
	const {memoryBytes, memoryMaxBytes, rssBytes, rssAnonBytes} = new ProcessLimits(child.pid!).read();
	expect(memoryMaxBytes).toBe(256 * mb);
	expect(memoryBytes).toBeGreaterThan(60 * mb);
	expect(memoryBytes).toBeLessThan(rssAnonBytes! + (60 * mb));
	expect(rssAnonBytes).toBeGreaterThan(60 * mb);
	expect(rssBytes).toBeGreaterThan(rssAnonBytes!);
});

test.skipIf(pidsGroup === undefined)('tasks of a group are counted, of those that it may have (needs a cgroup that we may make)', async () => {
	const {pid = 0} = startInGroup([pidsGroup!], 'sleep', '1000');
	expect(new ProcessLimits(pid).read()).toMatchObject({tasks: 1, tasksMax: 50});
});

test('a process that is gone has no limit, and the pressure on CPUs is a share', () => {
	expect(cpuPressure() ?? 0).toBeGreaterThanOrEqual(0);
	expect(cpuPressure() ?? 0).toBeLessThanOrEqual(100);
	expect(new CpuLimits(2 ** 30).read()).toBeUndefined();
	expect(new CpuLimits(2 ** 30).limitPercent()).toBeUndefined();
	expect(Object.values(new ProcessLimits(2 ** 30).read()).filter(value => value !== undefined)).toEqual([]);
});
