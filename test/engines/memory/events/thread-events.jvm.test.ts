import {constants} from 'node:os';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import {loadPerfCalls, type BreakpointCalls} from '../../../../source/engines/memory/cpu/perf/perf-calls.js';
import {ThreadEvents} from '../../../../source/engines/memory/events/thread-events.js';
import {eventKinds, observationsOf} from '../../../../source/model/schema.js';
import {openJvm} from '../../../../source/engines/memory/open.js';
import {closedAfterTest, javaForTest, spawnForTest} from '../../../helpers/for-test.js';
import {isNewestOrAskedFor, jdks, type JavaProcess} from '../../../helpers/jvm.js';
import {cli, runCli} from '../../../helpers/run.js';
import {sum} from '../../../helpers/sum.js';
import {until, untilAsync} from '../../../helpers/until.js';
import {Names, Observer} from '../../observe.js';

const methods = ['small', 'middle', 'large'] as const;

/** Megabytes a second of the program's two threads: so few that each event can be recorded. */
const rates = ['60', '10'];

/** What the program says of its two threads: the bytes of each method, and what ThreadMXBean says of all. */
async function told(java: JavaProcess): Promise<ReadonlyArray<{readonly all: number; readonly of: readonly number[]}>> {
	const numbers = await numbersOf(java);
	return [0, 4].map(at => ({all: numbers[at + 3], of: numbers.slice(at, at + 3)}));
}

/** The numbers of the line that a program prints when it is asked. */
async function numbersOf(java: JavaProcess): Promise<number[]> {
	const before = java.output().length;
	java.child.stdin!.write('\n');
	await until(() => java.output().slice(before).endsWith('\n'));
	return java.output().slice(before).trim().split(' ').map(Number);
}

/** Bytes by the innermost frame, of each thread. */
type Sums = ReadonlyMap<string, ReadonlyMap<string, number>>;

/**
Takes samples until the condition holds; gives the bytes of their events, and how many events of equal size with a stack
would tell as much as these.
*/
async function allocatedUntil(
	{session, sample, names}: Observer,
	isEnough: (events: number) => boolean,
): Promise<{readonly sums: Sums; readonly events: number}> {
	const sums = new Map<string, Map<string, number>>();
	let [kilobytes, squared] = [0, 0];
	do {
		await sleep(20);
		expect(await session.sample(sample)).toMatchObject({ok: true});
		const {count, row, amount, squares, stackStart, stackLength} = sample.events;
		for (let at = 0; at < count; at++) {
			const top = stackLength[at] === 0 ? '' : names.frames[sample.frames[stackStart[at]]];
			const ofThread = sums.get(sample.name[row[at]]) ?? new Map<string, number>();
			sums.set(sample.name[row[at]], ofThread);
			ofThread.set(top, (ofThread.get(top) ?? 0) + amount[at]);
			if (!top.startsWith('(')) {
				kilobytes += amount[at] / 1000;
				squared += squares[at];
			}
		}
	} while (!isEnough(observationsOf(kilobytes, squared)));

	return {sums, events: observationsOf(kilobytes, squared)};
}

/** Shares of what has a line: of the program's methods, and of all others. */
function sharesOf(bytesByFrame: ReadonlyMap<string, number>) {
	const known = [...bytesByFrame].filter(([frame]) => !frame.startsWith('(unattributed'));
	const whole = sum(known.map(([, bytes]) => bytes));
	const of = methods.map(method =>
		sum(known.filter(([frame]) => frame.includes(`Allocator.${method}:`)).map(([, bytes]) => bytes)) / whole);
	return {of, elsewhere: 1 - sum(of)};
}

test('of a burst all lines are seen, though the ring has no room for all its events', async () => {
	const java = await javaForTest('AllocatesInBursts', {jvmArgs: ['-XX:+UseSerialGC', '-Xmx64m']});
	const observer = await Observer.open(java.pid, {timer: 'perf', events: ['alloc'], maxOverheadPercent: 100});
	const startMs = performance.now();
	// From the first burst it is known how large they are.
	await allocatedUntil(observer, () => performance.now() - startMs > 2500);
	const {sums} = await allocatedUntil(observer, events => events >= 100);
	const known = [...sums.get('main')!].filter(([frame]) => !frame.startsWith('('));
	const whole = sum(known.map(([, bytes]) => bytes));
	for (const method of ['first', 'second', 'third']) {
		const bytes = sum(known.filter(([frame]) => frame.includes(`InBursts.${method}:`)).map(([, each]) => each));
		// Of 100 events a third is at most 18 points off in all but one of 10,000 runs.
		expect(Math.abs((bytes / whole) - (1 / 3)), `${method}: ${bytes} of ${whole}`).toBeLessThan(0.2);
	}
});

const waysToRun = [
	{flags: ['-XX:+UseSerialGC', '-Xmx96m'], on: () => true},
	{flags: ['-XX:+UseG1GC', '-Xmx96m'], on: isNewestOrAskedFor},
	{flags: ['-XX:+UseParallelGC', '-Xmx96m'], on: isNewestOrAskedFor},
	{flags: ['-XX:+UseZGC', '-Xmx400m'], on: (release: number) => release >= 17 && isNewestOrAskedFor(release)},
	{flags: ['-Xint', '-XX:+UseSerialGC', '-Xmx96m'], on: isNewestOrAskedFor},
	{
		flags: ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx96m'],
		on: isNewestOrAskedFor,
	},
];

describe.each(jdks().flatMap(jdk =>
	waysToRun.filter(({on}) => on(jdk.release)).map(({flags}) => ({jdk, flags, release: jdk.release}))))(
	'JDK $release $flags',
	({jdk, flags}) => {
		test('bytes count at the lines that allocate them, and of a thread all that it counts itself', async () => {
			const java = await javaForTest('KnownAllocations', {jdk, jvmArgs: flags, args: rates});
			const observer = await Observer.open(java.pid, {timer: 'perf', events: ['alloc'], maxOverheadPercent: 100});
			// The first events come once it is known which threads allocate.
			await allocatedUntil(observer, events => events > 0);
			// Sums are read in a sample that comes long enough after the last one that read them.
			const beforeAtLeast = await told(java);
			await sleep(250);
			await observer.session.sample(observer.sample);
			const beforeAtMost = await told(java);
			const {sums} = await allocatedUntil(observer, events => events >= 250);
			const afterAtLeast = await told(java);
			await sleep(250);
			const last = await allocatedUntil(observer, () => true);
			const afterAtMost = await told(java);
			for (const [index, thread] of ['fast', 'slow'].entries()) {
				const all = sum([sums, last.sums].flatMap(each => [...each.get(thread)?.values() ?? []]));
				expect(all).toBeGreaterThanOrEqual(afterAtLeast[index].all - beforeAtMost[index].all);
				expect(all).toBeLessThanOrEqual(afterAtMost[index].all - beforeAtLeast[index].all);
			}

			const shares = sharesOf(sums.get('fast')!);
			const program = afterAtLeast[0].of.map((bytes, at) => bytes - beforeAtMost[0].of[at]);
			for (const [at, method] of methods.entries()) {
				// Of 250 events a share of two thirds is at most 12 points off in all but one of 10,000 runs.
				expect(Math.abs(shares.of[at] - (program[at] / sum(program))), method).toBeLessThan(0.145);
			}

			expect(shares.elsewhere).toBeLessThan(0.05);
			expect(observer.session.eventsRefusal).toBeUndefined();
			expect(observer.session.eventsNote).toMatch(/^costs \d+ us an event, \d+(?:\.\d)? events\/s(?:, recorded \d+% of the time)?$/);
		});
	},
);

/** Events of a kind that counts, and how many more one event has stood for than itself, squared. */
type Counted = {count: number; squares: number};

/** Adds the exceptions and starts of threads that a sample has, by their innermost frames. */
function addCounts(counts: Map<string, Counted>, {sample: {events, frames}, names}: Observer): void {
	for (let at = 0; at < events.count; at++) {
		if (eventKinds[events.kind[at]] !== 'alloc') {
			const start = events.stackStart[at];
			const stack = [...frames.subarray(start, start + events.stackLength[at])].map(frame => names.frames[frame]);
			const own = stack.find(frame => frame.startsWith('KnownExceptions.'));
			const isOfExecutor = stack[0]?.startsWith('java.util.concurrent.ThreadPoolExecutor.addWorker:');
			const where = isOfExecutor ? `executor ${own}` : stack.slice(0, 2).join(' ');
			const sums = counts.get(where) ?? {count: 0, squares: 0};
			counts.set(where, sums);
			sums.count += events.amount[at];
			sums.squares += events.squares[at] - events.amount[at];
		}
	}
}

describe.each(jdks().filter(({release}) => isNewestOrAskedFor(release) || release === 17))('JDK $release', jdk => {
	test.each([[[]], [['-Xint']]])('exceptions and starts count at the lines that made them %j', async jvmArgs => {
		const java = await javaForTest('KnownExceptions', {jdk, jvmArgs});
		const observer = await Observer.open(java.pid, {
			timer: 'perf', events: eventKinds, maxOverheadPercent: 100,
		});
		const next = async (counts: Map<string, Counted>) => {
			await sleep(20);
			expect(await observer.session.sample(observer.sample)).toMatchObject({ok: true});
			addCounts(counts, observer);
		};

		const first = new Map<string, Counted>();
		await untilAsync(async () => {
			await next(first);
			return first.size === 4;
		});
		const counts = new Map<string, Counted>();
		const beforeAtLeast = await numbersOf(java);
		await sleep(250);
		await next(first);
		const beforeAtMost = await numbersOf(java);
		while (sum([...counts.values()].map(({count}) => count)) < 400) {
			await next(counts);
		}

		const afterAtLeast = await numbersOf(java);
		await sleep(250);
		await next(counts);
		const afterAtMost = await numbersOf(java);
		const where = [
			'KnownExceptions$NotFound.<init>:-1 KnownExceptions.find:33',
			'KnownExceptions$Rejected.<init>:-1 KnownExceptions$Order.<init>:40',
			'',
			'KnownExceptions.start:89 KnownExceptions.startAll:100',
			'executor KnownExceptions.submit:93',
		];
		expect([...counts.keys()].toSorted()).toEqual(where.filter(Boolean));
		for (const [at, each] of where.entries()) {
			const sums = counts.get(each);
			if (sums) {
				// On a busy machine an event may stand for several: four standard deviations.
				// The program counts a moment later what it has made.
				const byChance = (4 * Math.sqrt(sums.squares)) + 1;
				expect(sums.count).toBeGreaterThanOrEqual((0.99 * (afterAtLeast[at] - beforeAtMost[at])) - byChance);
				expect(sums.count).toBeLessThanOrEqual((1.01 * (afterAtMost[at] - beforeAtLeast[at])) + byChance);
			}
		}

		// The program has made as many without a stack trace as of the first class.
		expect(afterAtMost[2]).toBeGreaterThan(0);
	});
});

test('with more threads than breakpoints, who starts threads is found, and the number without is said', async () => {
	const java = await javaForTest('KnownExceptions', {args: ['40']});
	const observer = await Observer.open(java.pid, {timer: 'perf', events: eventKinds, maxOverheadPercent: 100});
	const counts = new Map<string, Counted>();
	await untilAsync(async () => {
		await sleep(20);
		await observer.session.sample(observer.sample);
		addCounts(counts, observer);
		return [...counts.keys()].some(where => where.startsWith('KnownExceptions.start:'));
	});
	await untilAsync(async () => {
		await observer.session.sample(observer.sample);
		return /, \d+ threads not: only 21 at a time$/.test(observer.session.eventsNote ?? '');
	});
});

test('of a thread that allocates as fast as it can, events are recorded for a part of the time', async () => {
	const java = await javaForTest('KnownAllocations', {jvmArgs: ['-XX:+UseSerialGC', '-Xmx300m'], args: ['0', '1']});
	const observer = await Observer.open(java.pid, {timer: 'perf', events: ['alloc'], maxOverheadPercent: 2});
	await untilAsync(async () => {
		await allocatedUntil(observer, () => true);
		return /, recorded \d+% of the time$/.test(observer.session.eventsNote ?? '');
	});
	const {sums} = await allocatedUntil(observer, events => events >= 250);
	const {of: [small, middle], elsewhere} = sharesOf(sums.get('fast')!);
	// Of these methods' bytes the program allocates five sevenths at the first.
	expect(Math.abs((small / (small + middle)) - (5 / 7))).toBeLessThan(0.145);
	expect(elsewhere).toBeLessThan(0.05);
});

test('reports have bytes by line and by thread, and say what events cost', async () => {
	const java = await javaForTest('KnownAllocations', {args: rates});
	const {stdout} = await runCli('-d', '3', '--events', 'alloc', '-b', '--format', 'json', String(java.pid));
	const {eventsMs, notes, lines, threads} = JSON.parse(stdout) as {
		readonly eventsMs: number;
		readonly notes: readonly string[];
		readonly lines: ReadonlyArray<{readonly method: string; readonly allocBytes?: number}>;
		readonly threads: ReadonlyArray<{readonly name: string; readonly allocBytes?: number}>;
	};
	expect(eventsMs).toBeGreaterThan(0);
	expect(notes.find(note => note.startsWith('events: '))).toMatch(/^events: costs \d+ us an event/);
	expect(threads.find(({name}) => name === 'fast')!.allocBytes).toBeGreaterThan(0);
	expect(lines.find(({method}) => method === 'small')!.allocBytes).toBeGreaterThan(0);
	const collapsed = await runCli('-d', '2', '--measure', 'alloc', '-b', '--format', 'collapsed', String(java.pid));
	const bytes = [...collapsed.stdout.matchAll(/Allocator\.run:\d+;KnownAllocations\$Allocator\.small:\d+ (\d+)$/gm)];
	expect(sum(bytes.map(([, count]) => Number(count)))).toBeGreaterThan(1e6);
	const explained = await runCli('explain', String(java.pid), '--events', 'alloc', '--duration', '2');
	expect(explained.stdout).toMatch(/allocate most\n[^]*^(?:\| \d+(?:\.\d)? ){2}\| \S+M \| `KnownAllocations\$Allocator\.\w+:\d+` \|$/m);
});

/** Addresses in a thread that nobody writes to. */
const unused = [0x10_00, 0x20_00, 0x30_00, 0x40_00];

/** Takes breakpoints of a thread, as a debugger does; gives how many there were. */
function takeBreakpoints(calls: BreakpointCalls, tid: number): {readonly count: number; close(): void} {
	const opened = unused.map(address => calls.openBreakpoint(tid, {address, stackBytes: 0}));
	const fds = opened.flatMap(each => 'fd' in each ? [each.fd] : []);
	return {
		count: fds.length,
		close() {
			for (const fd of fds) {
				calls.close(fd);
			}
		},
	};
}

async function nativeIdOf(pid: number, name: string): Promise<number> {
	const observer = await Observer.open(pid);
	const threads = await observer.observe();
	await observer.close();
	return threads.find(thread => thread.name === name)!.nativeId;
}

describe('breakpoints', () => {
	test('that a debugger has are said, and left to it', async () => {
		const java = await javaForTest('KnownAllocations', {args: rates});
		const calls = loadPerfCalls();
		const tid = await nativeIdOf(java.pid, 'fast');
		const taken = closedAfterTest(takeBreakpoints(calls, tid));
		expect(taken.count).toBe(4);
		const observer = await Observer.open(java.pid, {timer: 'perf', events: ['alloc']});
		await untilAsync(async () => {
			await allocatedUntil(observer, () => true);
			return observer.session.eventsNote?.includes(', 1 thread not: a debugger') ?? false;
		});
		const {sums} = await allocatedUntil(observer, events => events > 3);
		expect([...sums.get('fast')!.keys()].filter(frame => !frame.startsWith('(unattributed'))).toEqual([]);
	});

	test('are all free again when events are no longer recorded, and after kill -9', async () => {
		const java = await javaForTest('KnownAllocations', {args: rates});
		const calls = loadPerfCalls();
		const tid = await nativeIdOf(java.pid, 'fast');
		const free = () => {
			const taken = takeBreakpoints(calls, tid);
			taken.close();
			return taken.count;
		};

		const observer = await Observer.open(java.pid, {timer: 'perf', events: ['alloc']});
		await allocatedUntil(observer, events => events > 0);
		expect(free()).toBe(3);
		observer.session.setEvents!([]);
		expect(free()).toBe(4);
		await allocatedUntil(observer, () => true);
		expect(free()).toBe(4);
		expect(observer.session.eventsNote).toBeUndefined();
		for (let times = 0; times < 5; times++) {
			const own = spawnForTest(
				process.execPath,
				[cli, String(java.pid), '--events', 'alloc', '-b', '-d', '60'],
				{stdio: 'ignore'},
			);
			await until(() => free() === 3);
			await sleep(100 * Math.random());
			own.kill('SIGKILL');
			await until(() => free() === 4);
		}

		await told(java);
	});

	test.each([
		['EACCES', /^kernel\.perf_event_paranoid .* forbids it; run as root, or set it to 2$/],
		['EPERM', /seccomp/],
		['ENOSYS', /seccomp/],
		['ENOSPC', /^a debugger uses the processor's breakpoints$/],
	] as const)('that are refused with %s are said in a line', async (error, line) => {
		const java = await javaForTest('KnownAllocations', {args: rates});
		const jvm = openJvm(java.pid, new Names());
		const calls: BreakpointCalls = {...jvm.perf, openBreakpoint: () => ({errno: constants.errno[error]})};
		expect(ThreadEvents.start(calls, jvm, undefined as never, {kinds: ['alloc'], maxOverheadPercent: 2})).toMatch(line);
		jvm.memory.close();
	});
});
