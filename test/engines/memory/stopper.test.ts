import {readFileSync, readdirSync} from 'node:fs';
import {
	afterAll, beforeAll, expect, test,
} from 'vitest';
import {loadPtrace, type Ptrace} from '../../../source/engines/memory/ptrace.js';
import {Stopper} from '../../../source/engines/memory/stopper.js';
import {type JavaProcess, nice, startJava} from '../../helpers/jvm.js';
import {commOf} from '../../helpers/comm.js';
import {heldThreads} from '../../helpers/kill-tool.js';
import {until} from '../../helpers/until.js';

const busy = 8;
let java: JavaProcess;
let tids: number[];
let ptrace: Ptrace;

beforeAll(async () => {
	ptrace = loadPtrace();
	java = await startJava('BusyAndParked', {under: nice, jvmArgs: ['-Xmx64m'], args: [busy, 10, busy].map(String)});
	// Each takes its name when it first runs.
	await until(() => {
		tids = readdirSync(`/proc/${java.pid}/task`).filter(tid => commOf(java.pid, Number(tid))?.startsWith('busy-')).map(Number);
		return tids.length === busy;
	});
});

afterAll(async () => {
	await java.stop();
});

/** None of the target's threads is held, nor will be. */
async function allGoOn(): Promise<void> {
	await until(() => heldThreads(java.pid).held === 0);
}

test('each thread is looked at once, stopped, and goes on', async () => {
	const looked: number[] = [];
	const stopper = new Stopper(ptrace, java.pid);
	const stops = stopper.stop(tids, tid => {
		expect(readFileSync(`/proc/${java.pid}/task/${tid}/status`, 'latin1')).toMatch(/^State:\tt/m);
		looked.push(tid);
	});
	await stopper.letGo();
	// On a machine with too much to do some may not get a CPU in time.
	expect(stops).toMatchObject({count: looked.length, refused: 0, late: busy - looked.length});
	expect(new Set(looked).size).toBe(looked.length);
	expect(heldThreads(java.pid).held).toBe(0);
});

test('an error while a thread is looked at holds nobody', async () => {
	const stopper = new Stopper(ptrace, java.pid);
	let thrown: unknown;
	// Those that get no CPU in time are not looked at: again, then.
	await until(() => {
		try {
			stopper.stop(tids, () => {
				throw new RangeError('look');
			});
		} catch (error) {
			thrown = error;
		}

		return thrown !== undefined;
	});
	expect(thrown).toEqual(new RangeError('look'));
	await allGoOn();
	stopper.close();
});

test('threads that stop too late are counted and let go; nothing is held once letGo has resolved', async () => {
	let isBlind = true;
	const stopper = new Stopper({...ptrace, poll: tid => isBlind ? 0 : ptrace.poll(tid)}, java.pid);
	const none = () => {
		throw new Error('not looked at');
	};

	expect(stopper.stop(tids, none)).toMatchObject({count: 0, refused: 0, late: busy});
	expect(stopper.stop(tids.slice(0, 2), none)).toMatchObject({count: 0, refused: 0, late: 2});
	isBlind = false;
	await stopper.letGo();
	expect(heldThreads(java.pid).held).toBe(0);
});

test('a thread that has a tracer is skipped and counted', async () => {
	const [traced, ...others] = tids;
	expect(ptrace.seize(traced)).toBe(0);
	const looked: number[] = [];
	const stopper = new Stopper(ptrace, java.pid);
	const stops = stopper.stop(tids, tid => {
		looked.push(tid);
	});
	expect(stops.refused).toBe(1);
	expect(others).toEqual(expect.arrayContaining(looked));
	await stopper.letGo();
	ptrace.interrupt(traced);
	await until(() => ptrace.poll(traced) !== 0);
	ptrace.detach(traced, 0);
	await allGoOn();
});
