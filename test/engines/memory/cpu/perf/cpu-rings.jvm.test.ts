import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {monitorEventLoopDelay} from 'node:perf_hooks';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {openProcessClock} from '../../../../../source/jvm/threads/process-clock.js';
import {CpuRings, targetCpus} from '../../../../../source/engines/memory/cpu/perf/cpu-rings.js';
import {loadPerfCalls, type PerfCalls} from '../../../../../source/engines/memory/cpu/perf/perf-calls.js';
import {chooseTimer} from '../../../../../source/engines/memory/cpu/perf/choose.js';
import {CpuTimer} from '../../../../../source/engines/memory/cpu/perf/cpu-timer.js';
import {ThreadTimer} from '../../../../../source/engines/memory/cpu/perf/thread-timer.js';
import {type RecordedStacks} from '../../../../../source/engines/memory/cpu/perf/recorded-stack.js';
import {rawTarget} from '../../../../helpers/jvm.js';
import {javaForTest, closedAfterTest, spawnForTest} from '../../../../helpers/for-test.js';
import {until} from '../../../../helpers/until.js';
import {Observer} from '../../../observe.js';

const real = loadPerfCalls();
const periodNs = 1e7;
/** CPUs that this process may use: two of them take part. */
const [first, second] = targetCpus(real, process.pid);

function pin(tid: number, ...cpus: number[]): void {
	execFileSync('taskset', ['-p', '-c', cpus.join(','), String(tid)], {stdio: 'ignore'});
}

type Threads = Map<string, {usedNs: number; recordedNs: number; nativeId: number}>;

/** Threads by name with CPU time used and recorded, over this many records; up to 8 times as many until as wanted. */
async function observed(
	observer: Observer,
	records: number,
	isAsWanted: (threads: Threads) => boolean = () => true,
): Promise<Threads> {
	const threads: Threads = new Map();
	let count = 0;
	while (count < records || (count < 8 * records && !isAsWanted(threads))) {
		await sleep(20);
		for (const {name, nativeId, cpuNs, credits} of await observer.observe()) {
			const thread = threads.get(name) ?? {usedNs: 0, recordedNs: 0, nativeId};
			threads.set(name, thread);
			thread.usedNs += cpuNs;
			thread.recordedNs += credits.reduce((sum, credit) => sum + credit.cpuNs, 0);
			count += credits.length;
		}
	}

	return threads;
}

test('a thread pinned to a CPU outside the process\'s own mask has as many records as it uses CPU time', async () => {
	const java = await javaForTest('LeafCalls', {under: ['taskset', '-c', String(first)]});
	const observer = await Observer.open(java.pid, {timer: 'perf'});
	const threads = await observed(observer, 10);
	pin(threads.get('running-1')!.nativeId, second);
	// CPUs are read again every few seconds.
	await sleep(3000);
	await observed(observer, 10);
	const outOf = (threads: Threads) =>
		[...threads].filter(([name, {usedNs, recordedNs}]) =>
			name.startsWith('running-') && !(Math.abs((recordedNs / usedNs) - 1) < 0.3));
	expect(outOf(await observed(observer, 300, found => outOf(found).length === 0))).toEqual([]);
});

test('a CPU that the target may use from now on gets a ring, and one that it may use no more loses its own in time', async () => {
	const open = new Map<number, number>();
	const calls: PerfCalls = {
		...real,
		open(cpu, options) {
			const opened = real.open(cpu, options);
			if ('fd' in opened) {
				open.set(opened.fd, cpu);
			}

			return opened;
		},
		close(fd) {
			open.delete(fd);
			real.close(fd);
		},
	};
	const {pid} = spawnForTest('taskset', ['-c', String(first), 'sh', '-c', 'while :; do :; done'], {stdio: 'ignore'});
	await until(() => readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith('sh'));
	const rings = closedAfterTest(CpuRings.open(calls, pid, periodNs) as CpuRings);
	expect([...open.values()]).toEqual([first]);
	// One that is moved away for a moment may come back: its CPU keeps its ring.
	pin(pid, second);
	rings.updateCpus(performance.now() + 3000, false);
	expect(new Set(open.values())).toEqual(new Set([first, second]));
	for (const [later, cpus] of [[first, second], [second], [first]].entries()) {
		pin(pid, ...cpus);
		rings.updateCpus(performance.now() + (1e6 * (later + 1)), false);
		expect(new Set(open.values())).toEqual(new Set(cpus));
		rings.take();
		for (let count = 0; count < 10;) {
			// To and fro: the records of all rings are in the order of their times.
			for (const cpu of [...cpus, ...cpus, ...cpus]) {
				pin(pid, cpu);
				await sleep(20);
			}

			const times = rings.take().records.map(({timeNs}) => timeNs);
			expect(times).toEqual(times.toSorted((a, b) => a - b));
			count += times.length;
		}
	}

	expect(rings.unrecordedNote).toBe('');
});

test('records that come more rarely count for more: their sum stays the CPU time', async () => {
	const java = await javaForTest('LeafCalls', {under: ['taskset', '-c', String(first)]});
	const rings = closedAfterTest(CpuRings.open(real, java.pid, periodNs) as CpuRings);
	const clock = openProcessClock(java.pid)!;
	const shortNs = periodNs / 2;
	for (const times of [1, 4, 2]) {
		rings.setPeriod(times * shortNs);
		rings.take();
		const beforeNs = clock.readNs();
		let recordedNs = 0;
		let count = 0;
		while (count < 100) {
			await sleep(50);
			const {records, lost} = rings.take();
			expect(lost).toBe(0);
			count += records.length;
			recordedNs += records.reduce((sum, record) => sum + record.periodNs, 0);
		}

		expect(recordedNs).toBe(count * times * shortNs);
		// Where others use the CPU too, chance decides whom a record meets: four standard deviations of 100 records.
		const ratio = recordedNs / (clock.readNs() - beforeNs);
		expect(Math.abs(ratio - 1)).toBeLessThan(0.4);
	}
});

/** The calls as on a host with this many CPUs, each of which is one of the two that there are. */
function invented(count: number, sizes: number[] = []): PerfCalls {
	return {
		...real,
		affinity(_, into) {
			for (let cpu = 0; cpu < count; cpu++) {
				into[Math.floor(cpu / 8)] |= 1 << (cpu % 8);
			}

			return Math.ceil(count / 8);
		},
		open: (cpu, options) => real.open(cpu % 2 === 0 ? first : second, options),
		mapRing(fd, bytes) {
			sizes.push(bytes);
			return real.mapRing(fd, bytes);
		},
	};
}

test.each([17, 300])(
	'%i CPUs: each has a ring, 64 MB in all, and no record is lost while nobody takes any for seconds',
	async count => {
		const sizes: number[] = [];
		const java = await javaForTest('LeafCalls');
		// As many records in all as 17 CPUs have.
		const rareNs = periodNs * count / 17;
		const rings = closedAfterTest(CpuRings.open(invented(count, sizes), java.pid, rareNs) as CpuRings);
		expect(sizes).toHaveLength(count);
		expect(sizes.reduce((sum, bytes) => sum + bytes - 4096, 0)).toBeLessThanOrEqual(64 << 20);
		// Rings of the first CPUs may have run over while those of the last were opened.
		rings.take();
		const clock = openProcessClock(java.pid)!;
		const beforeNs = clock.readNs();
		const stalls = monitorEventLoopDelay({resolution: 5});
		stalls.enable();
		await sleep(2000);
		const {records, lost} = rings.take();
		stalls.disable();
		// The rings are emptied twice in the time that they last for, where this process gets a CPU when it wants one.
		if (stalls.max < rings.ringRecords * rareNs / 2) {
			expect(lost).toBe(0);
		}

		expect(records.every(({pid}) => pid === java.pid)).toBe(true);
		// Half of the events are on the CPU that a thread runs on. On a busy machine chance needs time to even out.
		let recorded = records.length;
		const wanted = () => 0.7 * (clock.readNs() - beforeNs) / rareNs * Math.floor(count / 2);
		for (let again = 0; again < 20 && recorded <= wanted(); again++) {
			await sleep(500);
			recorded += rings.take().records.length;
		}

		expect(recorded).toBeGreaterThan(wanted());
	},
);

test('more CPUs than there is memory for: none has a ring at first; those that come later and have none are named', () => {
	let cpus = 513;
	const calls: PerfCalls = {...invented(0), affinity: (tid, into) => invented(cpus).affinity(tid, into)};
	expect(CpuRings.open(calls, process.pid, 1e9)).toBe('more than 512 CPUs');
	cpus = 512;
	const rings = closedAfterTest(CpuRings.open(calls, process.pid, 1e9) as CpuRings);
	expect(rings.unrecordedNote).toBe('');
	for (
		const [later, [more, unrecorded]]
		of ([
			[514, 'CPU 512, 513'],
			[530, 'CPU 512, 513, 514, 515, 516, 517, 518, 519 and 10 others'],
			[512, ''],
		] as const).entries()
	) {
		cpus = more;
		rings.updateCpus(performance.now() + (1e6 * (later + 1)), false);
		expect(rings.unrecordedNote).toBe(unrecorded && `threads on ${unrecorded} have no records: more than 512 CPUs`);
	}
});

test('where events on CPUs are refused and those on threads are not, a note says what is missed, and why', () => {
	const refusing: PerfCalls = {...real, open: (id, options) => options.ofCpu ? {errno: 24} : real.open(id, options)};
	const choose = (calls: PerfCalls) =>
		chooseTimer(calls, rawTarget(process.pid), {depth: 1, timer: 'perf'}, {} as RecordedStacks);
	const {perf, note} = choose(refusing);
	perf?.release();
	expect([perf instanceof ThreadTimer, note]).toEqual([
		true,
		'threads that live for milliseconds have no records, as events on CPUs are refused: no more files may be opened (ulimit -n)',
	]);
	const best = choose(real);
	best.perf?.release();
	expect([best.perf instanceof CpuTimer, best.note]).toEqual([true, undefined]);
});
