import {once} from 'node:events';
import path from 'node:path';
import process from 'node:process';
import {expect, test, vi} from 'vitest';
import {openJvm} from '../../../source/engines/memory/open.js';
import {loadPtrace} from '../../../source/engines/memory/cpu/ptrace/ptrace.js';
import {Stopper} from '../../../source/engines/memory/cpu/ptrace/stopper.js';
import {memoryEngine} from '../../../source/engines/memory/memory-engine.js';
import {MemorySession} from '../../../source/engines/memory/memory-session.js';
import {Sample} from '../../../source/model/sample.js';
import {commOf, threadsNamed} from '../../helpers/proc.js';
import {type JavaProcess, rawTarget} from '../../helpers/jvm.js';
import {until} from '../../helpers/until.js';
import {closedAfterTest, javaForTest, programForTest} from '../../helpers/for-test.js';
import {Names} from '../observe.js';

/** Starts one of the helpers that trace a thread, up to its line "ready". */
async function startTracer(program: string, ...args: readonly string[]): Promise<JavaProcess> {
	const tracer = programForTest(process.execPath, [
		path.resolve(import.meta.dirname, '../../helpers', program),
		...args,
	]);
	await tracer.waitFor(/^ready$/m);
	return tracer;
}

const nameOf = ({pid}: JavaProcess) => `${commOf(pid, pid)} (process ${pid})`;

test('while another tracer holds a thread all are left alone, and it is named; afterwards they are stopped again', async () => {
	const java = await javaForTest('BusyAndParked', {jvmArgs: ['-Xint'], args: ['3', '10', '3']});
	const {pid} = java;
	const busy = await until(() => {
		const tids = threadsNamed(pid, /^busy-/);
		return tids.length === 3 && tids;
	});
	const tracer = await startTracer('trace.js', String(busy[0]));
	const opened = openJvm(pid, new Names());
	const seize = vi.fn(opened.ptrace.seize);
	const session
		= closedAfterTest(new MemorySession(rawTarget(pid), {depth: 100}, {
			...opened,
			ptrace: {...opened.ptrace, seize},
		}));
	const sample = new Sample();
	const take = async () => {
		const outcome = await session.sample(sample);
		return outcome.ok ? outcome.skippedThreads : undefined;
	};

	const who = nameOf(tracer);
	let skippedThreads = await take();
	while (!skippedThreads || skippedThreads.refused === 0) {
		skippedThreads = await take();
	}

	// Exactly one is asked and refused. Those that were to be stopped with it, or later in the same sample, are left
	// alone with it, even if they had been seized already.
	expect(seize.mock.calls.filter((_, call) => seize.mock.results[call].value !== 0)).toEqual([[busy[0]]]);
	expect(skippedThreads.tracer).toBe(who);
	expect(skippedThreads.refused).toBeLessThanOrEqual(busy.length);
	const before = seize.mock.calls.length;
	for (const startMs = performance.now(); performance.now() - startMs < 1500;) {
		const during = await take();
		// No thread is seized, so none is refused, while all are at a safepoint.
		expect(during?.tracer).toBe(during?.refused ? who : undefined);
	}

	expect(seize).toHaveBeenCalledTimes(before);
	const end = once(tracer.child, 'exit');
	tracer.child.stdin!.end();
	await end;
	while (skippedThreads && skippedThreads.refused > 0) {
		skippedThreads = await take();
	}

	expect(seize.mock.calls.length).toBeGreaterThan(before);
});

test('a JVM that another tracer holds is not begun with, and the tracer is named', async () => {
	const {pid} = await javaForTest('ParkedAndEcho');
	const target = rawTarget(pid);
	const tracer = await startTracer('trace.js', String(pid));
	expect(await memoryEngine.check(target)).toMatchObject({
		reason: `another tracer, ${nameOf(tracer)}, is attached to this JVM`,
	});
	await tracer.stop();
	expect(await memoryEngine.check(target)).toBeUndefined();
});

test.each([['tprof-top', 'waited for'], ['gdb', 'kept away from']])(
	'a tracer called %s that has a thread for a moment is %s',
	async name => {
		const java = await javaForTest('BusyAndParked', {jvmArgs: ['-Xint'], args: ['1', '10', '1']});
		const {pid} = java;
		const busy = await until(() => threadsNamed(pid, /^busy-/)[0]);
		const ptrace = loadPtrace();
		const stopper = new Stopper(ptrace, pid);
		await startTracer('trace-in-turn.js', name, String(busy));
		const onStopped = vi.fn();
		const hundredRounds = () => {
			let [stopped, refused] = [0, 0];
			for (let round = 0; round < 100; round++) {
				const stops = stopper.stop([busy], onStopped);
				stopped += stops.count;
				refused += stops.refused;
				ptrace.sleepUs(1300);
			}

			return {stopped, refused};
		};

		const first = hundredRounds();
		if (name === 'gdb') {
			// Seen once, it is left alone for a second.
			expect(first.refused).toBeGreaterThan(50);
		} else {
			// On a busy host it may lose its CPU while it has the thread, for as long as some rounds take.
			let {stopped} = first;
			for (let again = 0; again < 4 && stopped <= 30; again++) {
				({stopped} = hundredRounds());
			}

			expect(stopped).toBeGreaterThan(30);
		}

		stopper.close();
	},
);
