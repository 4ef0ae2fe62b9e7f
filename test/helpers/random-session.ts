import {safe} from '../../source/util/printable.js';
import {lockKindCode} from '../../source/model/sample.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {stateCode} from '../../source/model/thread-state.js';
import {addToRing, emptyRing, type Ring, type RingBounds} from '../../source/query/past/past-ring.js';
import type {MomentFacts} from '../../source/query/past/window-body.js';
import {pick, seeded} from './random.js';
import {rowsOf} from './rows.js';
import {SessionBuilder} from './session-builder.js';

/** When random sessions begin. */
export const startMs = 1_700_000_000_000;

/** A session whose threads go about at random, a snapshot each second, with fractions as the clock has them. */
export function * randomSession(seconds: number, seed = 1): Generator<Snapshot> {
	const random = seeded(seed);
	const builder = new SessionBuilder();
	const threads = [builder.addThread({key: 1, name: safe`main`})];
	for (let second = 1; second <= seconds; second++) {
		if (random() < 0.2) {
			threads.push(builder.addThread({
				key: -1000 - threads.length,
				name: safe`worker-${threads.length}`,
				nativeId: pick(random, 99_999),
			}));
		}

		for (let times = pick(random, 4); times > 0; times--) {
			builder.setNow(threads[pick(random, threads.length)], {
				name:
					[
						safe``,
						safe`request ${pick(random, 99)} of customer \u{1F600}`,
						safe`request \u{1F601}${second}`,
						safe`idle`,
					][pick(random, 4)],
			});
		}

		for (let times = 0; times < 6; times++) {
			const thread = threads[pick(random, threads.length)];
			const node = builder.addStack([
				builder.addFrame('com.acme.Main', `method${pick(random, 9)}`, 'Main.java', pick(random, 40)),
			]);
			const state = [stateCode.RUNNABLE, stateCode.BLOCKED, stateCode.WAITING][pick(random, 3)];
			builder.count(thread, node, state, 1 + pick(random, 50), state === stateCode.RUNNABLE ? random() * 1e9 : 0);
			if (random() < 0.3) {
				builder.countEvent(thread, node, 'alloc', pick(random, 1e7) - 1e6);
			}

			builder.setNow(thread, {
				state,
				node,
				sinceMs: startMs + (second * 1000) + random(),
				alive: random() < 0.9,
				lockOwner: state === stateCode.BLOCKED ? threads[0] : -1,
			});
			if (state === stateCode.BLOCKED) {
				builder.addContention({
					thread, node, lockKind: lockKindCode.park, owner: threads[0], ticks: 1 + pick(random, 4),
				});
			}
		}

		const atMs = startMs + (second * 1000);
		yield builder.build({
			session: {
				samples: second * 50,
				durationMs: second * 1000,
				startedAtMs: startMs,
				takenAtMs: atMs + 12.5,
				lastSampleAtMs: atMs,
			},
		});
	}
}

/** The ring of the past of a session. */
export function ringOf(session: Iterable<Snapshot>, bounds?: RingBounds, facts: Partial<MomentFacts> = {}): Ring {
	let ring = emptyRing;
	for (const snapshot of session) {
		ring = addToRing(ring, snapshot, facts, bounds);
	}

	return ring;
}

/** What a snapshot says, whole numbers for fractions. */
export function saidBy(snapshot: Snapshot | undefined) {
	const rounded = (columns: Parameters<typeof rowsOf>[0]) =>
		rowsOf(columns).map(row =>
			Object.fromEntries(Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? Math.round(value) : value])));
	return snapshot
		&& {
			counters: rounded(snapshot.counters),
			contention: rounded(snapshot.contention),
			events: rounded(snapshot.events),
			threads: rounded(snapshot.threads),
			session: snapshot.session,
		};
}
