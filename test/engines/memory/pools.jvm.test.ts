import {describe, expect, test} from 'vitest';
import {isNewestOrAskedFor, jdks} from '../../helpers/jvm.js';
import {javaForTest} from '../../helpers/for-test.js';
import {Observer} from '../observe.js';
import {poolNames, poolTruth} from './pool-truth.js';

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
		expect(poolNames).toEqual(expect.arrayContaining([...certain.keys()]));
	});
});
