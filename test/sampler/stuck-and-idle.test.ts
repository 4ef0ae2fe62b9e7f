import {setTimeout as sleep} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import {defaultQuery} from '../../source/query/types/query.js';
import {queryThreads} from '../../source/views/threads/threads.js';
import {jdks, type JavaProcess} from '../helpers/jvm.js';
import {until} from '../helpers/until.js';
import {javaForTest} from '../helpers/for-test.js';
import {samplerForTest} from '../helpers/sampling.js';

/** Names of pools that the Threads view lists, and of all. */
async function namesOf(java: JavaProcess, engine: string): Promise<{readonly listed: string[]; readonly all: string[]}> {
	const sampler = await samplerForTest(java, {engine});
	await until(() => (sampler.read()?.session.samples ?? 0) >= 20);
	const first = sampler.read()!;
	// What they were found doing first is over.
	await sleep(500);
	const names = (showIdle: boolean) => queryThreads(sampler.read()!, first, {...defaultQuery, sort: {column: 'name', reverse: false}, foldPools: true, showIdle}).rows.map(({name}) => name);
	return {listed: names(false), all: names(true)};
}

describe.each(jdks().map(jdk => ({release: jdk.release, jdk})))('JDK $release', ({jdk}) => {
	test.each(['memory', 'attach'])('threads that are stuck are listed, those without work are not (%s)', async engine => {
		const java = await javaForTest('StuckAndIdle', {jdk});
		const {listed, all} = await namesOf(java, engine);
		const ofProgram = /^(?:request|transfer|db|borrower|latch|fixed|cached|scheduled|fork-join|tomcat|timer|loop|selector|acceptor|writer|main)(?:-|$)/;
		expect(listed.filter(name => ofProgram.test(name))).toEqual(['borrower-*', 'db-*', 'latch-*', 'main', 'request-*', 'transfer-*', 'writer']);
		const idle = /^(?:fixed|cached|scheduled|fork-join|tomcat|timer|loop|selector|acceptor|Reference Handler|Finalizer|Signal Dispatcher)/;
		expect(new Set(all.flatMap(name => idle.exec(name) ?? []))).toEqual(new Set(['fixed', 'cached', 'scheduled', 'fork-join', 'tomcat', 'timer', 'loop', 'selector', 'acceptor', 'Reference Handler', 'Finalizer', 'Signal Dispatcher']));
		expect(listed.filter(name => idle.test(name))).toEqual([]);
	});
});
