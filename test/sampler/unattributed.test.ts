import {afterEach, expect, test} from 'vitest';
import {memoryEngine} from '../../source/engines/memory/engine.js';
import {unattributed, unattributedReasons} from '../../source/model/frame.js';
import {SamplingLoop} from '../../source/sampler/loop.js';
import {createTable} from '../../source/table/layout.js';
import {TableReader} from '../../source/table/reader.js';
import {TableWriter} from '../../source/table/writer.js';
import {type JavaProcess, startJava} from '../helpers/jvm.js';
import {targetOf} from '../helpers/target.js';
import {until} from '../helpers/until.js';

let java: JavaProcess | undefined;

afterEach(async () => {
	await java?.stop();
});

test.each(['perf', 'stop'] as const)('unobserved CPU time is in one row, with its reason, and all time counts once: %s', async timer => {
	java = await startJava('WakesOften');
	const buffer = createTable();
	const writer = new TableWriter(buffer);
	const session = await memoryEngine.open(await targetOf(java), {depth: Infinity, timer}, writer);
	const loop = new SamplingLoop({
		session, writer, intervalMs: 20, maxOverheadPercent: 100, report: () => undefined,
	});
	const done = loop.run();
	const reader = new TableReader(buffer);
	const sums = () => {
		const {counters, threads, dictionary, figures} = reader.read(1000)!;
		const at = (fact: number) => dictionary.strings[dictionary.frameClass[dictionary.nodeFrame[counters.node[fact]]]];
		const all = counters.cpuNs.subarray(0, counters.count);
		return {
			usedNs: threads.cpuNs.subarray(0, threads.count).reduce((sum, ns) => sum + ns, 0),
			countedNs: all.reduce((sum, ns) => sum + ns, 0),
			unattributedNs: all.reduce((sum, ns, fact) => sum + (at(fact) === unattributed.className ? ns : 0), 0),
			reason: unattributedReasons[figures.unattributedReason],
		};
	};

	await until(() => sums().usedNs >= 1.5e9);
	loop.stop();
	await done;
	await session.close();
	const {usedNs, countedNs, unattributedNs, reason} = sums();
	expect(Math.abs(countedNs - usedNs)).toBeLessThan(1e-6 * usedNs);
	expect(unattributedNs).not.toBe(0);
	expect(reason).toMatch(timer === 'stop' ? /^threads not observed running$/ : /no timer sees|lost|without root/);
});
