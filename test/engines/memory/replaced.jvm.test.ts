import {existsSync} from 'node:fs';
import process from 'node:process';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {memoryEngine} from '../../../source/engines/memory/memory-engine.js';
import {loadPtrace} from '../../../source/engines/memory/cpu/ptrace/ptrace.js';
import {Stopper} from '../../../source/engines/memory/cpu/ptrace/stopper.js';
import {readStatus} from '../../../source/jvm/system/proc.js';
import {Sample} from '../../../source/model/sample.js';
import {commOf, heldThreads, threadsNamed} from '../../helpers/proc.js';
import {type JavaProcess, jdks, rawTarget, startJava} from '../../helpers/jvm.js';
import {until, untilAsync, patienceMs} from '../../helpers/until.js';
import {closedAfterTest} from '../../helpers/for-test.js';
import {Names} from '../observe.js';

/** JEP 454: calls of native functions without a library of our own. */
const firstWithCalls = 22;

const newest = jdks().filter(({release}) => release >= firstWithCalls).slice(-1);

/** Starts the JVM as a grandchild: of its children Node waits for the first thread, and takes the tracer's events. */
const asGrandchild = ['sh', '-c', 'exec 3<&0; "$0" "$@" <&3 & echo "process $!"; wait'];

const ptrace = loadPtrace();
let java: JavaProcess;
let pid: number;

const threadOf = (name: string) => threadsNamed(pid, new RegExp(`^${name}$`))[0];
const isReplaced = () => commOf(pid, pid) === 'sleep';

/** The kernel has ended this thread, and waits for its tracer to see that. */
const isEnded = (tid: number) => (readStatus(tid)?.state ?? 'Z') === 'Z';

/** Makes the thread "caller" call execve, and stands still until then: nothing of ours comes in between. */
function replaceAndWait(condition: () => boolean): void {
	java.child.stdin!.write('\n');
	const endMs = performance.now() + patienceMs;
	while (!condition()) {
		if (performance.now() > endMs) {
			throw new Error('the program did not call execve');
		}

		ptrace.sleepUs(1000);
	}
}

/** What stops threads, and calls back before it asks one to stop. */
const stopperWith = (beforeInterrupt: (tid: number) => void) => new Stopper({
	...ptrace,
	interrupt(tid) {
		beforeInterrupt(tid);
		return ptrace.interrupt(tid);
	},
}, pid);

/** The new program is traced by nobody, and ends by the signal that a service manager sends. */
async function expectFree(): Promise<void> {
	await until(isReplaced);
	await until(() => heldThreads(pid).held === 0);
	process.kill(pid, 'SIGTERM');
	await until(() => !existsSync(`/proc/${pid}`));
}

describe.each(newest)('JDK $release', jdk => {
	beforeEach(async () => {
		// Compiled code reaches a safepoint by a signal, for which a seized thread waits for its tracer: that would be
		// us, who wait here.
		java = await startJava('ReplacesItself', {
			jdk,
			under: asGrandchild,
			jvmArgs: ['--enable-native-access=ALL-UNNAMED', '-Xint', '-Xmx64m'],
			args: ['2'],
		});
		pid = Number(/^process (\d+)$/m.exec(java.output())![1]);
	});

	afterEach(async () => {
		try {
			process.kill(pid, 'SIGKILL');
		} catch {
			// It has ended.
		}

		await java.stop();
	});

	test('a thread that calls execve takes the id of the first one, after it was seized, before it was asked to stop', async () => {
		let isAsked = false;
		const stopper = stopperWith(() => {
			if (!isAsked) {
				isAsked = true;
				replaceAndWait(isReplaced);
			}
		});
		expect(stopper.stop([threadOf('caller')], () => undefined).count).toBe(0);
		await stopper.release();
		await expectFree();
	});

	test('the same while it was on its way to a stop, and the call waited for another thread of ours to be seen ended', async () => {
		const other = threadOf('busy-0');
		const isOtherEnded = () => isEnded(other);
		const stopper = stopperWith(tid => {
			if (tid === other) {
				replaceAndWait(isOtherEnded);
			}
		});
		stopper.stop([other, threadOf('caller')], () => undefined);
		await stopper.release();
		await expectFree();
	});

	test('a thread that is ended while it is held does not block the call that ends it', async () => {
		const held = threadOf('busy-0');
		const stopper = new Stopper(ptrace, pid);
		let isLooked = false;
		await until(() => {
			stopper.stop([held], tid => {
				isLooked = true;
				replaceAndWait(() => isEnded(tid));
			});
			return isLooked;
		});
		await stopper.release();
		await expectFree();
	});

	test('a session on a JVM that replaces itself by another program is over, and says so', async () => {
		const session = closedAfterTest(await memoryEngine.open(rawTarget(pid), {depth: 100}, new Names()));
		const sample = new Sample();
		for (let round = 0; round < 20; round++) {
			await session.sample(sample);
		}

		java.child.stdin!.write('\n');
		const goesOn = untilAsync(async () => {
			await session.sample(sample);
			return false;
		});
		await expect(goesOn).rejects.toThrow(`process ${pid} has replaced itself with another program, sleep`);
		await session.release();
		await expectFree();
	});
});
