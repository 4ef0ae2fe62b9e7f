import {closeSync, openSync, writeSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {openJvm} from '../../../source/engines/memory/open.js';
import {isNewestOrAskedFor, jdks} from '../../helpers/jvm.js';
import {javaForTest} from '../../helpers/for-test.js';
import {untilAsync} from '../../helpers/until.js';
import {Names, Observer} from '../observe.js';
import {ProgramSource} from './legal-calls.js';

/** Stacks checked for each way to run. */
const wanted = 600;

/** At most this part may be wrong or incomplete. */
const tolerance = 0.005;

const source = new ProgramSource('KnownCalls');

/** The frames of the interpreter and of compiled code differ between releases; what else flags change does not. */
const ways: ReadonlyArray<{readonly flags: string[]; readonly on: (release: number) => boolean}> = [
	{flags: [], on: () => true},
	{flags: ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'], on: release => release >= 17 && isNewestOrAskedFor(release)},
	{flags: ['-XX:+UseZGC'], on: release => release >= 21 && isNewestOrAskedFor(release)},
	{flags: ['-Xint'], on: release => release >= 17 && isNewestOrAskedFor(release)},
	{flags: ['-XX:+UnlockDiagnosticVMOptions', '-XX:+DebugNonSafepoints'], on: release => release >= 17 && isNewestOrAskedFor(release)},
];

/**
Sets a flag of the JVM while it runs, as a profiler's agent does that finds it by HotSpot's tables: the byte behind it.
*/
function setFlag(pid: number, wantedName: string): void {
	const {memory, vm: {reader, layout: {fields, sizes}}} = openJvm(pid, new Names());
	const rows = reader.pointer(fields.flags);
	const flag = Array.from({length: reader.u32(fields.flagCount)}, (_, index) => rows + (index * sizes.flag)).find(row => {
		const name = reader.word(row + fields.flagName);
		return name !== 0 && reader.cString(name) === wantedName;
	});
	const file = openSync(`/proc/${pid}/mem`, 'r+');
	expect(writeSync(file, Uint8Array.of(1), 0, 1, reader.pointer(flag! + fields.flagAddress))).toBe(1);
	closeSync(file);
	memory.close();
}

test.each(jdks().flatMap(jdk => ways.filter(({on}) => on(jdk.release)).map(({flags}) => ({release: jdk.release, flags, jdk}))))('JDK $release $flags: stacks of running threads reach the root by legal calls, and it is said whether their lines are exact', async ({jdk, flags}) => {
	const java = await javaForTest('KnownCalls', {jdk, jvmArgs: flags, args: ['2']});
	const observer = await Observer.open(java.pid);
	const problems: string[] = [];
	const tops = new Set<string>();
	let stacks = 0;
	let unstopped = 0;
	while (stacks < wanted) {
		let isUnstopped = false;
		const threads = await observer.observe();
		for (const thread of threads.filter(({name}) => name.startsWith('running-'))) {
			// One that got no CPU could not be stopped: no stack at all, and it says so.
			if (thread.isIncomplete && thread.frames.length === 0) {
				unstopped++;
				isUnstopped = true;
				continue;
			}

			stacks++;
			tops.add(thread.frames[0]);
			const problem = thread.isIncomplete ? `incomplete: ${thread.frames.slice(0, 4).join(' < ')}` : source.problem(thread.frames);
			if (problem) {
				problems.push(problem);
			}

			expect(thread.state).toMatch(/RUNNABLE|BLOCKED/);
		}

		await sleep(isUnstopped ? 50 : 0);
	}

	expect(problems.length / stacks, problems.join('\n')).toBeLessThanOrEqual(tolerance);
	expect(unstopped).toBeLessThan(stacks / 4);
	expect(tops.size).toBeGreaterThan(5);
	expect(observer.session.finding).toBe(flags.includes('-XX:+DebugNonSafepoints') ? undefined : 'line numbers in compiled code are approximate');
	if (flags.length === 0) {
		setFlag(java.pid, 'DebugNonSafepoints');
		const later = await Observer.open(java.pid);
		await untilAsync(async () => {
			await later.observe();
			return later.session.finding === 'line numbers in code compiled before DebugNonSafepoints was set are approximate';
		});
	}
});
