import {closeSync, openSync, writeSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import {openJvm} from '../../../source/engines/memory/open.js';
import {isNewestOrAskedFor, jdks} from '../../helpers/jvm.js';
import {javaForTest} from '../../helpers/for-test.js';
import {untilAsync} from '../../helpers/until.js';
import {Names, Observer, type ObservedThread} from '../observe.js';
import {ProgramSource} from './legal-calls.js';

/** Stacks checked for each way to run KnownCalls, and for the other programs. */
const wanted = 600;
const wantedOfOthers = 300;

/**
At most this part may be incomplete; none may be wrong. A thread that gets no CPU between two samples counts twice.
*/
const tolerance = 0.02;

/** Takes samples until there are enough stacks of threads with this name. `unstopped`: how often one had no stack. */
async function stacksOf(
	observer: Observer,
	name: string,
	count: number,
): Promise<{stacks: ObservedThread[]; unstopped: number}> {
	const stacks: ObservedThread[] = [];
	let unstopped = 0;
	while (stacks.length < count) {
		const all = await observer.observe();
		const threads = all.filter(thread => thread.name.startsWith(name));
		// One that got no CPU could not be stopped: no stack at all, and it says so.
		const stopped = threads.filter(({isIncomplete, frames}) => !isIncomplete || frames.length > 0);
		stacks.push(...stopped);
		unstopped += threads.length - stopped.length;
		await sleep(stopped.length < threads.length ? 50 : 0);
	}

	return {stacks, unstopped};
}

/** Expects all stacks to be legal, and almost all complete. */
function expectLegal(stacks: readonly ObservedThread[], source?: ProgramSource): void {
	const [incomplete, complete] = [
		stacks.filter(({isIncomplete}) => isIncomplete),
		stacks.filter(({isIncomplete}) => !isIncomplete),
	];
	expect(complete.map(({frames}) => source?.problem(frames)).filter(problem => problem !== undefined)).toEqual([]);
	expect(incomplete.length / stacks.length, incomplete.map(({frames}) => frames.slice(0, 4).join(' < ')).join('\n'))
		.toBeLessThanOrEqual(tolerance);
}

/** The frames of the interpreter and of compiled code differ between releases; what else flags change does not. */
const ways: ReadonlyArray<{readonly flags: string[]; readonly on: (release: number) => boolean}> = [
	{flags: [], on: () => true},
	{
		flags: ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'],
		on: release => release >= 17 && isNewestOrAskedFor(release),
	},
	{flags: ['-XX:+UseZGC'], on: release => release >= 21 && isNewestOrAskedFor(release)},
	{flags: ['-Xint'], on: release => release >= 17 && isNewestOrAskedFor(release)},
	{
		flags: ['-XX:+UnlockDiagnosticVMOptions', '-XX:+DebugNonSafepoints'],
		on: release => release >= 17 && isNewestOrAskedFor(release),
	},
];

/**
Sets a flag of the JVM while it runs, as a profiler's agent does that finds it by HotSpot's tables: the byte behind it.
*/
function setFlag(pid: number, wantedName: string): void {
	const {memory, vm: {reader, layout: {fields, sizes}}} = openJvm(pid, new Names());
	const rows = reader.pointer(fields.flags);
	const flag = Array.from({length: reader.u32(fields.flagCount)}, (_, index) => rows + (index * sizes.flag))
		.find(row => {
			const name = reader.word(row + fields.flagName);
			return name !== 0 && reader.cString(name) === wantedName;
		});
	const file = openSync(`/proc/${pid}/mem`, 'r+');
	expect(writeSync(file, Uint8Array.of(1), 0, 1, reader.pointer(flag! + fields.flagAddress))).toBe(1);
	closeSync(file);
	memory.close();
}

test.each(jdks().flatMap(jdk =>
	ways.filter(({on}) => on(jdk.release)).map(({flags}) => ({release: jdk.release, flags, jdk}))))(
	'JDK $release $flags: stacks of running threads reach the root by legal calls, and it is said whether their lines are exact',
	async ({jdk, flags}) => {
		const java = await javaForTest('KnownCalls', {jdk, jvmArgs: flags, args: ['2']});
		const observer = await Observer.open(java.pid);
		const {stacks, unstopped} = await stacksOf(observer, 'running-', wanted);
		expectLegal(stacks, new ProgramSource('KnownCalls'));
		expect(stacks.filter(({state}) => state !== 'RUNNABLE' && state !== 'BLOCKED')).toEqual([]);
		expect(new Set(stacks.map(({frames}) => frames[0])).size).toBeGreaterThan(5);
		expect(unstopped).toBeLessThan(stacks.length / 4);
		expect(observer.session.lineNote).toBe(flags.includes('-XX:+DebugNonSafepoints')
			? undefined
			: 'line numbers in compiled code are approximate');
		if (flags.length === 0) {
			setFlag(java.pid, 'DebugNonSafepoints');
			const later = await Observer.open(java.pid);
			await untilAsync(async () => {
				await later.observe();
				return later.session.lineNote
					=== 'line numbers in code compiled before DebugNonSafepoints was set are approximate';
			});
		}
	},
);

/** The first compiler's code calls a stub to test a type; on 8 also the second's pushes a register. */
const typeTests: ReadonlyArray<{readonly flags: string[]; readonly on: (release: number) => boolean}> = [
	{flags: ['-XX:TieredStopAtLevel=1'], on: () => true},
	{flags: [], on: release => release === 8 || isNewestOrAskedFor(release)},
	{flags: ['-XX:+UnlockDiagnosticVMOptions', '-XX:+DebugNonSafepoints'], on: release => release === 8},
];

describe.each(jdks().map(jdk => ({release: jdk.release, jdk})))('JDK $release', ({release, jdk}) => {
	test.each(typeTests.filter(({on}) => on(release)))(
		'threads that test types have their callers, though there are temporary values on their stacks: $flags',
		async ({flags}) => {
			const java = await javaForTest('TypeTests', {jdk, jvmArgs: flags, args: ['2']});
			const {stacks} = await stacksOf(await Observer.open(java.pid), 'running-', wantedOfOthers);
			expectLegal(stacks, new ProgramSource('TypeTests'));
		},
	);

	test('stacks are complete, by whatever way one method has come to be called by another', async () => {
		const java = await javaForTest('CallsEveryWay', {jdk, args: ['2']});
		const {stacks} = await stacksOf(await Observer.open(java.pid), 'calling-', wantedOfOthers);
		expectLegal(stacks);
	});
});
