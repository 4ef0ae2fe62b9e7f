import {spawn} from 'node:child_process';
import {readdirSync, readFileSync, readlinkSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {createInterface} from 'node:readline';
import {afterEach, expect, test} from 'vitest';
import {BeyondClock} from '../../../../source/engines/memory/timer/wakings/beyond-clock.js';
import {type PerfCalls, loadPerfCalls} from '../../../../source/engines/memory/timer/perf-calls.js';
import {newWakings, WakingCosts} from '../../../../source/engines/memory/timer/wakings/costs.js';
import {type JavaProcess, startJava} from '../../../helpers/jvm.js';
import {sayTo} from '../../../helpers/say.js';
import {until, untilAsync} from '../../../helpers/until.js';
import {Observer} from '../observe.js';

const cli = path.resolve(import.meta.dirname, '../../../../dist/cli.js');

let java: JavaProcess | undefined;

afterEach(async () => {
	await java?.stop();
});

/** The real calls, and which events are open. */
function watchedCalls(): {readonly calls: PerfCalls; readonly open: Set<number>} {
	const real = loadPerfCalls();
	const open = new Set<number>();
	return {
		open,
		calls: {
			...real,
			open(id, options) {
				const opened = real.open(id, options);
				if ('fd' in opened) {
					open.add(opened.fd);
				}

				return opened;
			},
			close(fd) {
				open.delete(fd);
				real.close(fd);
			},
		},
	};
}

type Report = {readonly lines: ReadonlyArray<{readonly method: string; readonly cpuMs: number}>; readonly threads: ReadonlyArray<{readonly name: string; readonly cpuMs: number}>};

const sum = (rows: ReadonlyArray<{readonly cpuMs: number}>) => rows.reduce((total, {cpuMs}) => total + cpuMs, 0);

/** A condition that holds when there is one more of them than now. */
function oneMore(reports: readonly Report[]): () => boolean {
	const {length} = reports;
	return () => reports.length > length;
}

/** What a link leads to; nothing where the file was closed meanwhile. */
function linkOf(file: string): string {
	try {
		return readlinkSync(file);
	} catch {
		return '';
	}
}

/** How many perf events a process has open. */
const eventsOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).filter(fd => linkOf(`/proc/${pid}/fd/${fd}`).includes('perf_event')).length;

const schedstat = (pid: number, tid: number) => readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'latin1').split(' ').map(Number);

test('what waking costs is measured by each thread\'s own clock, for a second at a time', async () => {
	java = await startJava('WakesOften', {args: []});
	const {pid} = java;
	let ids: number[] = [];
	// A new thread has its parent's name at first.
	await until(() => {
		ids = readdirSync(`/proc/${pid}/task`).map(Number).filter(tid => readFileSync(`/proc/${pid}/task/${tid}/comm`, 'latin1').startsWith('waking-'));
		return ids.length === 4;
	});
	const threads = ids.map(tid => ({tid, wakings: newWakings(), before: schedstat(pid, tid), begun: schedstat(pid, tid)}));
	const {calls, open} = watchedCalls();
	const costs = new WakingCosts(calls, pid);
	let most = 0;
	await until(() => {
		for (const thread of threads) {
			const [usedNs, , turns] = schedstat(pid, thread.tid);
			const takenNs = costs.take(thread.wakings, usedNs - thread.before[0], turns - thread.before[2]);
			expect(takenNs).toBeLessThanOrEqual(usedNs - thread.before[0]);
			thread.before = [usedNs, 0, turns];
		}

		costs.measure(threads, performance.now());
		most = Math.max(most, open.size);
		return threads.every(({wakings}) => wakings.measuredTurns > 0);
	});

	expect(most).toBeGreaterThan(0);
	expect(most).toBeLessThanOrEqual(4);
	expect(open.size).toBe(0);
	for (const {wakings, begun, before} of threads) {
		const usedNs = (before[0] - begun[0]) / (before[2] - begun[2]);
		expect(wakings.measuredNs / wakings.measuredTurns).toBeGreaterThan(0);
		expect(wakings.measuredNs / wakings.measuredTurns).toBeLessThan(usedNs);
		expect(wakings.openNs).toBeLessThanOrEqual(before[0] - begun[0]);
	}

	// Nobody is measured again for ten seconds.
	costs.measure(threads, performance.now());
	expect(open.size).toBe(0);
	// One that was never measured is taken to be like the others; without any, waking costs nothing.
	const all = threads.map(({wakings}) => wakings.measuredNs / wakings.measuredTurns);
	expect(costs.costNs(newWakings())).toBeGreaterThanOrEqual(Math.min(...all));
	expect(costs.costNs(newWakings())).toBeLessThanOrEqual(Math.max(...all));
	expect(new WakingCosts(calls, pid).costNs(newWakings())).toBe(0);

	// With events on threads it is what schedstat has beyond their clocks.
	const observer = await Observer.open(pid, {timer: 'perf', threadEvents: true});
	try {
		let [shownNs, usedNs] = [0, 0];
		const usedUntil = async (mostNs: number) => {
			[shownNs, usedNs] = [0, 0];
			await untilAsync(async () => {
				for (const {name, cpuNs, credits} of await observer.observe()) {
					if (name.startsWith('waking-')) {
						usedNs += cpuNs;
						shownNs += credits.filter(({frames}) => frames.some(frame => frame.includes('LockSupport.parkNanos'))).reduce((sum, credit) => sum + credit.cpuNs, 0);
					}
				}

				return usedNs > mostNs;
			});
		};

		// A record of each thread is always out: until that is so, what has none is not taken for waking.
		await usedUntil(150e6);
		await sayTo(java, 'begin');
		await usedUntil(300e6);
		const [, parkNs, allNs] = /^park (\d+) of (\d+)$/m.exec(await sayTo(java, 'end'))!.map(Number);
		expect(shownNs / usedNs).toBeGreaterThan(0.65 * parkNs / allNs);
	} finally {
		await observer.close();
	}
});

test('events that measure are closed when nobody looks, and with a thread that has ended', async () => {
	java = await startJava('WakesOften', {args: []});
	const {calls, open} = watchedCalls();
	const costs = new WakingCosts(calls, java.pid);
	const waking = (tid: number) => ({tid, wakings: {...newWakings(), turns: 1000}});
	const [first, second] = [waking(java.pid), waking(java.pid)];
	costs.measure([first], 0);
	costs.measure([second], 0);
	expect(open.size).toBe(2);
	costs.forget(first.wakings, 0);
	expect(open.size).toBe(1);
	costs.close();
	expect(open.size).toBe(0);

	// A thread that is in the list but not known to the kernel, or that has ended.
	const gone = [waking(0), waking(2 ** 30)];
	for (let round = 0; round < 3; round++) {
		costs.measure(gone, round);
	}

	expect(open.size).toBe(0);
});

test('what a thread has used beyond the clock of its event is given once, however late schedstat is', () => {
	const beyond = new BeyondClock(10);
	const add = (usedMs: number, turns: number, countMs: number, recordedMs = 0) => {
		beyond.add(usedMs * 1e6, turns, {countNs: countMs * 1e6, recordedNs: recordedMs * 1e6, aheadNs: 10e6});
		return beyond.take() / 1e6;
	};

	expect(add(4, 110, 3.5)).toBe(0.5);
	expect(add(0, 110, 3.5)).toBe(0);
	// On a CPU: schedstat lags behind, then has all of it.
	expect(add(0, 110, 6)).toBe(0);
	expect(add(2.75, 210, 6)).toBe(0.25);
	expect(add(0, 210, -1)).toBe(0);
	// What the clock has counted without a record counts as well, but for what a record to come may stand for.
	expect(add(20, 310, 26, 10)).toBe(6);
	// No more than so many turns may have cost: the rest is what was used before the clock began.
	expect(add(1000, 310, 27)).toBe((300 * 0.05) - 6.75);
});

test('what switches cost is learnt from records as far as chance allows', () => {
	const periodNs = 10e6;
	/** Of a thread that uses so much a look in so many turns, with a record in so many looks: the part that is waking. */
	const wakingPart = (usedNs: number, turns: number, looksARecord: number) => {
		const costs = new WakingCosts(loadPerfCalls(), 1);
		const wakings = newWakings();
		let takenNs = 0;
		for (let look = 1; look <= 8000; look++) {
			const moreNs = costs.take(wakings, usedNs, turns, look % looksARecord === 0 ? 1 : 0);
			takenNs += look > 4000 ? moreNs : 0;
			costs.weigh(periodNs);
		}

		return takenNs / (usedNs * 4000);
	};

	// 2 ms in 150 turns, a record in ten looks: half of it is in no record, 6.7 us a turn.
	expect(wakingPart(2e6, 150, 10)).toBeGreaterThan(0.45);
	expect(wakingPart(2e6, 150, 10)).toBeLessThan(0.51);
	// Every record is there.
	expect(wakingPart(2e6, 150, 5)).toBeLessThan(0.01);
	// Few turns: whatever records say, next to nothing.
	expect(wakingPart(10e6, 2, 2)).toBeLessThan(0.004);
	expect(wakingPart(10e6, 0, 2)).toBe(0);
});

test('of threads that wake up all the time, waking counts where they wait', async () => {
	java = await startJava('WakesOften', {args: []});
	const tool = spawn(process.execPath, [cli, String(java.pid), '--engine', 'memory', '--format', 'json', '--by', 'method', '--batch', '--delay', '0.5', '--iterations', '10000', '--max-cpu', '100'], {stdio: ['ignore', 'pipe', 'ignore']});
	try {
		const reports: Report[] = [];
		createInterface(tool.stdout).on('line', line => {
			reports.push(JSON.parse(line) as Report);
		});
		// What waking costs is known when events were opened to measure it and some are closed again.
		let most = 0;
		await until(() => {
			const open = eventsOf(tool.pid!);
			most = Math.max(most, open);
			return most - open >= 4;
		});
		await until(oneMore(reports));
		await sayTo(java, 'begin');
		let [count, usedMs, shownMs, parkNs, allNs] = [0, 0, 0, 0, 0];
		// Six seconds at least, and so much CPU time that chance, which gives a thread a record more or less, no longer decides.
		while (count < 12 || usedMs < 1500) {
			await until(oneMore(reports));
			const [park, all] = /^park (\d+) of (\d+)$/m.exec(await sayTo(java, 'end'))!.slice(1).map(Number);
			const {lines, threads} = reports.at(-1)!;
			count++;
			parkNs += park;
			allNs += all;
			shownMs += sum(lines.filter(({method}) => method === 'parkNanos'));
			usedMs += sum(threads.filter(({name}) => name.startsWith('waking-')));
		}

		expect(shownMs / usedMs).toBeGreaterThan(0.65 * parkNs / allNs);
	} finally {
		tool.kill('SIGKILL');
	}
});
