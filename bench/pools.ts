/*
Whether figures of pools are right: those of test/programs/KnownPools.java, which collects garbage meanwhile, beside
what its pools' own getters say. Goal: none is wrong, unless its row says that it is uncertain. "unread": percent of the
readings in which a pool could not be read; it keeps its figures then. The numbers of the command line are states of the
pools, and readings of all pools in each; TPROF_BENCH_ONLY takes some of the collectors, TPROF_BENCH_JDKS some of the
JDKs.
*/
import process from 'node:process';
import {memoryEngine} from '../source/engines/memory/memory-engine.js';
import {poolTruth} from '../test/engines/memory/pool-truth.js';
import {nice, startJava, targetOf} from '../test/helpers/jvm.js';
import {wanted, wantedJdks} from './support/only.js';

const states = Number(process.argv[2] ?? 20);
const readings = Number(process.argv[3] ?? 20);

/** Options of each collector, and the first release that has them. */
const collectors: Readonly<Record<string, {readonly first: number; readonly options: readonly string[]}>> = {
	g1: {first: 8, options: ['-XX:+UseG1GC']},
	parallel: {first: 8, options: ['-XX:+UseParallelGC']},
	serial: {first: 8, options: ['-XX:+UseSerialGC']},
	compact: {first: 24, options: ['-XX:+UnlockExperimentalVMOptions', '-XX:+UseCompactObjectHeaders']},
	wide: {first: 8, options: ['-XX:-UseCompressedOops']},
	shenandoah: {first: 17, options: ['-XX:+UseShenandoahGC']},
	z: {first: 17, options: ['-XX:+UseZGC']},
	'z-generational': {first: 21, options: ['-XX:+UseZGC', '-XX:+ZGenerational', '-XX:+IgnoreUnrecognizedVMOptions']},
};

for (const jdk of wantedJdks()) {
	for (const name of wanted(Object.keys(collectors))) {
		const {first, options} = collectors[name];
		if (jdk.release < first) {
			continue;
		}

		let java;
		try {
			java = await startJava('KnownPools', {jdk, under: nice, args: ['garbage'], jvmArgs: ['-Xmx256m', ...options]});
		} catch {
			console.log(`${jdk.release} ${name}: this build lacks it`);
			continue;
		}

		const session = await memoryEngine.open(await targetOf(java), {depth: 1, timer: 'stop'}, {
			internString: () => 0,
			internFrame: () => 0,
		});
		const {read, unread, uncertain, wrongUncertain, wrong} = await poolTruth(java, session, {states, readings});
		await session.close();
		await java.stop();
		const unreadPercent = (100 * unread / (read + unread)).toFixed(1);
		console.log(`${jdk.release} ${name}: ${read} read, ${wrong.length} wrong, ${uncertain} uncertain (${wrongUncertain} wrong), ${unreadPercent}% unread`);
		for (const line of wrong.slice(0, 3)) {
			console.log(`  ${line}`);
		}
	}
}
