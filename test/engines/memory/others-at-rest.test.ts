import {readFileSync, readdirSync} from 'node:fs';
import process from 'node:process';
import {expect, test} from 'vitest';
import {OthersAtRest} from '../../../source/engines/memory/threads/others-at-rest.js';
import {ProcessClock} from '../../../source/jvm/threads/process-clock.js';
import {ThreadCpu} from '../../../source/jvm/threads/thread-cpu.js';
import {type JavaProcess, startJava} from '../../helpers/jvm.js';
import {until, untilAsync} from '../../helpers/until.js';

const manyThreads = 100;
const quickStart = {jvmArgs: ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto']};

/** Makes `main` do something, and waits until it has left its CPU to wait for more. */
async function echo(java: JavaProcess, main: number): Promise<void> {
	const echoes = java.output().match(/^echo hello$/gm)?.length ?? 0;
	java.child.stdin?.write('hello\n');
	await java.waitFor(new RegExp(`^(?:[^]*^echo hello$){${echoes + 1}}`, 'm'));
	await untilItReads(java, main);
}

/** Until `main` waits for its standard input: in a system call whose first argument is file 0. */
async function untilItReads(java: JavaProcess, main: number): Promise<void> {
	await until(() => /^\d+ 0x0 /.test(readFileSync(`/proc/${java.pid}/task/${main}/syscall`, 'latin1')));
}

/** Linux ids of a process's threads: that of `main`, which the launcher starts first, and the others. */
function threadsOf(java: JavaProcess): {main: number; others: number[]} {
	const [launcher, main, ...more] = readdirSync(`/proc/${java.pid}/task`).map(Number).toSorted((a, b) => a - b);
	return {main, others: [launcher, ...more]};
}

test('while only watched threads of a process run, the others are at rest; that one of them ran is noticed, and that a watched one has ended', async () => {
	const java = await startJava('ParkedAndEcho', quickStart);
	const cpu = new ThreadCpu(java.pid);
	try {
		const {main, others} = threadsOf(java);
		await untilItReads(java, main);
		expect(others.length).toBeLessThan(24);
		const rest = new OthersAtRest(ProcessClock.of(java.pid), cpu);
		const calmDown = async () => {
			let lookedMs = 0;
			await until(() => {
				lookedMs = performance.now();
				rest.looked({atLines: others, nowhere: []}, manyThreads, true, lookedMs);
				return rest.areAtRest(lookedMs);
			});
			return lookedMs;
		};

		await calmDown();
		const {sinceMs} = rest;
		expect(sinceMs).toBeLessThanOrEqual(performance.now());
		// It stays so when all are looked at again, as they are once a second at least.
		expect(rest.areAtRest(performance.now() + 1000)).toBe(false);
		const lookedMs = await calmDown();
		expect(rest.sinceMs).toBe(sinceMs);
		await echo(java, main);
		await until(() => !rest.areAtRest(lookedMs));
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
	const java = await startJava('ParkedAndEcho', quickStart);
	const cpu = new ThreadCpu(java.pid);
	try {
		const {main} = threadsOf(java);
		await untilItReads(java, main);
		const rest = new OthersAtRest(ProcessClock.of(java.pid), cpu);
		const lookedMs = performance.now();
		const look = (atLines: readonly number[], nowhere: readonly number[]) => {
			rest.looked({atLines, nowhere}, manyThreads, true, lookedMs);
			return rest.areAtRest(lookedMs);
		};

		const usedBy = (ids: readonly number[]) => ids.map(id => cpu.read(id) ? cpu.cpuNs : Number.NaN).join(' ');
		for (const [watched, mostNs, isStill] of [['main', 1e9, false], ['others', 1e9, true], ['others', 1, false]] as const) {
			await untilAsync(async () => {
				const {others} = threadsOf(java);
				const [atLines, nowhere] = watched === 'main' ? [[main], others] : [others, [main]];
				rest.forget();
				expect(rest.areStill(lookedMs, 1e9)).toBe(false);
				let usedNs = '';
				await until(() => {
					const isLookedAt = look(atLines, nowhere);
					usedNs = usedBy(others);
					return isLookedAt && rest.areStill(lookedMs, 1);
				});
				await echo(java, main);
				expect(rest.areStill(lookedMs, 1)).toBe(false);
				const areStill = rest.areStill(lookedMs, mostNs);
				// The JVM wakes some of its own now and then: where one of them ran, too, that says nothing of `main`.
				if (usedBy(threadsOf(java).others) !== usedNs) {
					return false;
				}

				expect(areStill).toBe(isStill);
				return true;
			});
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
