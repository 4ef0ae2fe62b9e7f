import {writeFileSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {test} from 'vitest';
import {
	beside, closedAfterTest, javaForTest, keepFirstCpuBusy, onFirstCpu, sharedFolder,
} from '../helpers/for-test.js';
import {jdk, type JavaOptions} from '../helpers/jvm.js';
import {cli} from '../helpers/run.js';
import {TerminalSession} from '../helpers/terminal.js';

/** A folder that gets each situation's screen as it is after ten seconds; without it each ends as soon as it says the cause. */
const {TPROF_SCREENS: folder} = process.env;
const recordedMs = 10_000;

const state = sharedFolder();

/** A situation of the program, what the first screen must say of it, and how the program is started. */
type Case = readonly [situation: string, cause: RegExp, options?: JavaOptions];

/** Waits for what the first screen must say without a key, at 80 x 24 and with default settings. */
async function untilSaid([situation, cause, options = {}]: Case): Promise<void> {
	const isBusyHost = options.under !== undefined;
	if (isBusyHost) {
		keepFirstCpuBusy(4);
	}

	const java = await javaForTest('Situations', {args: [situation], under: [], ...options});
	const terminal = closedAfterTest(new TerminalSession(process.execPath, [cli, String(java.pid)], {env: {XDG_STATE_HOME: state}}));
	const startMs = performance.now();
	await terminal.until(cause);
	if (folder) {
		await sleep(startMs + recordedMs - performance.now());
		writeFileSync(path.join(folder, `${isBusyHost ? 'busyHost' : situation}.txt`), `${terminal.text()}\n`);
	}
}

test.concurrent.for<Case>([
	['deadlock', /^! DEADLOCK:(?: worker-\d ->){2} worker-\d/m],
	['monitor', /^! 50 threads wait for Object, [^:]*: holder\s+has\s+it,\s+at\s+Situations\.sleep:\d+/m],
	['lock', /^! 50 threads wait for ReentrantLock, [^:]*: holder\s+has\s+it,\s+at\s+Situations\.sleep:\d+/m],
	['virtualThreads', /^! 10000 threads wait for ReentrantLock, [^:]*: holder\s+has\s+it,\s+at\s+Situations\.sleep:\d+/m, {jdk: jdk(release => release >= 21)}],
	['deadSocket', /^! 20 threads wait for 127\.0\.0\.1:\d+, longest \S+,\s+at\s+Situations\.queries:\d+/m],
	['classInitialiser', /^! 5 threads wait for Slow\.<clinit> to end, longest \S+:\s+initialiser\s+runs\s+it,\s+at\s+Situations\.sleep:\d+/m],
])('threads that wait: %s', beside(async (...[situation]: readonly [Case]) => untilSaid(situation)));

// If the machine of the tests has no CPU for collectors and compilers, that comes first.
test.for<Case>([
	['collector', /^! (?:The heap is full: [^;]*;\s+the\s+program\s+stands\s+still\s+for\s+collections\s+\d+%|Host CPU saturated)/m, {jvmArgs: ['-Xmx64m']}],
	['jit', /^! (?:C\d compiles \S+: \d+% of the CPU time\.|The JIT compiler uses \d+% CPU|Host CPU saturated)/m, {jvmArgs: ['-Xcomp']}],
	['hog', /^> *\d\d\d?\S* .* Situations\.mixes:\d+/m],
	['deflate', /^! \d+% is what Situations\.compresses:\d+ called[^>]*> *\d\d\d?\S* .* (?:\S+\.)?Deflater\.deflate/m],
	['regex', /^! \d+% is what Situations\.validates:\d+ called[^>]*> *\d\d\d?\S* .* \S*regex\.\w/m],
	['hog', /^! Host CPU saturated: threads waited \d+\.\d s for a CPU/m, {under: onFirstCpu}],
])('threads that run: %s', untilSaid);
