import {availableParallelism} from 'node:os';
import {expect, test} from 'vitest';
import {attachEngine} from '../../source/engines/attach/attach-engine.js';
import type {Engine, EngineOptions} from '../../source/engines/common/engine.js';
import {memoryEngine} from '../../source/engines/memory/memory-engine.js';
import {unattributed} from '../../source/model/frame.js';
import {stateCode} from '../../source/model/thread-state.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {queryThreads} from '../../source/views/threads/threads.js';
import {jdks, type JavaProcess} from '../helpers/jvm.js';
import {sum} from '../helpers/sum.js';
import {until} from '../helpers/until.js';
import {javaForTest} from '../helpers/for-test.js';
import {countedIn, sampleHere, samplerForTest} from '../helpers/sampling.js';

const withVirtualThreads = jdks().filter(({release}) => release >= 21);

/**
CPU time that must have counted, and, as few stops find a thread running, observations of threads where it did: records
need none.
*/
const enoughNs = 5e8;
const enoughObservations = 30;

/** Samples a program until enough of its CPU time has counted somewhere. */
async function sampled(java: JavaProcess, engine: Engine, timer: EngineOptions['timer']) {
	const {reader, session, stop} = await sampleHere(java, engine, {timer});
	/**
	CPU nanoseconds by `work`, if it is on the stack, or by the innermost method; with a star for threads that wait.
	*/
	const places = await until(() => {
		const found = new Map<string, number>();
		let observations = 0;
		for (
			const {state, methods, ticks, cpuNs} of countedIn(reader.read(1000)!).filter(({methods, cpuNs}) =>
				methods.length > 0 && cpuNs > 0)
		) {
			const isRunning = state === stateCode.RUNNABLE;
			const isWaiting = !isRunning && state !== stateCode.IDLE && methods[0] !== unattributed.method;
			const place = (methods.includes('work') ? 'work' : methods[0]) + (isWaiting ? '*' : '');
			found.set(place, (found.get(place) ?? 0) + cpuNs);
			observations += isRunning ? ticks : 0;
		}

		return sum(found.values()) >= enoughNs && (session.timer === 'perf' || observations >= enoughObservations)
			&& found;
	});
	await stop();
	return {timer: session.timer, places};
}

test.each(withVirtualThreads)(
	'JDK $release: virtual threads of short work: their CPU time counts there, none where carriers wait for the next',
	async jdk => {
		const java = await javaForTest('ShortWork', {jdk, args: ['virtual']});
		const seen = await Promise.all([
			sampled(java, memoryEngine, 'auto'),
			sampled(java, memoryEngine, 'stop'),
			// JDK 21 to 23 dump nothing of mounted virtual threads.
			...(jdk.release >= 24 ? [sampled(java, attachEngine, undefined)] : []),
		]);
		for (const {timer, places} of seen) {
			const text = `${timer ?? 'attach'}: ${JSON.stringify(Object.fromEntries(places))}`;
			expect([...places.keys()].filter(place => place.endsWith('*')), text).toEqual([]);
			// Some 60 to 75 % is right, by the machine and its load. Stops meet such short work seldom, and dumps on a
			// loaded machine so rarely that chance may do more.
			const part = timer === 'stop' ? 1 / 4 : 1 / 3;
			places.delete(unattributed.method);
			expect(places.get('work') ?? 0, text)
				.toBeGreaterThan(timer === undefined ? 0 : sum(places.values()) * part);
		}
	},
);

test.each(withVirtualThreads)(
	'JDK $release: virtual threads are a row for each kind, with the CPU time of those that ended',
	async jdk => {
		const java = await javaForTest('VirtualPerTask', {jdk});
		const sampler = await samplerForTest(java);
		const query = {...defaultQuery, foldPools: false, showsWaitsForWork: true};
		const kinds = () => queryThreads(sampler.read()!, undefined, query).rows.filter(({isVirtual}) => isVirtual);
		await until(() => sampler.read() !== undefined && sum(kinds().map(({cpuNs}) => cpuNs)) >= enoughNs);
		const rows = kinds();
		// Threads whose stacks cannot be read whole are a kind of their own.
		expect(rows.map(({name}) => name).filter(name => name !== '(virtual threads)').sort()).toEqual([
			'VirtualPerTask.unnamed',
			'handler-*',
		]);
		for (
			const {name, cpuNs, threadCount, mounted, threadKeys} of rows.filter(({name}) => name !== '(virtual threads)')
		) {
			expect(cpuNs, name).toBeGreaterThan(enoughNs / 10);
			expect(mounted, name).toBeLessThanOrEqual(threadCount);
			// Records for each carrier, not for each thread.
			expect(threadKeys.length, name).toBeLessThanOrEqual(4 * availableParallelism());
		}
	},
);
