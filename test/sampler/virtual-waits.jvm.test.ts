import {describe, expect, test} from 'vitest';
import {printable} from '../../source/util/printable.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {waitText} from '../../source/query/locks/wait-of.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {queryBlockers} from '../../source/views/blockers/blockers.js';
import {blockersView} from '../../source/views/blockers/blockers-view.js';
import {queryThreads} from '../../source/views/threads/threads.js';
import {waitsView} from '../../source/views/waits/waits-view.js';
import {queryWaits} from '../../source/views/waits/waits.js';
import {sharedJava} from '../helpers/for-test.js';
import {jdks} from '../helpers/jvm.js';
import {samplerForTest} from '../helpers/sampling.js';
import {until} from '../helpers/until.js';

const query = {...defaultQuery, showsWaitsForWork: true};

/** How many threads wait for what, as Waits shows it. */
function waitsIn(snapshot: Snapshot): Readonly<Record<string, number>> {
	const {rows} = queryWaits(snapshot, undefined, {...query, sort: waitsView.sort});
	return Object.fromEntries(rows.map(row => [waitText(row), row.threadCount]));
}

/** Who holds what, and who waits for it now, as Blockers shows it. */
function blockersIn(snapshot: Snapshot): string[] {
	return queryBlockers(snapshot, undefined, {...query, sort: blockersView.sort}).rows.filter(({waitingNow}) =>
		waitingNow > 0).map(({holderName, lockClass, waiters}) => (
		`${holderName || '?'} ${lockClass.replace(/^.*[.$]/, '')} <- ${
			waiters.map(({name, threadCount}) => `${name} ${threadCount}`).sort().join(', ')
		}`
	)).sort();
}

/** The newest sample in which what is read is what is expected; what it was, if that does not come. */
async function expectSoon<T>(read: () => T, expected: T): Promise<void> {
	let found = read();
	try {
		await until(() => {
			found = read();
			return JSON.stringify(found) === JSON.stringify(expected);
		}, 30_000);
	} finally {
		expect(found).toEqual(expected);
	}
}

const cases = jdks().filter(({release}) => release >= 21).flatMap(jdk =>
	(jdk.release >= 25 ? ['G1', 'Z', 'Shenandoah'] : ['G1', 'Shenandoah']).map(collector => ({
		release: jdk.release,
		jdk,
		collector,
	})));

describe.each(cases)('JDK $release, $collector', ({release, jdk, collector}) => {
	const shared = sharedJava('VirtualWaitsEveryWay', {
		jdk,
		jvmArgs: ['--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED', `-XX:+Use${collector}GC`],
	});
	const hasMonitors = release >= 24;

	test('what virtual threads that are not mounted wait for, and who holds it', async () => {
		const sampler = await samplerForTest(shared.java, {waits: true, maxVirtualThreads: 1000});
		const [, silent, accepting] = /^ports (\d+) (\d+)$/m.exec(shared.java.output())!;
		const expected = {
			[`read 127.0.0.1:${silent}`]: 30,
			[`accept 127.0.0.1:${accepting}`]: 1,
			'queue LinkedBlockingQueue': 6,
			condition: 7,
			'lock ReentrantLock held by holder': 21,
			...(hasMonitors ? {'monitor Ledger held by keeper': 9, 'wait Bell': 9} : {}),
		};
		await expectSoon(() => {
			const snapshot = sampler.read();
			const waits = snapshot ? waitsIn(snapshot) : {};
			return Object.fromEntries(Object.keys(expected).map(name => [name, waits[name]]));
		}, expected);
		await expectSoon(() => blockersIn(sampler.read()!), [
			'holder NonfairSync <- platform-wants 1, wants-* 20',
			...(hasMonitors ? ['keeper Ledger <- enters-* 8, platform-enters 1'] : []),
		]);
	});

	test('threads in scopes that platform and virtual threads have opened are seen; where nobody asks for files, it is said that they wait for a socket', async () => {
		const sampler = await samplerForTest(shared.java, {maxVirtualThreads: 1000});
		const kinds = ['inScope', 'inScopeOfVirtual'].map(method => printable(`VirtualWaitsEveryWay.${method}`));
		await expectSoon(() => {
			const snapshot = sampler.read();
			const threadsOf = new Map(snapshot
				? queryThreads(snapshot, undefined, query).rows.map(({name, threadCount}) => [name, threadCount])
				: []);
			return kinds.map(kind => threadsOf.get(kind));
		}, [11, 12]);
		await expectSoon(() => {
			const snapshot = sampler.read();
			const waiters = snapshot
				? queryWaits(snapshot, undefined, {...query, sort: waitsView.sort}).rows.find(({kind}) =>
					kind === 'socket')?.waiters ?? []
				: [];
			return waiters.filter(({name}) => /^(?:reader-\*|acceptor)$/.test(name)).map(({threadCount}) => threadCount)
				.sort((a, b) => a - b);
		}, [1, 30]);
	});
});
