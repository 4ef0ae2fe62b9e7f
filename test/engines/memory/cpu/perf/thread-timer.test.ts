import {constants} from 'node:os';
import process from 'node:process';
import {describe, expect, test} from 'vitest';
import {ThreadTimer} from '../../../../../source/engines/memory/cpu/perf/thread-timer.js';
import {allowedEvents} from '../../../../../source/engines/memory/cpu/perf/choose.js';
import {pageBytes, type PerfCalls} from '../../../../../source/engines/memory/cpu/perf/perf-calls.js';
import {monotonicNs} from '../../../../../source/engines/memory/cpu/perf/perf-timer.js';
import {RecordedStack, type RecordedStacks} from '../../../../../source/engines/memory/cpu/perf/recorded-stack.js';
import {noIdentity} from '../../../../../source/engines/memory/hotspot/thread-object.js';
import {JavaThread, notWaiting} from '../../../../../source/engines/memory/threads/java-thread.js';
import {stateCode} from '../../../../../source/model/thread-state.js';
import {emptyBlock, javaThreadState} from '../../../../../source/engines/memory/hotspot/thread-block.js';
import {lostBytes, sampleBytes} from './write-records.js';

const {errno} = constants;
const periodNs = 10e6;

/** A kernel with limits, which are the user's and cannot be reached here for real. Reading an unmapped ring throws. */
class Kernel implements PerfCalls {
	readonly rings = new Map<number, ArrayBuffer>();
	readonly periods = new Map<number, number>();
	#fd = 100;

	constructor(readonly limits: {
		readonly bytes?: number;
		readonly events?: number;
		readonly withoutKernel?: boolean;
		readonly refusal?: number;
	} = {}) {}

	get bytes(): number {
		return [...this.rings.values()].reduce((sum, ring) => sum + ring.byteLength, 0);
	}

	open(tid: number, {periodNs, withKernel}: {periodNs: number; withKernel: boolean}) {
		const {refusal, withoutKernel, events = Infinity} = this.limits;
		if (refusal !== undefined || (withoutKernel && withKernel)) {
			return {errno: refusal ?? errno.EACCES};
		}

		if (tid === 404) {
			return {errno: errno.ESRCH};
		}

		if (this.periods.size >= events) {
			return {errno: errno.EMFILE};
		}

		this.periods.set(++this.#fd, periodNs);
		return {fd: this.#fd};
	}

	setPeriod(fd: number, periodNs: number): void {
		this.periods.set(fd, periodNs);
	}

	affinity(): number {
		return 0;
	}

	mapRing(fd: number, bytes: number) {
		if (this.bytes + bytes > (this.limits.bytes ?? Infinity)) {
			return {errno: errno.EPERM};
		}

		const memory = new ArrayBuffer(bytes);
		this.rings.set(fd, memory);
		return {memory, address: memory};
	}

	unmap({memory}: {memory: ArrayBuffer}): void {
		const [fd] = [...this.rings].find(([, ring]) => ring === memory)!;
		this.rings.delete(fd);
		structuredClone(memory, {transfer: [memory]});
	}

	close(fd: number): void {
		this.periods.delete(fd);
	}

	/** The thread is interrupted this many times, after those that are lost. */
	record(fd: number, tid: number, count: number, lost = 0): void {
		const memory = this.rings.get(fd)!;
		const words = new BigUint64Array(memory, 0, pageBytes / 8);
		const bytes = sampleBytes({
			tid, timeNs: monotonicNs(), reserved: 64, stack: new Uint8Array(8), registers: {
				rax: 0, rbx: 0, fp: 0, sp: 0, pc: 0, r13: 0,
			},
		});
		for (const record of [...(lost > 0 ? [lostBytes(lost)] : []), ...Array.from({length: count}, () => bytes)]) {
			new Uint8Array(memory, pageBytes).set(record, Number(words[1024 / 8]));
			words[1024 / 8] += BigInt(record.length);
		}
	}
}

function thread(nativeId: number, cpuMs = 5): JavaThread {
	const java = new JavaThread(nativeId * 4096, {...emptyBlock(), state: javaThreadState.blocked}, nativeId);
	java.presence.setExists(true);
	java.cpu.setUsed(cpuMs * 1e6);
	return java;
}

/** Everything about the thread has been read, and it uses no more CPU time. */
function settle(java: JavaThread): void {
	java.place.setMoved(false);
	java.cpu.setUsed(0, true);
	java.description.setIdentity({...noIdentity, id: 1}, 0);
	java.description.setState(stateCode.WAITING, true);
	java.state.setState(stateCode.WAITING, true);
	java.lock.setLock(notWaiting);
	expect(java.isSettled).toBe(true);
}

/** A timer; no record is walked here. */
const timerOf = (kernel: Kernel) => new ThreadTimer(kernel, {} as RecordedStacks, {withKernel: true, periodNs});

const eventsOf = (followed: ThreadTimer, threads: readonly JavaThread[]) =>
	threads.filter(java => followed.of(java)?.event).length;

describe('who has an event', () => {
	test('a thread that uses CPU time, at once or within a second, until it uses none for two', () => {
		const kernel = new Kernel();
		const followed = timerOf(kernel);
		const [ended, busy, slow, inactive] = [thread(404), thread(1), thread(2, 0.2), thread(3, 0)];
		for (let step = 0; step < 4; step++) {
			followed.update([ended, busy, slow, inactive], step * 20);
			expect(eventsOf(followed, [ended])).toBe(0);
			expect([busy, slow, inactive].map(java => followed.of(java)?.event !== undefined)).toEqual([
				true,
				false,
				false,
			]);
		}

		followed.update([busy, slow, inactive], 80);
		expect(eventsOf(followed, [busy, slow, inactive])).toBe(2);
		busy.cpu.setUsed(0);
		for (let ms = 100; ms <= 5000; ms += 20) {
			followed.update([busy, slow], ms);
		}

		expect([followed.of(busy), eventsOf(followed, [slow])]).toEqual([undefined, 1]);
		followed.update([], 5020);
		expect([kernel.periods.size, kernel.rings.size]).toEqual([0, 0]);
	});

	test('it says so while it has one, and keeps it while records of it are to be counted', () => {
		const followed = timerOf(new Kernel());
		const java = thread(1);
		followed.update([java], 0);
		expect(java.records.isRecorded).toBe(true);
		java.cpu.setUsed(0);
		followed.of(java)!.newStacks = [new RecordedStack()];
		followed.update([java], 20);
		followed.update([java], 5000);
		expect(java.records.isRecorded).toBe(true);
		followed.of(java)!.newStacks = [];
		followed.update([java], 5020);
		expect([java.records.isRecorded, followed.of(java)]).toEqual([false, undefined]);
		java.cpu.setUsed(5e6);
		followed.update([java], 5040);
		followed.release();
		expect(java.records.isRecorded).toBe(false);
	});

	test('what a thread used before it settled counts for an event within a second, and is forgotten after three', () => {
		const followed = timerOf(new Kernel());
		const [java, ended] = [thread(1, 0.6), thread(2, 0.6)];
		followed.update([java, ended], 0);
		settle(java);
		followed.update([], 500);
		expect([followed.of(java)?.event, followed.of(ended)]).toEqual([undefined, undefined]);
		java.cpu.setUsed(0.6e6);
		followed.update([java], 900);
		expect(java.records.isRecorded).toBe(true);
		const rare = thread(3, 0.6);
		followed.update([rare], 1000);
		settle(rare);
		for (let ms = 1020; ms < 4200; ms += 20) {
			followed.update([], ms);
		}

		expect(followed.of(rare)).toBe(undefined);
	});

	test('many threads have smaller rings, all within 16 MB; where less may be locked, as many as fit, and the rest none', () => {
		const threads = Array.from({length: 1000}, (_, index) => thread(index + 1000));
		const kernel = new Kernel();
		const followed = timerOf(kernel);
		followed.update(threads, 0);
		expect(eventsOf(followed, threads)).toBe(512);
		expect(kernel.bytes).toBeLessThan(16 * 1024 * 1024);
		const poor = new Kernel({bytes: 9_200_000});
		const few = timerOf(poor);
		few.update(threads, 0);
		expect(eventsOf(few, threads)).toBeGreaterThan(150);
		expect(poor.bytes).toBeLessThanOrEqual(9_200_000);
		followed.release();
		expect([kernel.periods.size, kernel.rings.size, eventsOf(followed, threads)]).toEqual([0, 0, 0]);
	});

	test('where large rings leave no room for others, all get smaller ones; who finds none even so is counted, and why', () => {
		const threads = Array.from({length: 40}, (_, index) => thread(index + 1));
		const kernel = new Kernel({bytes: 1_056_768});
		const followed = timerOf(kernel);
		followed.update(threads, 0);
		expect(eventsOf(followed, threads)).toBeLessThan(10);
		expect(followed.unrecordedNote)
			.toMatch(/^3\d threads have no records: too little memory may be locked \(ulimit -l\)$/);
		followed.update(threads, 20);
		followed.update(threads, 40);
		expect([eventsOf(followed, threads), followed.unrecordedNote]).toEqual([40, '']);
		const more = [...threads, ...Array.from({length: 60}, (_, index) => thread(index + 41))];
		followed.update(more, 60);
		expect(followed.unrecordedNote)
			.toBe(`${100 - eventsOf(followed, more)} threads have no records: too little memory may be locked (ulimit -l)`);
		followed.update(threads.slice(0, 1), 80);
		expect(followed.unrecordedNote).toBe('');
		const limited = timerOf(new Kernel({events: 7}));
		const others = Array.from({length: 40}, (_, index) => thread(index + 1));
		limited.update(others, 0);
		limited.update(others, 20);
		expect([eventsOf(limited, others), limited.unrecordedNote]).toEqual([
			7,
			'33 threads have no records: no more files may be opened (ulimit -n)',
		]);
	});

	test('the first record counts for a period, those before it is set for the first part, later ones for a period; those lost count with the others', () => {
		const kernel = new Kernel();
		const followed = timerOf(kernel);
		const java = thread(1);
		followed.update([java], 0);
		const event = followed.of(java)!.event!;
		const [fd] = kernel.periods.keys();
		const first = kernel.periods.get(fd)!;
		expect(first).toBeGreaterThanOrEqual(periodNs / 8);
		expect(first).toBeLessThanOrEqual(periodNs);
		kernel.record(fd, 1, 3);
		expect(event.take().map(record => record.periodNs)).toEqual([periodNs, first, first]);
		expect(kernel.periods.get(fd)).toBe(periodNs);
		kernel.record(fd, 1, 2);
		expect(event.take().map(record => record.periodNs)).toEqual([periodNs, periodNs]);
		kernel.record(fd, 1, 2, 3);
		expect(event.take().map(record => record.periodNs)).toEqual([2.5 * periodNs, 2.5 * periodNs]);
	});

	test('records become rarer by longer periods: those before count for the period before', () => {
		const kernel = new Kernel();
		const followed = timerOf(kernel);
		const [recorded, fresh] = [thread(1), thread(2)];
		followed.update([recorded], 0);
		const {event} = followed.of(recorded)!;
		const [fd] = kernel.periods.keys();
		kernel.record(fd, 1, 1);
		event!.take();
		kernel.record(fd, 1, 2);
		followed.recordEvery(4);
		expect(kernel.periods.get(fd)).toBe(4 * periodNs);
		kernel.record(fd, 1, 1);
		expect(event!.take().map(record => record.periodNs)).toEqual([periodNs, periodNs, 4 * periodNs]);
		// An event that has no record yet keeps its first period until then.
		followed.update([recorded, fresh], 10);
		const freshFd = [...kernel.periods.keys()].at(-1)!;
		followed.recordEvery(2);
		expect(kernel.periods.get(freshFd)).toBeLessThanOrEqual(4 * periodNs);
		kernel.record(freshFd, 2, 1);
		expect(followed.of(fresh)!.event!.take().map(record => record.periodNs)).toEqual([2 * periodNs]);
		expect([...kernel.periods.values()]).toEqual([2 * periodNs, 2 * periodNs]);
	});
});

test.each([
	[{}, {withKernel: true}],
	[{withoutKernel: true}, {withKernel: false}],
	[{refusal: errno.EACCES}, {refusal: expect.stringContaining('kernel.perf_event_paranoid') as string}],
	[{refusal: errno.EPERM}, {refusal: expect.stringContaining('seccomp') as string}],
	[{refusal: errno.ENOSYS}, {
		refusal: 'a system call filter (seccomp, as is usual in containers), or a kernel without perf events',
	}],
	[{events: 0}, {refusal: 'no more files may be opened (ulimit -n)'}],
	[{bytes: 0}, {refusal: expect.stringContaining('ulimit -l') as string}],
])('where the kernel answers %j, events are %j', (limits, allowed) => {
	const kernel = new Kernel(limits);
	expect(allowedEvents(kernel, process.pid)).toEqual(allowed);
	expect([kernel.periods.size, kernel.rings.size]).toEqual([0, 0]);
});
