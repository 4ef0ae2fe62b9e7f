import {setTimeout as sleep} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {isNewestOrAskedFor, jdks, type JavaProcess} from '../../../../helpers/jvm.js';
import {javaForTest, closedAfterTest} from '../../../../helpers/for-test.js';
import {openJvm} from '../../../../../source/engines/memory/open.js';
import {Continuations} from '../../../../../source/engines/memory/unwind/continuation.js';
import {TopFrame} from '../../../../../source/engines/memory/unwind/top-frame.js';
import {Walker} from '../../../../../source/engines/memory/unwind/walker.js';
import {CpuRings} from '../../../../../source/engines/memory/cpu/perf/cpu-rings.js';
import {loadPerfCalls} from '../../../../../source/engines/memory/cpu/perf/perf-calls.js';
import {RecordedStacks} from '../../../../../source/engines/memory/cpu/perf/recorded-stack.js';
import {Names, Observer} from '../../../observe.js';

/** Records, and the percentage points that a share may be off: three standard deviations and two; tried four times. */
const wanted = 400;
const tolerance = 6.5;

/** CPU time by the part of the program that a stack is in, as far as its frames are known. */
function partOf(frames: readonly string[]): string {
	return frames.map(frame => /^ReadsBelowBigFrames\.(reads|compute|descend):/.exec(frame)?.[1]).find(Boolean)
		?? frames[0] ?? '(none)';
}

/** What the program says it has used so far. */
async function cpuOf({child, output, waitFor}: JavaProcess): Promise<{
	readonly computeNs: number;
	readonly allNs: number;
}> {
	const answered = output().length;
	child.stdin?.write('\n');
	await waitFor(new RegExp(`^[^]{${answered}}cpu \\d+ \\d+\ndone`));
	const [readsNs, computeNs] = /^cpu (\d+) (\d+)$/m.exec(output().slice(answered))!.slice(1).map(Number);
	return {computeNs, allNs: readsNs + computeNs};
}

test.each(jdks().filter(({release}) => isNewestOrAskedFor(release)))(
	'JDK $release: a record below a big frame of native code counts for that, not for Java code beside it',
	async on => {
		const java = await javaForTest('ReadsBelowBigFrames', {jdk: on, under: []});
		const observer = await Observer.open(java.pid, {timer: 'perf'});
		const before = await cpuOf(java);
		const spent = new Map<string, number>();
		let count = 0;
		let outBy = Infinity;
		for (let round = 1; round <= 4 && outBy >= tolerance; round++) {
			while (count < round * wanted) {
				await sleep(20);
				for (const {name, credits} of await observer.observe()) {
					for (const {cpuNs, frames} of name === 'worker' ? credits : []) {
						spent.set(partOf(frames), (spent.get(partOf(frames)) ?? 0) + cpuNs);
						count++;
					}
				}
			}

			const after = await cpuOf(java);
			const all = [...spent.values()].reduce((sum, ns) => sum + ns, 0);
			const shown = 100 * (spent.get('compute') ?? 0) / all;
			const truth = 100 * (after.computeNs - before.computeNs) / (after.allNs - before.allNs);
			outBy = Math.abs(shown - truth);
		}

		expect(outBy).toBeLessThan(tolerance);
	},
);

/** The native methods that VirtualEcho calls, and what calls them in any JDK. */
const callers: Readonly<Record<string, RegExp>> = {
	read0: /SocketDispatcher\.read:/,
	write0: /SocketDispatcher\.write:/,
	wait: /EPoll/,
	ctl: /EPoll/,
	park: /concurrent\.|VirtualThread\./,
	unpark: /concurrent\.|VirtualThread\./,
};

test.each(jdks().filter(({release}) => release >= 21))(
	'JDK $release: a carrier that has gone on does not lend its native call to the record before',
	async on => {
		const {pid} = await javaForTest('VirtualEcho', {jdk: on, under: []});
		const observer = await Observer.open(pid, {timer: 'perf'});
		const strange: string[] = [];
		let count = 0;
		while (count < wanted) {
			await sleep(20);
			const threads = await observer.observe();
			for (const {frames} of threads.flatMap(({credits}) => credits)) {
				const method = /\.(\w+):-2$/.exec(frames[0] ?? '')?.[1] ?? '';
				if (Object.hasOwn(callers, method)) {
					count++;
					strange.push(...callers[method].test(frames[1]) ? [] : [`${frames[0]} < ${frames[1]}`]);
				}
			}
		}

		expect(strange.length, strange.join('\n')).toBeLessThan(wanted / 100);
	},
);

/* Without a block there is no anchor: only the search remains. descend() left its return addresses below reads(). */
test.each(jdks().filter(({release}) => isNewestOrAskedFor(release)))(
	'JDK $release: return addresses that earlier calls left below native code are not taken for callers',
	async on => {
		const java = await javaForTest('ReadsBelowBigFrames', {jdk: on, under: []});
		const names = new Names();
		const jvm = openJvm(java.pid, names);
		closedAfterTest(jvm.memory);
		const walker = new Walker(jvm);
		const stacks = new RecordedStacks(jvm, java.pid, {
			walker,
			top: new TopFrame(jvm, walker),
			continuations: new Continuations(jvm),
		});
		const rings = closedAfterTest(CpuRings.open(loadPerfCalls(), java.pid, 4e6) as CpuRings);
		const parts: string[] = [];
		while (parts.length < wanted) {
			await sleep(50);
			jvm.methods.beginSample();
			jvm.code.beginSample();
			for (const record of rings.take().records) {
				const stack = stacks.walk(record);
				if (stack) {
					parts.push(partOf(Array.from(stack.frames, frame => names.frames[frame])));
				}
			}
		}

		expect(parts.filter(part => part === 'descend').length).toBeLessThan(wanted / 50);
		expect(parts.filter(part => part === 'reads').length).toBeGreaterThan(wanted * 0.8);
	},
);
