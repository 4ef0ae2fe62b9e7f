import path from 'node:path';
import {expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {Sample} from '../../source/model/sample.js';
import {stateCode} from '../../source/model/thread-state.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {waitOf, fullWaitText} from '../../source/query/locks/wait-of.js';
import {SampledWaits} from '../../source/sampler/sampled-waits.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import {namespaceRefusal, rootless} from '../helpers/users.js';
import {jdks, piped} from '../helpers/jvm.js';
import {folderForTest, javaForTest} from '../helpers/for-test.js';
import {samplerForTest, snapshotOf} from '../helpers/sampling.js';

/** What each thread waits for, by name, with the end of its connection. */
function waitsIn(snapshot: Snapshot): ReadonlyMap<string, string> {
	const {threads} = snapshot;
	return new Map(Array.from({length: threads.count}, (_, thread) => {
		const wait = waitOf(snapshot, thread, {});
		return [threads.name[thread], wait ? fullWaitText(wait) : ''] as const;
	}));
}

/** First releases in which a child is waited for with a condition, and sockets of Unix can be had. */
const withUnix = 16;

test.each(jdks())('JDK $release: what threads wait for is what the program knows, with both engines', async jdk => {
	const {release} = jdk;
	const unix = path.join(folderForTest(), 'unix.sock');
	const java = await javaForTest('KnownPeers', {jdk, under: piped, args: release >= withUnix ? [unix] : []});
	const portOf = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(java.output())![1]);
	await Promise.all(['memory', 'attach'].map(async engine => {
		const sampler = await samplerForTest(java, {engine, waits: true, intervalMs: engine === 'memory' ? 20 : 200});
		const waits = waitsIn(await snapshotOf(sampler, snapshot => {
			const found = waitsIn(snapshot);
			return found.get('wait-for-initialiser')?.startsWith('class') === true
				&& ![...found.values()].some(wait => wait.startsWith('native call'));
		}));
		const expected: ReadonlyArray<readonly [name: string, wait: RegExp | string]> = [
			['read-v4', new RegExp(`^read 127\\.0\\.0\\.1:${portOf('v4')} \\(127\\.0\\.0\\.1:\\d+\\)$`)],
			['read-v4-with-limit', new RegExp(`^read 127\\.0\\.0\\.1:${portOf('v4')} \\(127\\.0\\.0\\.1:\\d+\\)$`)],
			['read-v6', new RegExp(`^read \\[::1\\]:${portOf('v6')} \\(port \\d+\\)$`)],
			['read-client', `read clients of :${portOf('v4')} (127.0.0.1:${portOf('client')})`],
			['write-v6', new RegExp(`^write \\[::1\\]:${portOf('v6')} \\(port \\d+\\)$`)],
			['accept', `accept :${portOf('acceptor')}`],
			['connect', new RegExp(`^connect 127\\.0\\.0\\.1:${portOf('full')} \\(127\\.0\\.0\\.1:\\d+\\)$`)],
			['receive-udp', `read UDP 127.0.0.1:${portOf('udp')}`],
			['select-accept', `select connections to 127.0.0.1:${portOf('selector')}`],
			['select-read', `select 127.0.0.1:${portOf('v4')}`],
			['wait-for-child', 'child'],
			['read-child', 'read pipe'],
			['process reaper', /^child sleep \(pid \d+\)$/],
			['read-stdin', 'read pipe (standard input)'],
			['wait-in-queue', 'queue LinkedBlockingQueue'],
			['wait-for-lock', engine === 'memory' ? 'lock ReentrantLock held by main' : 'lock ReentrantLock'],
			['wait-for-ended', engine === 'memory' ? 'lock ReentrantLock held by ended-holder' : 'lock ReentrantLock'],
			['wait-for-condition', 'condition'],
			['sleep', 'sleep'],
			[
				'wait-for-initialiser',
				engine === 'memory' || release >= 17
					? 'class init NeverMade.<clinit> run by run-initialiser'
					: /^class init/,
			],
			['Reference Handler', 'references'],
			...(release >= withUnix
				? [
					['read-unix', `read ${unix}`],
					['read-unix-client', `read clients of ${unix}`],
					['accept-unix', `accept ${unix}`],
				] as const
				: []),
		];
		const found = expected.map(([name]) => [
			name,
			[...waits].find(([thread, wait]) =>
				thread.startsWith(name) && (name !== 'connect' || wait.startsWith(name)))?.[1],
		]);
		expect(found, engine)
			.toEqual(expected.map(([name, wait]) => [name, typeof wait === 'string' ? wait : expect.stringMatching(wait) as unknown]));
	}));
});

const ownNetwork = [...rootless, '--net'];

test.skipIf(namespaceRefusal(ownNetwork))('peers are those of the target\'s own network namespace', async () => {
	const java = await javaForTest('KnownPeers', {
		under: ['unshare', ...ownNetwork, 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...piped],
	});
	const sampler = await samplerForTest(java, {waits: true});
	const port = /^v6 (\d+)$/m.exec(java.output())![1];
	await snapshotOf(
		sampler,
		snapshot => new RegExp(`^read \\[::1\\]:${port} `).test(waitsIn(snapshot).get('read-v6') ?? ''),
	);
});

/** So late that no sample runs out of time for reading. */
const farMs = () => performance.now() + 1_000_000;

/** A sample of threads that are idle at stacks of their own. */
function idleSample(count: number): Sample {
	const sample = new Sample();
	for (let thread = 1; thread <= count; thread++) {
		const row = sample.addThread(thread, 10_000 + thread, safe`idle-${thread}`);
		sample.state[row] = stateCode.IDLE;
		sample.addFrame(2 + thread);
	}

	return sample;
}

/** The sample again, with nothing changed but the CPU time of one thread. */
function again(sample: Sample, changed = -1): void {
	const {count} = sample;
	sample.restart();
	for (let row = 0; row < count; row++) {
		sample.keepThread();
		sample.isSame[row] = row === changed ? 0 : 1;
		sample.cpuNs[row] = row === changed ? 1000 : 0;
	}
}

/** Reads from peers with these names. */
function callsBy(peer: () => string): ConstructorParameters<typeof SampledWaits>[1] {
	const read = () => ({kind: 'read', peer: peer(), end: 7});
	return {of: read, ofFile: read};
}

test('at most a thousand are read in a second, and who stays is read again after ten', () => {
	let reads = 0;
	const waits = new SampledWaits(new SnapshotBuilder(), callsBy(() => {
		reads++;
		return 'somebody';
	}));
	const sample = idleSample(1500);
	const startMs = farMs();
	const readsAt = (ms: number) => {
		reads = 0;
		waits.fill(sample, startMs + ms);
		again(sample);
		return reads;
	};

	expect([0, 20, 1000, 1020, 2000, 9000, 10_500, 11_600].map(ms => readsAt(ms))).toEqual([
		1000,
		0,
		500,
		0,
		0,
		0,
		1000,
		500,
	]);
});

test('what a sample has no time to read, the next one reads', () => {
	let reads = 0;
	const waits = new SampledWaits(new SnapshotBuilder(), callsBy(() => {
		reads++;
		return 'somebody';
	}));
	const sample = idleSample(800);
	// The time for reading is over before the first thread.
	waits.fill(sample, performance.now() - 60_000);
	expect(reads).toBe(0);
	again(sample);
	waits.fill(sample, farMs());
	expect(reads).toBe(800);
});

test('a thread that has run is read again, and keeps what is known of its stack until then', () => {
	const interner = new SnapshotBuilder();
	let peer = 'one';
	const waits = new SampledWaits(interner, callsBy(() => peer));
	const sample = idleSample(2);
	const startMs = farMs();
	waits.fill(sample, startMs);
	const peers = () => Array.from(sample.waitPeer.subarray(0, 2), id => interner.build().dictionary.strings[id]);
	expect(peers()).toEqual(['one', 'one']);
	peer = 'two';
	again(sample, 1);
	waits.fill(sample, startMs + 20);
	expect(peers()).toEqual(['one', 'one']);
	expect(sample.isSame[1]).toBe(0);
	again(sample);
	waits.fill(sample, startMs + 1000);
	expect([peers(), [...sample.isSame.subarray(0, 2)]]).toEqual([['one', 'two'], [1, 0]]);
});

test('names of peers that keep changing do not fill the dictionary', () => {
	const interner = new SnapshotBuilder();
	let count = 0;
	const waits = new SampledWaits(interner, callsBy(() => `10.0.0.1:${count++}`));
	const sample = idleSample(1);
	const startMs = farMs();
	for (let pass = 0; pass < 3000; pass++) {
		again(sample, 0);
		waits.fill(sample, startMs + (pass * 1000));
	}

	const {strings} = interner.build().dictionary;
	expect(count).toBeGreaterThan(2100);
	expect(strings.length).toBeLessThan(2100);
	expect(strings[sample.waitPeer[0]]).toBe('(other peers)');
});
