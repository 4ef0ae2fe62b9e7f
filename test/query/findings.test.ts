import {expect, test} from 'vitest';
import {printable, safe} from '../../source/util/printable.js';
import {JvmStacks} from '../../source/model/jvm-stacks.js';
import {threadFlag} from '../../source/model/sample.js';
import {stateCode} from '../../source/model/thread-state.js';
import type {PoolReading} from '../../source/model/pool-reading.js';
import type {Snapshot, TargetVitals} from '../../source/model/snapshot.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {findingsOf} from '../../source/query/summary/findings.js';
import {memoryView} from '../../source/views/memory/memory-view.js';
import {views} from '../../source/views/view-registry.js';
import {poolReading} from '../helpers/pool-reading.js';
import {Picture} from '../helpers/picture.js';

const found = (snapshot: Snapshot, vitals?: TargetVitals) =>
	findingsOf(snapshot, undefined, defaultQuery, {vitals}).map(({text}) => text);
/** The views with a row that the first finding is about, and how they name that row: its key. */
const rowsAbout = (snapshot: Snapshot, vitals?: TargetVitals) => {
	const query = {...defaultQuery, foldPools: true, summary: {showsWaits: true}};
	const [finding] = findingsOf(snapshot, undefined, query, {vitals});
	return views.flatMap(view => {
		const row = view.query(snapshot, undefined, {...query, sort: view.sort}).rows.find(each =>
			view.isAbout?.(finding, each));
		return row ? [`${view.id} ${row.key}`] : [];
	});
};

const inTask = [
	'java.util.concurrent.ThreadPoolExecutor.runWorker:1130',
	'com.acme.Db.query:88',
	'java.net.Socket.read:native',
];
const reading = ['org.queue.Connection.run:7', 'org.queue.Frames.next:9', 'java.net.Socket.read:native'];

/** This many threads that have read from a server for some seconds, beside one that works or does not. */
function readers(
	count: number,
	{stack = inTask, seconds = 42, peer = '10.0.0.5:5432', kind = 'read', isBusy = true}: {
		readonly stack?: readonly string[];
		readonly seconds?: number;
		readonly peer?: string;
		readonly kind?: string;
		readonly isBusy?: boolean;
	} = {},
): Snapshot {
	const drawing = new Picture().draw(isBusy ? 'hot | R500 | work:1' : 'main | t | main:1');
	for (let thread = 0; thread < count; thread++) {
		drawing.draw(`db-${thread} | . | ${stack.join(' | ')}`);
		drawing.set(`db-${thread}`, {sinceMs: 100_000 - (seconds * 1000), waitKind: kind, waitPeer: peer});
	}

	return drawing.build();
}

test('threads of a pool that wait for a server are found, with the longest and the line', () => {
	expect(found(readers(38))).toEqual(['38 threads wait for 10.0.0.5:5432, longest 42s, at c.acme.Db.query:88.']);
	expect(found(readers(38), {isStopped: true})[0]).toMatch(/^A signal has stopped the process/);
	expect(found(readers(38), {isFrozen: true})[0]).toMatch(/^The process is frozen by its cgroup/);
	expect(findingsOf(readers(38), undefined, defaultQuery)[0]).toMatchObject({
		id: 'server',
		figures: {threads: 38, peer: '10.0.0.5:5432', longestMs: 42_000},
	});
	expect(rowsAbout(readers(38))).toEqual(['waits read 10.0.0.5:5432']);
});

test.each([
	['two are few', readers(2)],
	['four seconds are short', readers(20, {seconds: 4})],
	['readers of a library do nothing else', readers(9, {stack: reading})],
	['nor do they in a program at rest', readers(9, {stack: reading, isBusy: false})],
	['clients come when they like', readers(38, {peer: 'clients of :8080'})],
	['a selector waits for whoever comes', readers(38, {kind: 'select'})],
	['a pipe is no server', readers(38, {peer: 'pipe'})],
	['what cannot be read names nobody', readers(38, {kind: 'native call', peer: 'not readable: needs root'})],
])('not where %s', (_, snapshot) => {
	expect(found(snapshot)).toEqual([]);
});

test('ten readers, three tasks of a program at rest, and one that gets no connection are found sooner', () => {
	expect(found(readers(10, {stack: reading}))).toEqual([
		expect.stringMatching(/^10 threads wait for 10\.0\.0\.5:5432, /),
	]);
	expect(found(readers(3, {seconds: 2, isBusy: false}))).toEqual([expect.stringMatching(/^3 threads wait /)]);
	expect(found(readers(1, {kind: 'connect', seconds: 3}))).toEqual([
		'1 thread waits for 10.0.0.5:5432, which accepts no connection, longest 3s, at c.acme.Db.query:88.',
	]);
});

test.each([
	[1, 'The only thread of pool-1-thread-* waits'],
	[2, 'Both threads of pool-1-thread-* wait'],
	[3, 'All 3 threads of pool-1-thread-* wait'],
])('%i threads of a pool that wait for results of its tasks', (count, who) => {
	const drawing = new Picture().draw('main | t | main:1');
	for (let thread = 1; thread <= count; thread++) {
		const [pool, get] = ['java.util.concurrent.ThreadPoolExecutor.runWorker:1130', 'java.util.concurrent.FutureTask.get:190'];
		drawing.draw(`pool-1-thread-${thread} | w | ${pool} | com.acme.Job.run:7 | ${get}`);
		drawing.set(`pool-1-thread-${thread}`, {sinceMs: 91_000});
	}

	expect(found(drawing.build())).toContainEqual(expect.stringContaining(`${who} for results of tasks, 9s, at c.acme.Job.run:7`));
});

test('what is compiled for a quarter of the CPU time is named, with its error', () => {
	const compiling = (huge: number, vitals?: TargetVitals, programMs = 100) => {
		const drawing = new Picture().draw(`main | R${programMs} | work:1\nC2 CompilerThread0 [compiler] | R0`);
		for (const [method, count] of [['com.acme.Huge.run', huge], ['com.acme.Small.run', 90 - huge]] as const) {
			const node = drawing.builder.addStack(new JvmStacks(drawing.builder).ofCompilation('C2', method));
			for (let piece = 0; piece < count; piece++) {
				drawing.builder.count(drawing.thread('C2 CompilerThread0'), node, stateCode.RUNNABLE, 0, 10e6);
			}
		}

		return findingsOf(drawing.build({sampledMs: 1000}), undefined, defaultQuery, {vitals});
	};

	expect(compiling(71)).toMatchObject([{
		id: 'jit',
		text: 'C2 compiles com.acme.Huge.run: 71% of the CPU time.',
		figures: {jitPercent: 90, programPercent: 10, method: 'com.acme.Huge.run', methodPercent: 71},
	}]);
	const [{error}] = compiling(71);
	expect(error).toBeGreaterThan(5);
	expect(error).toBeLessThan(20);
	// A program that warms up is compiled.
	expect([{uptimeMs: 59_000}, {uptimeMs: 60_000}].map(vitals => compiling(71, vitals, 700).length)).toEqual([0, 1]);
	expect(compiling(71, {uptimeMs: 10_000})).toHaveLength(1);
	expect(compiling(10)).toMatchObject([{text: expect.stringMatching(/^C2 compiles com\.acme\.Small\.run: 80%/)}]);
});

test.each([
	['BlockingArrayQueue.poll', []],
	['Exchange.next', [expect.stringMatching(/^2 threads wait together at \S*AutoLock\$WithCondition\.await:194 /)]],
])('a pool whose queue is its own waits for work: %s', (asks, texts) => {
	const drawing = new Picture();
	for (const name of ['qtp-1', 'qtp-2']) {
		drawing.draw(`${name} | t | org.eclipse.jetty.util.thread.QueuedThreadPool$Runner.run:1200 | org.eclipse.jetty.util.${asks}:219 | org.eclipse.jetty.util.thread.AutoLock$WithCondition.await:194 | java.util.concurrent.locks.LockSupport.parkNanos:269`);
		drawing.set(name, {sinceMs: 70_000});
	}

	expect(found(drawing.build())).toEqual(texts);
});

test.each<[TargetVitals, string | undefined]>([
	[
		{openFiles: 1013, openFilesMax: 1024, openSockets: 1001},
		'Open files are nearly used up: 1013 of 1024, 1001 of them sockets.',
	],
	[{openFiles: 1024, openFilesMax: 1024}, 'Open files are used up: 1024 of 1024.'],
	[
		{
			openFiles: 1024, openFilesMax: 1024, openSockets: 1001,
			openMostly: safe`sockets to 10.0.0.5:5432`, openMostlyCount: 512,
		},
		'Open files are used up: 1024 of 1024, 512 of them sockets to 10.0.0.5:5432.',
	],
	[
		{
			openFiles: 1024, openFilesMax: 1024, openSockets: 1001,
			openMostly: safe`sockets to 10.0.0.5:5432`, openMostlyCount: 511,
		},
		'Open files are used up: 1024 of 1024, 1001 of them sockets.',
	],
	[
		{openFiles: 256, openFilesMax: 256, openPipes: 1, openPaths: 255},
		'Open files are used up: 256 of 256, 255 of them files.',
	],
	[{openFiles: 972, openFilesMax: 1024}, undefined],
	[{openFiles: 1024}, undefined],
	[
		{
			metaspaceCommittedBytes: 79,
			metaspaceUsedBytes: 70,
			metaspaceMaxBytes: 80,
			loadedClasses: 4102,
			classLoadsPerS: 9,
		},
		'Metaspace is nearly used up: 79B of 80B, by 4102 classes, 9 more a second.',
	],
	// What is committed has room for other classes, unless the JVM says that it has not.
	[
		{metaspaceCommittedBytes: 80, metaspaceUsedBytes: 20, metaspaceMaxBytes: 80, gcCause: safe`Metadata GC Threshold`},
		'Metaspace is used up: 80B of 80B.',
	],
	[{metaspaceCommittedBytes: 80, metaspaceUsedBytes: 67, metaspaceMaxBytes: 80}, undefined],
	[
		{classSpaceCommittedBytes: 98, classSpaceMaxBytes: 100, loadedClasses: 7},
		'The class space of metaspace is nearly used up: 98B of 100B, by 7 classes.',
	],
	[
		{directBytes: 96, directMaxBytes: 100, directBuffers: 1},
		'Direct memory is nearly used up: 96B of 100B, by 1 buffer.',
	],
	[{directBytes: 94, directMaxBytes: 100, directBuffers: 1}, undefined],
	[{tasks: 99, tasksMax: 100, threadCount: 90}, 'Threads of the cgroup are used up: 99 of 100, 90 in this process.'],
	[
		{memoryBytes: 96, memoryMaxBytes: 100},
		'Memory of the cgroup is nearly used up: 96B of 100B, without cached files; above it the kernel ends a process.',
	],
	// The heap has its own finding, CPU too.
	[{heapAfterGcBytes: 96, heapMaxBytes: 100, cpuPercent: 100, cpuLimitPercent: 100}, undefined],
])('limits that are used up: %j', (vitals, text) => {
	const alone = new Picture().draw('main | R500 | work:1').build();
	expect(found(alone, vitals)).toEqual(text === undefined ? [] : [text]);
});

const growingDirect: TargetVitals = {
	directBytes: 141, directMaxBytes: 256, directGrowthBytesPerMin: 120, directBuffers: 282, uptimeMs: 60_000,
};

test.each<[TargetVitals, string | undefined]>([
	[growingDirect, 'Direct memory grows 120B/min, full in 57s: 141B of 256B in use, by 282 buffers.'],
	// Every program that starts grows, and what is bounded may stop before the limit.
	[{...growingDirect, uptimeMs: 59_000}, undefined],
	[{...growingDirect, directBytes: 127}, undefined],
	[{...growingDirect, directGrowthBytesPerMin: 11}, undefined],
	[{...growingDirect, directGrowthBytesPerMin: 0}, undefined],
	[{...growingDirect, directGrowthBytesPerMin: -120}, undefined],
	[{...growingDirect, directBytes: 250}, 'Direct memory is nearly used up: 250B of 256B, by 282 buffers.'],
	[
		{openFiles: 600, openFilesMax: 1024, openFilesGrowthPerMin: 53, openSockets: 512, uptimeMs: 3_600_000},
		'Open files grow 53/min, full in 8m: 600 of 1024 in use, 512 of them sockets.',
	],
	[
		{
			metaspaceCommittedBytes: 60, metaspaceMaxBytes: 80, metaspaceGrowthBytesPerMin: 10, loadedClasses: 4102,
			classLoadsPerS: 9, uptimeMs: 180_000,
		},
		'Metaspace grows 10B/min, full in 2m: 60B of 80B in use, by 4102 classes, 9 more a second.',
	],
	[
		{
			metaspaceCommittedBytes: 60, metaspaceMaxBytes: 80, metaspaceGrowthBytesPerMin: 10, loadedClasses: 4102,
			classLoaders: 3998,
			classLoadsPerS: 9, uptimeMs: 180_000,
		},
		'Metaspace grows 10B/min, full in 2m: 60B of 80B in use, by 4102 classes of 3998 class loaders, 9 more a second.',
	],
	[
		{metaspaceCommittedBytes: 60, metaspaceMaxBytes: 80, metaspaceGrowthBytesPerMin: 10, uptimeMs: 179_000},
		undefined,
	],
	// What grows for minutes is found far below its limit, or without one.
	[
		{
			directBytes: 40, directMaxBytes: 256, directGrowthBytesPerMin: 1, directSteadyGrowthBytesPerMin: 1,
			directBuffers: 80, uptimeMs: 300_000,
		},
		'Direct memory grows steadily, 1B/min, full in 3h36m: 40B of 256B in use, by 80 buffers.',
	],
	[{directBytes: 40, directMaxBytes: 256, directSteadyGrowthBytesPerMin: 1, uptimeMs: 299_000}, undefined],
	[{directBytes: 201, directMaxBytes: 256, directSteadyGrowthBytesPerMin: 1, uptimeMs: 300_000}, undefined],
	[{directBytes: 40, directMaxBytes: 1481, directSteadyGrowthBytesPerMin: 1, uptimeMs: 300_000}, undefined],
	[{directBytes: 40, directMaxBytes: 256, directSteadyGrowthBytesPerMin: -1, uptimeMs: 300_000}, undefined],
	[
		{
			directBytes: 40, directMaxBytes: 256, directGrowthBytesPerMin: -1, directSteadyGrowthBytesPerMin: 1,
			uptimeMs: 300_000,
		},
		undefined,
	],
	[
		{metaspaceCommittedBytes: 60, metaspaceSteadyGrowthBytesPerMin: 2, loadedClasses: 4102, uptimeMs: 300_000},
		'Metaspace grows steadily, 2B/min: 60B in use, by 4102 classes.',
	],
	[
		{openFiles: 100, openFilesMax: 1024, openFilesSteadyGrowthPerMin: 12, openSockets: 80, uptimeMs: 300_000},
		'Open files grow steadily, 12/min, full in 1h17m: 100 of 1024 in use, 80 of them sockets.',
	],
	[
		{heapUsedBytes: 40, heapAfterGcBytes: 30, heapMaxBytes: 80, heapSteadyGrowthBytesPerMin: 2, uptimeMs: 300_000},
		'The heap grows steadily, 2B/min, full in 25m: 30B of 80B in use after collections, also of the old generation.',
	],
	// A heap grows until the old generation is collected, and the memory of the cgroup with it.
	[
		{
			heapAfterGcBytes: 60, heapMaxBytes: 80, heapGrowthBytesPerMin: 10, memoryBytes: 60, memoryMaxBytes: 80,
			uptimeMs: 3_600_000,
		},
		undefined,
	],
])('what grows and is soon used up: %j', (vitals, text) => {
	const alone = new Picture().draw('main | R500 | work:1').build();
	expect(found(alone, vitals)).toEqual(text === undefined ? [] : [text]);
	const {rows} = memoryView.query(alone, undefined, {
		...defaultQuery, sort: memoryView.sort, vitals: {now: vitals, recent: []},
	});
	const about = findingsOf(alone, undefined, defaultQuery, {vitals}).map(finding =>
		rows.find(row => memoryView.isAbout!(finding, row))?.name.toLowerCase());
	expect(about).toEqual(text === undefined ? [] : [/^(?:the )?(direct memory|open files|metaspace|heap)/.exec(text.toLowerCase())![1]]);
});

test('threads that grow are a finding, at the start only very many', () => {
	const alone = new Picture().draw('mail-1 | t | com.acme.Mail.send:7\nmail-2 | t | com.acme.Mail.send:7').build();
	const grown = {threadCount: 300, threadGrowthPerMin: 1080};
	expect(found(alone, {...grown, uptimeMs: 60_000, tasks: 300, tasksMax: 4096})).toContainEqual(
		'Threads grow: 300 now, 18 more a second, at the limit of the cgroup in 3m30s; 2 are mail-*, at c.acme.Mail.send:7.',
	);
	const isGrowth = expect.stringMatching(/^Threads grow/) as string;
	expect(found(alone, {...grown, uptimeMs: 600_000, threadsBefore: 272})).toContainEqual(isGrowth);
	// Threads that came and went before do so again.
	expect(found(alone, {...grown, uptimeMs: 600_000, threadsBefore: 273})).not.toContainEqual(isGrowth);
	const atStart = found(alone, {...grown, uptimeMs: 59_000});
	expect(atStart).not.toContainEqual(expect.stringMatching(/^Threads grow/));
	expect(found(alone, {...grown, threadCount: 500, uptimeMs: 20_000})).toContainEqual(
		expect.stringMatching(/^Threads grow: 500 now/),
	);
});

test('threads that grow slowly for minutes are a finding, unless they are of a pool of bounded size', () => {
	const alone = new Picture().draw('mail-1 | t | com.acme.Mail.send:7\nmail-2 | t | com.acme.Mail.send:7').build();
	const grown = {threadCount: 300, threadGrowthPerMin: 0, threadSteadyGrowthPerMin: 12, uptimeMs: 300_000};
	const text = 'Threads grow: 300 now, 12 more a minute; 2 are mail-*, at c.acme.Mail.send:7.';
	expect(found(alone, grown)).toContainEqual(text);
	expect(found(alone, {...grown, tasks: 400, tasksMax: 900})).toContainEqual(
		'Threads grow: 300 now, 12 more a minute, at the limit of the cgroup in 50m; 2 are mail-*, at c.acme.Mail.send:7.',
	);
	for (const healthy of [
		{...grown, uptimeMs: 299_000},
		{...grown, threadSteadyGrowthPerMin: 3},
		{...grown, threadCount: 2401},
	]) {
		expect(found(alone, healthy)).not.toContainEqual(expect.stringMatching(/^Threads grow/));
	}

	const threads = [...alone.threads.key.subarray(0, 2)];
	const ofPool = (values: Partial<PoolReading>) =>
		found({...alone, pools: [poolReading({name: safe`mail`, threads, limit: 200, ...values})]}, grown);
	expect(ofPool({})).not.toContainEqual(text);
	expect(ofPool({limit: -1})).toContainEqual(text);
	// Executors that the program makes and never ends are a leak.
	expect(ofPool({threads: threads.slice(1)})).toContainEqual(text);
});

test('what is used up comes before what waits for it, the nearest first, and leads to its row in Memory', () => {
	const full = {
		openFiles: 99,
		openFilesMax: 100,
		directBytes: 97,
		directMaxBytes: 100,
		heapUsedBytes: 99e6,
		heapMaxBytes: 100e6,
	};
	const waiting = readers(9, {isBusy: false});
	expect(found(waiting, full).map(text => text.split(/[ :]/, 3).join(' '))).toEqual([
		'The heap is', 'Open files are', 'Direct memory is', expect.stringMatching(/^(?:9 threads|10 threads)/),
	]);
	const findings = findingsOf(waiting, undefined, defaultQuery, {vitals: full});
	expect(findings.slice(0, 3).map(({isAtLimit}) => isAtLimit)).toEqual([true, true, undefined]);
	const {rows} = memoryView.query(waiting, undefined, {
		...defaultQuery, sort: memoryView.sort, vitals: {now: full, recent: []},
	});
	const rowOf = (index: number) => rows.find(row => memoryView.isAbout!(findings[index], row))?.name;
	expect([0, 1, 2, 3].map(index => rowOf(index))).toEqual(['heap', 'open files', 'direct memory', undefined]);
});

/** A program of two seconds, or as long as said, that used and awaited this much CPU time. */
function delayed(usedMs: number, delayMs: number, sampledMs = 2000): Snapshot {
	return new Picture().draw(`main | R${usedMs} | work:1`).set('main', {runDelayNs: delayMs * 1e6}).build({
		durationMs: sampledMs,
		sampledMs,
	});
}

test.each([
	[delayed(500, 1500), {hostCpus: 2}, ['Host CPU saturated: threads waited 1.5 s for a CPU within 2s.']],
	[delayed(500, 1500), {hostCpus: 2, throttledPercent: 90}, [
		'CPU limit of the cgroup: used up in 90% of its periods; threads waited 1.5 s for a CPU within 2s.',
	]],
	[delayed(500, 4000, 4972), {hostCpus: 2}, ['Host CPU saturated: threads waited 4.0 s for a CPU within 5s.']],
	[delayed(1600, 1500), {hostCpus: 2}, []],
	[delayed(500, 900), {hostCpus: 2}, []],
	[delayed(3500, 6000), {hostCpus: 2}, []],
	[delayed(500, 1500), {}, []],
	[delayed(500, 100), {hostCpus: 2, throttledPercent: 90}, []],
] as const)('waiting for a CPU (case %#)', (snapshot, vitals, texts) => {
	expect(found(snapshot, vitals)).toEqual(texts);
});

/** A program of ten seconds with this many threads that ran for 0.4 s each, and waited for a CPU for 9. */
function crowd(count: number, usedMs = 400): Snapshot {
	const drawing = new Picture();
	for (let thread = 0; thread < count; thread++) {
		drawing.draw(`calc-${thread} | R${usedMs} | com.acme.Sums.add:12`).set(`calc-${thread}`, {runDelayNs: 9e9});
	}

	return drawing.build({durationMs: 10_000, sampledMs: 10_000});
}

test('threads that want more CPUs than there are, are found if they are most of what wants these', () => {
	const wanting = '50 of them are calc-*, at c.acme.Sums.add:12.';
	const quiet = {hostCpus: 2, othersCpuPercent: 39};
	expect(found(crowd(53, 430), quiet)).toEqual([`50 threads want 2 CPUs: ${wanting}`]);
	expect(findingsOf(crowd(53, 430), undefined, defaultQuery, {vitals: quiet})).toMatchObject([{
		id: 'cpu-threads', figures: {threads: 50, cpus: 2, name: 'calc-*', at: 'com.acme.Sums.add:12', windowMs: 10_000},
	}]);
	// A program that uses its CPUs up itself is slow, whatever others do.
	expect(found(crowd(53, 430), {...quiet, allowedCpus: 1, othersCpuPercent: 100})).toEqual([
		`50 threads want 1 CPU: ${wanting}`,
	]);
	expect(found(crowd(20), {...quiet, othersCpuPercent: 40})).toEqual([expect.stringMatching(/^Host CPU saturated/)]);
	expect(found(crowd(20), {hostCpus: 2})).toEqual([expect.stringMatching(/^Host CPU saturated/)]);
	expect(found(crowd(20), {hostCpus: 2, hostLoad: 38})).toEqual([expect.stringMatching(/^Host CPU saturated/)]);
	expect(found(crowd(20), {hostCpus: 2, hostLoad: 37})).toEqual([expect.stringMatching(/^19 threads want 2 CPUs: /)]);
	expect(found(crowd(6), quiet)).toEqual([]);
	expect(found(crowd(7), quiet)).toHaveLength(1);
	expect(found(crowd(20), {othersCpuPercent: 0})).toEqual([]);
});

test('safepoints that are no collections are found from a fifth of the time on', () => {
	const work = new Picture().draw('main | R500 | work:1').build();
	expect(found(work, {safepointPercent: 60.4, gcPercent: 3})).toEqual([
		'Safepoints stop the program 57% of the time, collections not counted: all threads wait until the last one has stopped.',
	]);
	expect(found(work, {safepointPercent: 34, gcPercent: 15})).toEqual([]);
});

test('the holder of a lock is named with the line that called a helper, or that took the lock', () => {
	const held = (holder: string, took = '', state = 't') => new Picture().draw(`
		seat-1 | ${state} | ${holder}
		seat-2 <- seat-1${took} park | w w | com.acme.Seats.reserve:174 | java.util.concurrent.locks.LockSupport.park:211
		seat-3 <- seat-1${took} park | w w | com.acme.Seats.reserve:174 | java.util.concurrent.locks.LockSupport.park:211
	`).build({samples: 2});
	const sleep = 'java.lang.Thread.sleep:509';
	const start = '2 threads wait for Object: seat-1 has it';
	expect(found(held(`com.acme.Seats.reserve:175 | com.acme.Seats.ask:176 | com.acme.Util.nap:21 | ${sleep}`))[0])
		.toBe(`${start}, at c.acme.Util.nap:21 from c.acme.Seats.ask:176.`);
	expect(found(held(`com.acme.Seats.reserve:175 | com.acme.Seats.ask:176 | ${sleep}`))[0])
		.toBe(`${start}, at c.acme.Seats.ask:176.`);
	expect(found(held(`com.acme.Other.runs:1 | com.acme.Util.nap:21 | ${sleep}`))[0])
		.toBe(`${start}, at c.acme.Util.nap:21.`);
	expect(found(held('(running).(stack unknown):-1', '', 'R0'))[0]).toBe(`${start}.`);
	expect(found(held('(running).(stack unknown):-1', '@com.acme.Seats.reserve:174', 'R0'))[0])
		.toBe(`${start}, taken at c.acme.Seats.reserve:174.`);
});

/** Two carriers whose virtual threads sleep, and 28 virtual threads that have not run, all since eight seconds. */
function pinned(): Picture {
	const drawing = new Picture().draw('hot | R500 | work:1\nunmounted | R0');
	for (const name of [1, 2]) {
		drawing.draw(`ForkJoinPool-1-worker-${name} | w | java.lang.VirtualThread.run:309\nmounted-${name} | t | handle:12 | java.lang.Thread.sleep:509`);
		drawing.set(`ForkJoinPool-1-worker-${name}`, {flags: threadFlag.carrier});
		drawing.set(`mounted-${name}`, {
			flags: threadFlag.virtual,
			carrier: drawing.thread(`ForkJoinPool-1-worker-${name}`),
			sinceMs: 92_000,
		});
	}

	return drawing.set('unmounted', {flags: threadFlag.virtual, members: 28, sinceMs: 92_000});
}

test('virtual threads that lack a carrier because all are pinned are found', () => {
	expect(findingsOf(pinned().build(), undefined, defaultQuery)).toEqual([{
		id: 'pinned',
		text:
			'28 virtual threads wait for a carrier, up to 8s: both are pinned in synchronized or native code, at A.handle:12.',
		figures: {threads: 28, carriers: 2, longestMs: 8000, at: 'A.handle:12'},
	}]);
	expect(rowsAbout(pinned().build())).toEqual(['threads virtual:mounted-1']);
	const apart = pinned().draw('mounted-2 | w | read:7').set('unmounted', {members: 0, sinceMs: 98_000}).builder
		.build({target: {jvmVersion: safe`25.0.1`}, session: {takenAtMs: 100_000}});
	expect(found(apart)).toEqual([
		'1 virtual thread waits for a carrier, for 2s: both are pinned in native code or a class initializer, 1 of them at A.handle:12.',
	]);
});

test('carriers whose virtual threads are not known are pinned if the JDK makes those wait there', () => {
	const stacks = {
		callback: 'com.acme.Native.call:16 | jdk.internal.foreign.abi.UpcallStub.invoke:-1 | com.acme.Native.compare:5 | com.acme.Pause.nap:21',
		initializer: 'com.acme.Main.run:3 | com.acme.Tables.<clinit>:7 | com.acme.Pause.nap:21',
		unknown: 'com.acme.Pause.nap:21',
	};
	const carried = (stack: keyof typeof stacks, park = 'parkOnCarrierThread') => {
		const drawing = new Picture().draw('hot | R500 | work:1\nunmounted | R0');
		for (const name of [1, 2]) {
			drawing.draw(`ForkJoinPool-1-worker-${name} | t | ${stacks[stack]} | java.lang.VirtualThread.${park}:819`);
			drawing.set(`ForkJoinPool-1-worker-${name}`, {sinceMs: 99_990});
		}

		return drawing.set('unmounted', {flags: threadFlag.virtual, members: 198, sinceMs: 92_000}).builder
			.build({target: {jvmVersion: safe`25.0.1`}, session: {takenAtMs: 100_000}});
	};

	const start = '198 virtual threads wait for a carrier, up to 8s: both are pinned in';
	expect(found(carried('callback'))).toEqual([`${start} native code, at c.acme.Native.call:16.`]);
	expect(found(carried('initializer'))).toEqual([`${start} a class initializer, at c.acme.Tables.<clinit>:7.`]);
	expect(found(carried('unknown'))).toEqual([
		`${start} native code or a class initializer, at c.acme.Pause.nap:21.`,
	]);
	expect(found(carried('callback', 'yieldContinuation'))).toEqual([]);
});

test.each<[string, Picture]>([
	['a carrier runs', pinned().set('mounted-2', {state: stateCode.RUNNABLE})],
	['a carrier has been pinned for a moment', pinned().set('mounted-2', {sinceMs: 98_001})],
	['they have waited for a moment', pinned().set('unmounted', {sinceMs: 98_001})],
	['they wait for something else', pinned().set('unmounted', {state: stateCode.WAITING})],
	[
		'a carrier is free',
		pinned().draw('ForkJoinPool-1-worker-3 | w | java.util.concurrent.ForkJoinPool.awaitWork:1893'),
	],
	['no carrier is known', pinned().set(['mounted-1', 'mounted-2'], {alive: false})],
])('but not where %s', (_, drawing) => {
	expect(found(drawing.build())).toEqual([]);
});

/** A thread that waits for a connection of a full pool, called from this line. */
const borrower = (line: number) =>
	[
		'java.lang.Thread.run:840',
		`com.acme.Orders.load:${line}`,
		'com.zaxxer.hikari.HikariDataSource.getConnection:128',
		'com.zaxxer.hikari.util.ConcurrentBag.borrow:151',
		'java.util.concurrent.SynchronousQueue.poll:903',
		'java.util.concurrent.locks.LockSupport.parkNanos:252',
	].join(' | ');

test('threads that wait together are at the program\'s own line, and in what it called of a library or the JDK', () => {
	const drawing = new Picture();
	const draw = (name: string, line: number) =>
		drawing.draw(`${name} | t | ${borrower(line)}`).set(name, {sinceMs: 60_000});
	draw('request-1', 70);
	draw('request-2', 70);
	expect(found(drawing.build())).toEqual([
		'2 threads wait together at c.acme.Orders.load:70 via HikariDataSource.getConnection, up to 40s.',
	]);
	draw('request-3', 81);
	expect(findingsOf(drawing.build(), undefined, defaultQuery)).toMatchObject([
		{
			text:
				'3 threads wait together in HikariDataSource.getConnection, 2 of them at c.acme.Orders.load:70, up to 40s.',
			figures: {threads: 3, at: 'com.acme.Orders.load:70'},
		},
	]);
	expect(rowsAbout(drawing.build())).toEqual(['lines com.zaxxer.hikari.util.ConcurrentBag.borrow:151']);
	const asked = {...defaultQuery, app: ['com.zaxxer']};
	const [{text}] = findingsOf(drawing.build(), undefined, asked);
	expect(text).toMatch(/^3 threads wait together at \S*ConcurrentBag\.borrow:151 via SynchronousQueue\.poll/);
});

test.each([
	['a sleep ends by itself', 't', 'java.lang.Thread.sleep:509', 60_000, 0],
	['those who poll wait with a timeout', 't', 'java.lang.Object.wait:366', 29_999, 0],
	['a wait with a timeout that is longer', 't', 'java.lang.Object.wait:366', 30_000, 1],
	['a wait that nothing but others end', 'w', 'java.lang.Object.wait:366', 2000, 1],
])('three threads at one line: %s', (_, state, wait, stuckForMs, count) => {
	const drawing = new Picture();
	for (const name of ['feed-1', 'feed-2', 'feed-3']) {
		drawing.draw(`${name} | ${state} | com.acme.Feeds.next:12 | ${wait}`).set(name, {sinceMs: 100_000 - stuckForMs});
	}

	expect(found(drawing.build())).toHaveLength(count);
});

/** Four threads of a pool that wait for a server in a busy program, with what was read of the pool. */
function fullPool(values: Partial<PoolReading>, {thread = 't', stuckMs = 1000} = {}): Snapshot {
	const drawing = new Picture().draw('hot | R500 | work:1');
	for (let number = 1; number <= 4; number++) {
		const stack = 'java.util.concurrent.ThreadPoolExecutor.runWorker:1130 | com.acme.Db.load:33';
		drawing.draw(`http-${number} | ${thread} | ${stack} | java.lang.Thread.sleep:native`);
		drawing.set(`http-${number}`, {sinceMs: 100_000 - stuckMs});
	}

	const snapshot = drawing.build();
	const {lastSampleAtMs} = snapshot.session;
	const threads = [...snapshot.threads.key.subarray(0, snapshot.threads.count)].filter((_, index) =>
		snapshot.threads.name[index].startsWith('http'));
	return {
		...snapshot, pools: [poolReading({
			name: safe`http`,
			threads,
			active: 4,
			queued: 4,
			atMs: lastSampleAtMs,
			readMs: 60_000,
			fullSinceMs: lastSampleAtMs - 5000,
			...values,
		})],
	};
}

test('a pool that is full, with as many tasks queued, and whose threads wait is found, with their line', () => {
	expect(found(fullPool({}))).toEqual([
		'http has been full for 5s: 4 tasks wait for its 4 threads, which are at c.acme.Db.load:33 via Thread.sleep.',
	]);
	expect(found(fullPool({queued: 3, queueBound: 3}))[0]).toMatch(/: as many tasks as its queue holds, 3 tasks wait/);
	expect(rowsAbout(fullPool({}))).toContain('pools pool 1');
	const {lastSampleAtMs} = fullPool({}).session;
	for (const healthy of [
		{queued: 3},
		{fullSinceMs: lastSampleAtMs - 4900},
		{isCertain: false},
		{atMs: 1},
		{size: 1},
	]) {
		expect(found(fullPool(healthy))).toEqual([]);
	}

	expect(found(fullPool({}, {thread: 'R'}))).toEqual([]);
	expect(found(fullPool({}, {stuckMs: 900}))).toEqual([]);
});

test('a queue that grows is found, whatever its threads do, if they are all busy', () => {
	const growing = {queued: 3000, queuedGrowthPerMin: 60, fullSinceMs: 0};
	expect(found(fullPool(growing, {thread: 'R'}))).toEqual([
		'The queue of http grows: 3000 tasks, 1 more a second; all 4 threads are busy, most at c.acme.Db.load:33.',
	]);
	expect(found(fullPool({...growing, queueBound: 3600, size: 2, limit: 2}, {thread: 'R'}))).toEqual([
		expect.stringMatching(/^The queue of http grows: 3000 tasks, 1 more a second, full in 10m; both threads are busy/),
	]);
	const steadily = {...growing, queuedGrowthPerMin: 0, queuedSteadyGrowthPerMin: 16};
	expect(found(fullPool(steadily, {thread: 'R'}))).toEqual([
		expect.stringMatching(/^The queue of http grows: 3000 tasks, 16 more a minute; all 4 threads are busy/),
	]);
	for (const healthy of [
		{...steadily, queued: 3300},
		{...steadily, queued: 30, queuedSteadyGrowthPerMin: 11},
		{...growing, queuedGrowthPerMin: 59},
		{...growing, queued: 3001},
		{...growing, queuedGrowthPerMin: 0},
		{...growing, queuedGrowthPerMin: -1},
		{...growing, size: 3},
		{...growing, kind: 'forkjoin'},
	] as const) {
		expect(found(fullPool(healthy, {thread: 'R'}))).toEqual([]);
	}
});

test('the common pool is starved if its threads wait in tasks and others have been in its queue for a while', () => {
	const drawing = new Picture().draw('hot | R500 | work:1');
	const names = [1, 2].map(thread => `ForkJoinPool.commonPool-worker-${thread}`);
	const worker = 'java.util.concurrent.ForkJoinPool.runWorker:1623 | com.acme.Prices.ask:41';
	const starved = (values: Partial<PoolReading>, now = 't', waitMs = 80) => {
		for (const name of names) {
			const stack = now === '.' ? 'java.util.concurrent.ForkJoinPool.runWorker:1623' : worker;
			drawing.draw(`${name} | ${now === '.' ? 'w' : now} | ${stack} | java.lang.${now === '.' ? 'X.y' : 'Thread.sleep'}:9`);
			drawing.set(name, {sinceMs: 100_000 - waitMs});
		}

		const snapshot = drawing.build();
		const {session: {lastSampleAtMs}, threads: {name, key}} = snapshot;
		return found({
			...snapshot, pools: [poolReading({
				kind: 'forkjoin',
				name: safe`ForkJoinPool.commonPool-worker`,
				threads: names.map(each => key[name.indexOf(printable(each))]),
				size: 2,
				limit: 2,
				active: 2,
				queued: 7,
				atMs: lastSampleAtMs,
				readMs: 60_000,
				fullSinceMs: lastSampleAtMs - 13_000,
				...values,
			})],
		});
	};

	const {session: {lastSampleAtMs}} = drawing.build();
	expect(starved({})).toEqual([
		'Both threads of the common pool wait, 13s, at c.acme.Prices.ask:41 via Thread.sleep: '
		+ 'parallel streams and async tasks wait for it, 7 tasks queued.',
	]);
	for (const healthy of [{queued: 0}, {fullSinceMs: lastSampleAtMs - 4900}, {isCertain: false}]) {
		expect(starved(healthy)).toEqual([]);
	}

	expect(starved({}, 'R')).toEqual([]);
	expect(starved({}, '.')).toEqual([]);
});

test('a pool of connections that is used up is found, with the line that has most of them', () => {
	const drawing = new Picture().draw('hot | R500 | work:1').draw(`http-9 | t | ${borrower(70)}`);
	for (const name of ['http-1', 'http-2', 'http-3']) {
		drawing.draw(`${name} | t | com.acme.Dao.${name === 'http-3' ? 'save:50' : 'load:33'}`);
	}

	const snapshot = drawing.build();
	const {session: {lastSampleAtMs}, threads: {name, key}} = snapshot;
	const heldBy = (thread: string, seconds: number) =>
		({thread: key[name.indexOf(printable(thread))], sinceMs: lastSampleAtMs - (1000 * seconds)});
	const usedUp = (values: Partial<PoolReading>) => found({
		...snapshot, pools: [poolReading({
			kind: 'hikari',
			name: safe`orders-db`,
			size: 3,
			limit: 3,
			active: 3,
			queued: 1,
			atMs: lastSampleAtMs,
			readMs: 60_000,
			fullSinceMs: lastSampleAtMs - 2000,
			held: [heldBy('http-1', 12), heldBy('http-2', 7), heldBy('http-3', 42)],
			...values,
		})],
	});
	const start = 'Connection pool orders-db is used up, 2s: 1 thread waits for its 3 connections';
	expect(usedUp({})).toEqual([`${start}; 2 are held at c.acme.Dao.load:33, longest 12s.`]);
	expect(usedUp({held: [heldBy('http-3', 42)]})).toEqual([`${start}; http-3 has held one for 42s, at c.acme.Dao.save:50.`]);
	expect(usedUp({held: []})).toEqual([`${start}.`]);
	for (const healthy of [{queued: 0}, {fullSinceMs: lastSampleAtMs - 1900}, {isCertain: false}]) {
		expect(usedUp(healthy)).toEqual([]);
	}
});

test('a pool that waits for results of its own tasks says how many are queued', () => {
	const drawing = new Picture();
	const stack = 'java.util.concurrent.ThreadPoolExecutor.runWorker:1130 | com.acme.Job.run:7';
	drawing.draw(`own-1 | w | ${stack} | java.util.concurrent.FutureTask.get:190`).set('own-1', {sinceMs: 91_000});
	const snapshot = drawing.build();
	const pools = [poolReading({
		name: safe`own`, threads: [snapshot.threads.key[0]], size: 1, limit: 1, active: 1, queued: 12, atMs: 100_000,
		fullSinceMs: 10_000,
	})];
	expect(found({...snapshot, pools})).toEqual([
		expect.stringMatching(/^The only thread of own-\* waits for results .* other task, 12 tasks queued\.$/),
	]);
});

/** Two seconds in which `perS` exceptions and some bytes were recorded at two lines, three quarters at the first. */
function withEvents(perS: number): Snapshot {
	const builder = new SnapshotBuilder();
	const thread = builder.addThread({key: 1, name: safe`main`});
	const frame = (className: string, method: string, line: number) => builder.addFrame(className, method, '', line);
	const [price, render] = [frame('com.acme.Parse', 'price', 40), frame('com.acme.Api', 'render', 5)];
	const parse = frame('java.lang.Integer', 'parseInt', 652);
	const made = frame('java.lang.NumberFormatException', '<init>', -1);
	const atPrice = builder.addStack([made, parse, price]);
	const atRender = builder.addStack([frame('com.acme.NotFound', '<init>', -1), render]);
	for (let event = 0; event < 40; event++) {
		const isFirst = event % 4 > 0;
		builder.countEvent(thread, isFirst ? atPrice : atRender, 'exceptions', perS / 20);
		builder.countEvent(thread, builder.addStack(isFirst ? [render] : [price]), 'alloc', 2 ** 26);
	}

	builder.count(thread, builder.addStack([price]), stateCode.RUNNABLE, 100, 2e9);
	return builder.build({session: {durationMs: 2000, eventsMs: 2000, samples: 100}});
}

test('many exceptions are found, with the class and line of most', () => {
	expect(found(withEvents(999))).toEqual([]);
	const [finding] = findingsOf(withEvents(12_000), undefined, defaultQuery);
	expect(finding.text)
		.toBe('The program makes 12000 exceptions a second, 75% NumberFormatException at c.acme.Parse.price:40.');
	expect(finding).toMatchObject({
		id: 'exceptions',
		figures: {
			perS: 12_000, class: 'java.lang.NumberFormatException', at: 'com.acme.Parse.price:40', percent: 75,
		},
	});
	expect(rowsAbout(withEvents(12_000))).toEqual(['lines java.lang.Integer.parseInt:652']);
});

test('what the program allocates is found if collections stop it', () => {
	const snapshot = withEvents(100);
	expect(found(snapshot, {recentGcPercent: 4.9})).toEqual([]);
	expect(found(snapshot, {recentGcPercent: 5})).toEqual(['The program allocates 1.3G/s, 75% at c.acme.Api.render:5.']);
	expect(rowsAbout(snapshot, {recentGcPercent: 5})).toEqual(['lines com.acme.Api.render:5']);
});

/** Two seconds in which threads were started at a line, of which this many are alive; `recordedMs`: of these. */
function withStarts(started: number, alive: number, recordedMs = 2000): Snapshot {
	const builder = new SnapshotBuilder();
	const frame = (className: string, method: string, line: number) => builder.addFrame(className, method, '', line);
	const [start, run] = [frame('com.acme.Worker', 'start', 40), frame('com.acme.Worker', 'run', 9)];
	const addWorker = builder.addStack([frame('java.util.concurrent.ThreadPoolExecutor', 'addWorker', 945), start]);
	const main = builder.addThread({key: 1, name: safe`main`});
	builder.count(main, builder.addStack([start]), stateCode.RUNNABLE, 100, 1e9);
	for (let event = 0; event < started; event++) {
		builder.countEvent(main, addWorker, 'starts', 1);
	}

	// Others have been there all the time.
	for (let key = 2; key < alive + 20; key++) {
		const thread = builder.addThread({key, name: safe`worker-${key}`});
		builder.count(thread, builder.addStack([run]), stateCode.TIMED_WAITING, key < 20 ? 100 : 50, 0);
	}

	return builder.build({session: {durationMs: 2000, eventsMs: recordedMs, samples: 100}});
}

test('many starts of threads are found, with the line of most, and whether they end', () => {
	const [start, end] = ['The program starts', 'threads a second, 100% at c.acme.Worker.start:40'];
	const starts = (...values: Parameters<typeof withStarts>) =>
		found(withStarts(...values)).filter(text => text.startsWith(start));
	expect(starts(99, 99)).toEqual([]);
	expect(starts(100, 100)).toEqual([`${start} 50 ${end}; none ends.`]);
	expect(starts(100, 90)).toEqual([`${start} 50 ${end}; none ends.`]);
	expect(starts(100, 89)).toEqual([`${start} 50 ${end}; 11% have ended.`]);
	expect(starts(100, 11)).toEqual([`${start} 50 ${end}; 89% have ended.`]);
	expect(starts(100, 10)).toEqual([`${start} 50 ${end}; all end.`]);
	expect(starts(100, 0)).toEqual([`${start} 50 ${end}; all end.`]);
	// Too many threads may have begun before starts were recorded.
	expect(starts(100, 100, 1600)).toEqual([`${start} 63 ${end}; none ends.`]);
	expect(starts(100, 100, 1599)).toEqual([`${start} 63 ${end}.`]);
	const growing = findingsOf(withStarts(40, 40), undefined, defaultQuery, {
		vitals: {threadCount: 100, threadGrowthPerMin: 1200, uptimeMs: 1e6},
	});
	expect(growing).toContainEqual(expect.objectContaining({
		id: 'starts', figures: {perS: 20, at: 'com.acme.Worker.start:40', percent: 100, endedPercent: 0},
	}));
	expect(rowsAbout(withStarts(100, 100))).toContain('lines java.util.concurrent.ThreadPoolExecutor.addWorker:945');
});
