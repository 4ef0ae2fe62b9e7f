import {readdirSync} from 'node:fs';
import process from 'node:process';
import {expect, test} from 'vitest';
import {OthersAtRest} from '../../../source/engines/memory/threads/others-at-rest.js';
import {ProcessClock} from '../../../source/jvm/threads/process-clock.js';
import {ThreadCpu} from '../../../source/jvm/threads/thread-cpu.js';
import {startJava} from '../../helpers/jvm.js';
import {until} from '../../helpers/until.js';

const manyThreads = 100;

test('while only watched threads of a process run, the others are at rest; that one of them ran is noticed, and that a watched one has ended', async () => {
	const java = await startJava('ParkedAndEcho', {jvmArgs: ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto']});
	const cpu = new ThreadCpu(java.pid);
	try {
		const threads = readdirSync(`/proc/${java.pid}/task`).map(Number);
		// The thread of `main` is the one that the launcher starts first.
		const [, main] = threads.toSorted((a, b) => a - b);
		const others = threads.filter(id => id !== main);
		expect(others.length).toBeLessThan(24);
		const rest = new OthersAtRest(ProcessClock.of(java.pid), cpu);
		const calmDown = async () => until(() => {
			rest.looked({atLines: others, nowhere: []}, manyThreads, true, performance.now());
			return rest.areAtRest(performance.now());
		});

		await calmDown();
		const {sinceMs} = rest;
		expect(sinceMs).toBeLessThanOrEqual(performance.now());
		// It stays so when all are looked at again, as they are once a second at least.
		expect(rest.areAtRest(performance.now() + 1000)).toBe(false);
		await calmDown();
		expect(rest.sinceMs).toBe(sinceMs);
		java.child.stdin?.write('hello\n');
		await java.waitFor(/^echo hello$/m);
		await until(() => !rest.areAtRest(performance.now()));
		expect(rest.sinceMs).toBe(Infinity);
		await calmDown();
		// Another thread that does something is no time to rely on it.
		rest.looked({atLines: others, nowhere: []}, manyThreads, false, performance.now());
		expect(rest.areAtRest(performance.now())).toBe(false);
		await calmDown();
		await java.stop();
		expect(rest.areAtRest(performance.now())).toBe(false);
	} finally {
		cpu.close();
		await java.stop();
	}
});

test('nobody at all has run; or some that stand at no line, for a short time; or another, which is told apart; or it is time to look', async () => {
	const java = await startJava('ParkedAndEcho', {jvmArgs: ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto']});
	const cpu = new ThreadCpu(java.pid);
	try {
		const threads = readdirSync(`/proc/${java.pid}/task`).map(Number);
		const [, main] = threads.toSorted((a, b) => a - b);
		const rest = new OthersAtRest(ProcessClock.of(java.pid), cpu);
		const echo = async () => {
			java.child.stdin?.write('hello\n');
			await java.waitFor(/^echo hello$/m);
		};

		const look = (atLines: number[], nowhere: number[]) => {
			rest.looked({atLines, nowhere}, manyThreads, true, lookedMs);
			return rest.areAtRest(lookedMs);
		};

		const lookedMs = performance.now();
		const others = threads.filter(id => id !== main);
		for (const [atLines, nowhere, mostNs, isStill] of [[[main], others, 1e9, false], [others, [main], 1e9, true], [others, [main], 1, false]] as const) {
			rest.forget();
			expect(rest.areStill(lookedMs, 1e9)).toBe(false);
			await until(() => look([...atLines], [...nowhere]) && rest.areStill(lookedMs, 1));
			await echo();
			await until(() => !rest.areStill(lookedMs, 1));
			// Whoever has just gone to rest is on a CPU for some microseconds more.
			await until(() => rest.areStill(lookedMs, mostNs) === isStill);
			expect(rest.areStill(lookedMs + 60_000, mostNs)).toBe(false);
		}
	} finally {
		cpu.close();
		await java.stop();
	}
});

test('few threads are looked at anyway, and so are all where the process has no clock to be read', () => {
	const cpu = new ThreadCpu(process.pid);
	for (const [rest, threads] of [[new OthersAtRest(ProcessClock.of(process.pid), cpu), 3], [new OthersAtRest(ProcessClock.of(2 ** 22), cpu), manyThreads]] as const) {
		for (let look = 0; look < 10; look++) {
			rest.looked({atLines: [], nowhere: []}, threads, true, performance.now());
			expect(rest.areAtRest(performance.now())).toBe(false);
		}
	}
});
