import {expect, test} from 'vitest';
import type {Snapshot} from '../../source/model/snapshot.js';
import {lockKindCode} from '../../source/model/sample.js';
import {stateCode} from '../../source/model/thread-state.js';
import {defaultQuery, type Query} from '../../source/query/types/query.js';
import {locationName} from '../../source/query/counters/location.js';
import {queryBlockers, blockerColumns, holderText, type BlockerRow} from '../../source/views/blockers/blockers.js';
import {cycleText, deadlockText, deadlocksOf} from '../../source/query/locks/deadlocks.js';
import {blockersView} from '../../source/views/blockers/blockers-view.js';
import {Picture, undent} from '../helpers/picture.js';

const query = (changes: Partial<Query> = {}): Query => ({...defaultQuery, sort: blockersView.sort, ...changes});

/** A level is two blanks. */
const chains = (snapshot: Snapshot, changes: Partial<Query> = {}, since?: Snapshot): string =>
	queryBlockers(snapshot, since, query(changes)).rows
		.map(row =>
			`${'  '.repeat(row.depth)}${row.isDeadlocked ? '!' : ''}${row.holderName || '?'} ${row.lockClass} <- ${
				row.waiters.map(({name, isNow, waitedMs}) => `${name}${isNow ? '' : ' (was)'} ${waitedMs}ms`).join(', ')
			}`)
		.join('\n');

/** Since when threads have stood where they are, in pictures of deadlocks. */
const standing = {sinceMs: 95_000};

const chain = (): Picture => new Picture().draw(`
	b <- a@take:8 | B B | main:1 | lock:5
	c <- b@run:6  | B B | main:1 | wait:7
	d <- b@run:6  | w B | main:1 | rest:3 wait:7
	a             | R R | main:2 | java.lang.Math.sin:9
`);

test('a window has the waits in it alone, and who waits now', () => {
	const drawing = chain();
	const since = drawing.build({samples: 2, sampledMs: 1000});
	drawing.draw('c <- b@run:6 | B | main:1 | wait:7\nd | R | main:1');
	drawing.set('d', {lockKind: 0, lockOwner: -1});
	expect(chains(drawing.build({samples: 3, sampledMs: 1500}), {}, since)).toBe(undent(`
		a java.lang.Object <- b 0ms
		  b java.lang.Object <- c 500ms
	`));
	expect(chains(drawing.build({samples: 4, sampledMs: 2000}))).toContain('d (was)');
});

test('holders for which nobody waits any more are one row for a class of locks, on the screen', () => {
	const drawing = new Picture();
	for (const holder of ['h1', 'h2', 'h3']) {
		drawing.draw(`
			${holder} | R | main:2
			w1 <- ${holder}@take:8 | B | main:1 | lock:5
			w2 <- ${holder}@take:8 | B | main:1 | lock:5
		`);
	}

	drawing.draw('w2 | R | main:1').set('w2', {lockKind: 0, lockOwner: -1});
	const snapshot = drawing.build({samples: 4, sampledMs: 2000});
	const {rows, allRows} = queryBlockers(snapshot, undefined, query({foldPools: true}));
	expect([rows.map(row => holderText(row)), allRows]).toEqual([['h3', '2 earlier ones'], 2]);
	expect(rows.map(({waitedMs, waitingNow, waiterCount}) => [waitedMs, waitingNow, waiterCount]))
		.toEqual([[1000, 1, 2], [2000, 0, 2]]);
	expect(queryBlockers(snapshot, undefined, query()).rows.map(row => holderText(row))).toEqual(['h3', 'h1', 'h2']);
	const [, earlier] = rows;
	expect(blockersView.titleLines(earlier, 80, undefined).map(line => line?.text).filter(Boolean)).toEqual([
		'java.lang.Object held by 2 earlier ones', '0 threads wait now; 2s of waiting in the window',
	]);
	expect(blockersView.threadsOf!(earlier).label).toBe('2 threads behind 2 earlier ones');
	expect(queryBlockers(snapshot, undefined, query({foldPools: true, filter: 'h2'})).rows).toHaveLength(1);
});

test.each([
	['lock:5', 2],
	['wait:7', 2],
	['take:8', 1],
	['blocked>1', 2],
	['thread:b', 1],
	['nothing', 0],
])(
	'the filter %s keeps a lock by its holder, class, places and waiters, and what it hangs from: %i rows',
	(filter, count) => {
		expect(chains(chain().build(), {filter}).split('\n').filter(Boolean)).toHaveLength(count);
	},
);

test('a park that no thread blocks is none; a lock of java.util.concurrent is one, though its holder is not known', () => {
	const drawing = new Picture().draw('idle | w | main:1\nwriter | w | main:2')
		.set('idle', {
			lockKind: lockKindCode.park,
			lockClass: 'java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject',
		})
		.set('writer', {
			lockKind: lockKindCode.park,
			lockClass: 'java.util.concurrent.locks.ReentrantReadWriteLock$NonfairSync',
		});
	expect(chains(drawing.build()))
		.toBe('? java.util.concurrent.locks.ReentrantReadWriteLock$NonfairSync <- writer 0ms');
});

const circle = (): Picture => new Picture().draw(`
	one <- three@take:1      | B | enter:4
	two <- one@take:2        | B | enter:4
	three <- two@take:3 park | w | java.util.concurrent.locks.LockSupport.park:211 | enter:9
	four <- one@take:2       | B | other:7
`);

test('a deadlock is a cycle of threads that have not moved for a while', () => {
	const drawing = circle();
	expect(deadlocksOf(drawing.build())).toEqual([]);
	drawing.set(['one', 'two', 'three', 'four'], standing);
	const found = deadlocksOf(drawing.build());
	expect(found.map(members => cycleText(members))).toEqual(['one -> three -> two -> one']);
	expect(found[0].map(({at}) => at && locationName(at))).toEqual(['A.enter:4', 'A.enter:9', 'A.enter:4']);
	expect(deadlockText(found[0]))
		.toBe('deadlock of 3 threads: one waits at A.enter:4 for java.lang.Object held by three (taken at A.take:1); three waits at A.enter:9 for java.lang.Object held by two (taken at A.take:3); two waits at A.enter:4 for java.lang.Object held by one (taken at A.take:2)');
	expect(queryBlockers(drawing.build(), undefined, query()).rows.map(({holderName, depth, isDeadlocked}) => [holderName, depth, isDeadlocked])).toEqual([['one', 0, true], ['two', 1, true], ['three', 2, true]]);
});

test.each([[13, 'and 1 more thread'], [14, 'and 2 more threads']])(
	'a deadlock of %i threads ends with "%s"',
	(count, end) => {
		const drawing = new Picture();
		const names = Array.from({length: count}, (_, index) => `t${index}`);
		for (const [index, name] of names.entries()) {
			drawing.draw(`${name} <- ${names[(index + 1) % count]}@take:1 | B | enter:4`);
		}

		expect(deadlockText(deadlocksOf(drawing.set(names, standing).build())[0]).split('; ').at(-1)).toBe(end);
	},
);

test.each([
	['has stood in its place for less than a second', {sinceMs: 99_001}],
	['has waited for that one for less than a second', {lockOwnerSinceMs: 99_001}],
	['waits with a limit of time', {state: stateCode.TIMED_WAITING}],
	['runs', {lockKind: 0}],
	['has ended', {alive: 0}],
])('a circle of which one %s is none', (_, change) => {
	expect(deadlocksOf(circle().set(['one', 'two', 'three'], standing).set('two', change).build())).toEqual([]);
});

test('a thread that has just got its lock does not wait for itself; one that holds a lock for reading and wants it for writing does', () => {
	const drawing = new Picture().draw(`
		got <- got@take:2         | B | enter:4
		handed <- handed park     | w | java.util.concurrent.locks.LockSupport.park:211 | enter:9
		upgrades <- upgrades park | w | java.util.concurrent.locks.LockSupport.park:211 | enter:9
	`);
	drawing.set(['got', 'handed', 'upgrades'], standing).set('upgrades', {lockReaders: 1});
	expect(deadlocksOf(drawing.build()).map(members => cycleText(members))).toEqual(['upgrades -> upgrades']);
});

test('of many threads in any order every circle is found once', () => {
	const drawing = new Picture();
	const names = Array.from({length: 900}, (_, index) => `t${index}`);
	// Threes in a circle, each with a tail of three that wait for it.
	for (const index of names.keys()) {
		const place = index % 6;
		drawing.draw(`t${index} <- t${index - place + (place < 3 ? (place + 1) % 3 : place - 1)} | B | x:1`);
	}

	drawing.set(names, standing);
	const snapshot = drawing.build();
	expect(deadlocksOf(snapshot).map(members => members.length)).toEqual(Array.from({length: 150}, () => 3));
	const {rows, allRows} = queryBlockers(snapshot, undefined, query());
	expect(rows).toHaveLength(allRows);
	expect(new Set(rows.map(({key}) => key)).size).toBe(allRows);
});

test('at 80 columns the lock of a class that is being initialised is its initialiser, whole', () => {
	const context = {room: 14, fullNames: false, measure: 'cpu', overMs: 0} as const;
	const lock = blockerColumns.find(({id}) => id === 'lock')!;
	const cell = (lockClass: string) => lock.value({kind: 'class-init', lockClass} as BlockerRow, context);
	expect([cell('com.acme.Warehouse$Slow'), cell('')]).toEqual(['Slow.<clinit>', 'class init']);
});
