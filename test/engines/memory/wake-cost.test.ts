import {expect, test} from 'vitest';
import {OwnWaking} from '../../../source/engines/memory/process/own-waking.js';
import {JavaThread} from '../../../source/engines/memory/threads/java-thread.js';
import {emptyBlock} from '../../../source/engines/memory/threads/thread-block.js';
import {WakeCost} from '../../../source/engines/memory/wake-cost.js';
import {until} from '../../helpers/until.js';

/** A thread that has used so much in so many turns on a CPU since the sample before. */
const used = (thread: JavaThread, cpuNs: number, newTurns: number) => Object.assign(thread, {cpuNs, newTurns});

test('each turn on a CPU costs a thread what sleeping costs us where a CPU is idle, up to all that it used; it is given once', () => {
	const idle = {chance: () => 0.75};
	const cost = new WakeCost({ns: 12_000}, idle);
	const [waker, sleeper, unread] = [1, 2, 3].map(id => new JavaThread(id, emptyBlock(), id));
	cost.begin(0);
	cost.add(used(waker, 100_000, 10));
	cost.add(used(sleeper, 5000, 1));
	cost.add(used(unread, 0, 10));
	expect([waker, sleeper, unread].map(thread => cost.openNs(thread))).toEqual([90_000, 5000, 0]);
	cost.add(used(waker, 100_000, 1));
	expect([cost.take(waker), cost.take(waker), cost.openNs(waker)]).toEqual([99_000, 0, 0]);
});

test('nothing is taken for wakings where all CPUs are busy, or our own are not known yet', () => {
	for (const cost of [new WakeCost({ns: 12_000}, {chance: () => 0}), new WakeCost({ns: 0}, {chance: () => 1})]) {
		const thread = new JavaThread(1, emptyBlock(), 1);
		cost.begin(0);
		cost.add(used(thread, 100_000, 10));
		expect(cost.openNs(thread)).toBe(0);
	}
});

test('however busy the CPUs are, half of what the cheapest turns cost is taken for wakings of all, if that is next to nothing; for five seconds', () => {
	const cost = new WakeCost({ns: 12_000}, {chance: () => 0});
	const [handing, worker] = [1, 2].map(id => new JavaThread(id, emptyBlock(), id));
	const takenIn = (turns: number, nowMs: number) => {
		cost.begin(nowMs);
		cost.add(used(worker, 1_000_000, turns));
		return cost.take(worker);
	};

	cost.begin(0);
	cost.add(used(handing, 1_600_000, 200));
	expect([takenIn(10, 0), cost.take(handing)]).toEqual([40_000, 800_000]);
	expect([takenIn(10, 5000), takenIn(10, 5001)]).toEqual([40_000, 0]);
	// Who does 50 microseconds of work in each of its turns says nothing of what it costs to wake up.
	cost.add(used(handing, 50_000_000, 1000));
	expect(takenIn(10, 5002)).toBe(0);
});

test('a waking of our own costs what the second half of a rest does, less the asking; cheap ones stand for all', () => {
	let nowNs = 0;
	let sleepNs = 0;
	const slept: number[] = [];
	const own = new OwnWaking(microseconds => {
		slept.push(microseconds);
		nowNs += slept.length % 2 === 1 ? 50_000 : sleepNs;
	}, {
		readNs() {
			nowNs += 300;
			return nowNs;
		},
	});
	expect(own.ns).toBe(0);
	for (sleepNs of [40_000, 10_000, 90_000, 20_000, 11_000, 80_000, 30_000, 70_000]) {
		own.rest(500);
	}

	expect(own.ns).toBe(20_000);
	expect(new Set(slept)).toEqual(new Set([250]));
	// The past is forgotten.
	sleepNs = 5000;
	for (let rests = 0; rests < 64; rests++) {
		own.rest(500);
	}

	expect(own.ns).toBe(5000);
});

test('to sleep costs this thread something, and nothing is said without a clock', async () => {
	const sleep = (microseconds: number) => {
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, microseconds / 1000);
	};

	const own = new OwnWaking(sleep);
	await until(() => {
		own.rest(1000);
		return own.ns > 0;
	});
	const blind = new OwnWaking(sleep, {readNs: () => Number.NaN});
	blind.rest(1000);
	expect(blind.ns).toBe(0);
});
