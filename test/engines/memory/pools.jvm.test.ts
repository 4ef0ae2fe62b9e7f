import {describe, expect, test} from 'vitest';
import {readersOf} from '../../../source/engines/memory/hotspot/jvm.js';
import {resolveLayout} from '../../../source/engines/memory/hotspot/layout.js';
import {findSymbols, readVmStructs} from '../../../source/engines/memory/hotspot/vm-structs.js';
import {openVm} from '../../../source/engines/memory/hotspot/vm.js';
import {ownArchitecture} from '../../../source/engines/memory/target/own-architecture.js';
import {Pools} from '../../../source/engines/memory/pools/read-pools.js';
import {ProcessMemory, type Memory} from '../../../source/engines/memory/target/memory.js';
import {Reader} from '../../../source/engines/memory/target/memory-reader.js';
import {JavaThreads} from '../../../source/engines/memory/threads/java-threads.js';
import {NativeIds} from '../../../source/jvm/threads/native-ids.js';
import {Sample} from '../../../source/model/sample.js';
import type {PoolReading} from '../../../source/model/pool-reading.js';
import {byNumber} from '../../../source/query/columns/sort.js';
import {isNewestOrAskedFor, jdks, sayTo} from '../../helpers/jvm.js';
import {until, untilAsync} from '../../helpers/until.js';
import {pick, seeded} from '../../helpers/random.js';
import {closedAfterTest, javaForTest} from '../../helpers/for-test.js';
import {Names, Observer} from '../observe.js';
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

/** A live memory in which some of what is read is changed, once it lies. */
class LyingMemory implements Memory {
	lies = false;
	readonly #random = seeded(5);

	constructor(readonly live: Memory) {}

	read(address: number, into: Uint8Array, offset: number, length: number): number {
		const got = this.live.read(address, into, offset, length);
		// Whole pages are read: about two words in a thousand change.
		for (let at = offset; this.lies && at + 4 <= offset + got; at += 4) {
			if (this.#random() < 0.002) {
				into.fill(pick(this.#random, 256), at, at + 1 + pick(this.#random, 4));
			}
		}

		return got;
	}
}

test('pools in memory that lies are read within bounds, or not at all', async () => {
	const java = await javaForTest('KnownPools');
	await sayTo(java, 'state 1');
	const memory = new LyingMemory(closedAfterTest(new ProcessMemory(java.pid)));
	const reader = new Reader(memory);
	const vm = openVm(reader, resolveLayout(readVmStructs(reader, findSymbols(java.pid))), ownArchitecture);
	const jvm = readersOf(vm, new Names());
	const threads = [...new JavaThreads(vm, new NativeIds({pid: java.pid, nsPid: java.pid})).list()];
	const pools = new Pools(jvm);
	await until(() => pools.read(threads).length > 5);
	memory.lies = true;
	let isWrong = false;
	for (let round = 0; round < 300 || !isWrong; round++) {
		for (const {size, queued, threads: keys, name} of (round % 3 === 0 ? new Pools(jvm) : pools).read(threads)) {
			expect(keys.length).toBeLessThanOrEqual(threads.length);
			expect(name.length).toBeLessThanOrEqual(512);
			expect(size).toBeLessThanOrEqual(10_000);
			isWrong ||= queued > 100;
		}
	}
});
