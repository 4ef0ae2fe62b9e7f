import {describe, expect, test} from 'vitest';
import {Sample} from '../../../source/model/sample.js';
import type {PoolReading} from '../../../source/model/pool-reading.js';
import {byNumber} from '../../../source/query/columns/sort.js';
import {isNewestOrAskedFor, jdks, sayTo} from '../../helpers/jvm.js';
import {untilAsync} from '../../helpers/until.js';
import {javaForTest} from '../../helpers/for-test.js';
import {Observer} from '../observe.js';
import {poolNames, poolTruth} from './pool-truth.js';

/** Threads of each of the two pools of the same name. */
function twinsOf(pools: readonly PoolReading[]): number[] {
	return pools.filter(({name}) => name === 'twin').map(({threads}) => threads.length).toSorted(byNumber);
}

/** Certain readings of each pool that must be right; with ZGC, which leaves few certain, of all pools together. */
const least = 20;

describe.each(jdks().map(jdk => ({release: jdk.release, jdk})))('JDK $release', ({jdk}) => {
	test.each([
		'',
		...jdk.release >= 17 && isNewestOrAskedFor(jdk.release) ? ['-XX:+UseShenandoahGC', '-XX:+UseZGC'] : [],
	])('figures of pools are those of their getters while the program collects garbage %s', async option => {
		const jvmArgs = ['-Xmx256m', ...[option].filter(Boolean)];
		const java = await javaForTest('KnownPools', {jdk, args: ['garbage'], jvmArgs});
		const {session} = await Observer.open(java.pid);
		const {wrong, certain} = await poolTruth(java, session, {
			states: 5,
			readings: 10,
			isEnough(counts) {
				const all = [...counts.values()];
				return option.endsWith('UseZGC')
					? all.reduce((sum, count) => sum + count, 0) >= least
					: all.length === poolNames.length && all.every(count => count >= least);
			},
		});
		expect(wrong).toEqual([]);
		expect(twinsOf(session.readPools!())).toEqual([2]);
		await sayTo(java, 'twin');
		await session.sample(new Sample());
		await untilAsync(async () => twinsOf(session.readPools!()).join(' ') === '2 3');
		expect([...poolNames, 'twin']).toEqual(expect.arrayContaining([...certain.keys()]));
	});
});
