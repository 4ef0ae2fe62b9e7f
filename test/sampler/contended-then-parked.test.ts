import {expect, test} from 'vitest';
import {stateCode} from '../../source/model/thread-state.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {queryThreads} from '../../source/views/threads/threads.js';
import {isNewestOrAskedFor, jdks, type JavaProcess} from '../helpers/jvm.js';
import {until} from '../helpers/until.js';
import {javaForTest} from '../helpers/for-test.js';
import {samplerForTest} from '../helpers/sampling.js';

/** What the program says of its threads: how long they were contended, and how long they were there. */
async function truth(of: JavaProcess): Promise<readonly [contendedNs: number, wholeNs: number]> {
	const before = of.output().length;
	of.child.stdin!.write('\n');
	const said = /contended (\d+) of (\d+)\n/;
	await until(() => said.test(of.output().slice(before)));
	const [, contended, whole] = said.exec(of.output().slice(before))!;
	return [Number(contended), Number(whole)];
}

test.each(jdks().filter(({release}) => isNewestOrAskedFor(release)).map(jdk => ({release: jdk.release, jdk})))('JDK $release: threads are contended for the right share of ticks, though their samples then cost more', async ({jdk}) => {
	const java = await javaForTest('ContendedThenParked', {jdk, args: ['60', '1']});
	const sampler = await samplerForTest(java, {maxCpuPercent: 5});
	await until(() => (sampler.read()?.session.samples ?? 0) >= 50);
	const [from, [contendedFrom, wholeFrom]] = [sampler.read()!, await truth(java)];
	await until(() => sampler.read()!.session.sampledMs - from.session.sampledMs >= 5000);
	const [to, [contendedTo, wholeTo]] = [sampler.read()!, await truth(java)];
	let [contended, whole] = [0, 0];
	for (const {name, states} of queryThreads(to, from, {...defaultQuery, foldPools: false, showIdle: true}).rows) {
		if (name.startsWith('worker-')) {
			contended += states[stateCode.BLOCKED] + states[stateCode.RUNNABLE];
			whole += states.reduce((sum, ticks) => sum + ticks, 0);
		}
	}

	expect(Math.abs((contended / whole) - ((contendedTo - contendedFrom) / (wholeTo - wholeFrom)))).toBeLessThan(0.1);
});
