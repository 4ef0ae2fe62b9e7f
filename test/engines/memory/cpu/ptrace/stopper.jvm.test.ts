import {readFileSync} from 'node:fs';
import {constants} from 'node:os';
import {beforeAll, beforeEach, describe, expect, test, vi} from 'vitest';
import {loadPtrace} from '../../../../../source/engines/memory/cpu/ptrace/ptrace.js';
import {Stopper} from '../../../../../source/engines/memory/cpu/ptrace/stopper.js';
import {sharedJava} from '../../../../helpers/for-test.js';
import {heldThreads, threadsNamed} from '../../../../helpers/proc.js';
import {until} from '../../../../helpers/until.js';

const ptrace = loadPtrace();
const busy = 8;
const shared = sharedJava('BusyAndParked', {jvmArgs: ['-Xmx64m'], args: [busy, 10, busy].map(String)});
let tids: number[];

beforeAll(async () => {
	// Each takes its name when it first runs.
	await until(() => {
		tids = threadsNamed(shared.java.pid, /^busy-/);
		return tids.length === busy;
	});
});

test('an error while a thread is stopped leaves none stopped, and our priority as it was', async () => {
	const policy = () => /^policy\s*:\s*(\d+)$/m.exec(readFileSync('/proc/thread-self/sched', 'latin1'))?.[1];
	const before = policy();
	const stopper = new Stopper(ptrace, shared.java.pid);
	const within: Array<string | undefined> = [];
	// Threads that get no CPU in time are not stopped: try again.
	await until(() => {
		try {
			stopper.stop(tids, () => {
				within.push(policy());
				throw new RangeError('failed');
			});
		} catch (error) {
			expect(error).toEqual(new RangeError('failed'));
		}

		return within.length > 0;
	});
	// SCHED_RR if permitted.
	const isAllowed = ptrace.raisePriority();
	ptrace.restorePriority();
	expect([within[0], policy()]).toEqual([isAllowed ? '2' : before, before]);
	// None of the target's threads is held, nor will be.
	await until(() => heldThreads(shared.java.pid).held === 0);
	stopper.close();
});

test('threads that stop too late are counted and detached; none is held once release has resolved', async () => {
	let isBlind = true;
	const stopper = new Stopper({...ptrace, poll: tid => isBlind ? 0 : ptrace.poll(tid)}, shared.java.pid);
	const none = () => {
		throw new Error('not stopped');
	};

	expect(stopper.stop(tids, none)).toMatchObject({count: 0, refused: 0, late: busy});
	expect(stopper.stop(tids.slice(0, 2), none)).toMatchObject({count: 0, refused: 0, late: 2});
	isBlind = false;
	await stopper.release();
	expect(heldThreads(shared.java.pid).held).toBe(0);
});

describe('a host on which we lose the CPU, played with a clock of its own', () => {
	const running = [1, 2, 3, 4, 5, 6, 7, 8];
	let nowMs: number;
	/** What our sleeps take, and after what time a thread that was asked stops, milliseconds. */
	let sleepMs: number;
	let stopsAfterMs: number;
	let isAllowed: boolean;
	/** A thread that another tracer has. */
	let traced: number;
	/** What a round seizes (?), interrupts (+) and detaches (-), in order. */
	let events: string[];
	let stopper: Stopper;

	beforeEach(() => {
		[nowMs, sleepMs, stopsAfterMs, isAllowed, traced, events] = [0, 0.1, 0.03, true, 0, []];
		const askedMs = new Map<number, number>();
		vi.spyOn(performance, 'now').mockImplementation(() => {
			nowMs += 0.001;
			return nowMs;
		});
		stopper = new Stopper({
			raisePriority: () => isAllowed,
			restorePriority() {
				events.push('restored');
			},
			seize(tid) {
				events.push(`?${tid}`);
				return tid === traced ? constants.errno.EPERM : 0;
			},
			interrupt(tid) {
				events.push(`+${tid}`);
				askedMs.set(tid, nowMs);
				return 0;
			},
			registers: () => 0,
			detach(tid) {
				events.push(`-${tid}`);
				return 0;
			},
			poll: tid => nowMs - askedMs.get(tid)! < stopsAfterMs ? 0 : 0x80_05_7F,
			sleepUs() {
				nowMs += sleepMs;
			},
		}, 99);
		return () => {
			stopper.close();
			vi.restoreAllMocks();
		};
	});

	/** A round, the threads it interrupted, and the most that were interrupted and not yet detached. */
	function round() {
		events = [];
		const stops = stopper.stop(running, () => undefined);
		let now = 0;
		const counts = events.map(event => {
			now += event.startsWith('+') ? 1 : (event.startsWith('-') ? -1 : 0);
			return now;
		});
		return {...stops, most: Math.max(...counts), asked: events.filter(event => event.startsWith('+')).map(Number)};
	}

	test('a thread that has a tracer is skipped and counted', () => {
		traced = 5;
		expect(round()).toMatchObject({count: 7, refused: 1, late: 0, asked: [1, 2, 3, 4, 6, 7, 8]});
	});

	test('threads are stopped one at a time after a round in which one was held for long, and together again when that no longer happens', () => {
		sleepMs = 60;
		expect(round()).toMatchObject({count: 8, late: 0, most: 8});
		sleepMs = 0.1;
		expect(Array.from({length: 5}, () => round().most)).toEqual([1, 2, 4, 8, 8]);
		expect(events.at(-1)).toBe('restored');
	});

	test('without a higher priority one is stopped at a time at first, a round in which one was held for long ends with that, and who was left out comes first in the next one', () => {
		isAllowed = false;
		sleepMs = 200;
		expect(round()).toMatchObject({count: 1, late: 7, most: 1, asked: [1]});
		expect(round()).toMatchObject({count: 1, late: 7, most: 1, asked: [2]});
		sleepMs = 0.1;
		expect(Array.from({length: 3}, () => round().most)).toEqual([1, 2, 4]);
		isAllowed = true;
		expect(round()).toMatchObject({count: 8, late: 0, asked: running});
	});

	test.each([
		['those who are found at work are stopped one by one', 0.03, '?2 +2 -2 ?3 +3 -3 ?7 +7 -7 restored'],
		[
			'after one that does not stop at once the others are stopped together, and none is seized while another is interrupted',
			0.5,
			'?2 +2 -2 ?3 ?7 +3 +7 -3 -7 restored',
		],
	])('%s', (_, afterMs, expected) => {
		stopsAfterMs = afterMs;
		expect(stopper.stop(running, () => undefined, {
			wants: tid => [2, 3, 7].includes(tid),
			beforeStop: () => undefined,
		})).toMatchObject({count: 3, late: 0});
		expect(events.join(' ')).toBe(expected);
	});

	test('a thread that stops after its round is held until the next poll, which counts in the next round', () => {
		sleepMs = 10;
		stopsAfterMs = 5000;
		expect(round()).toMatchObject({count: 0, late: 8, heldMs: 0, longestMs: 0});
		nowMs += 10_000;
		stopsAfterMs = 0.03;
		sleepMs = 0.1;
		const {count, heldMs, longestMs} = round();
		expect(count).toBe(8);
		expect(longestMs).toBeGreaterThan(9000);
		expect(heldMs).toBeGreaterThan(8 * 9000);
	});
});
