import {lockKindCode} from '../../model/sample.js';
import type {Snapshot} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import {attributedPlace} from '../now.js';
import {placeKey} from '../facts/place.js';
import {byNumber, byText} from '../columns/sort.js';
import {isOfJvm} from '../facts/thread-kind.js';
import type {Holder, Place} from '../types.js';
import {holdersOf} from './holders.js';
import {programPlace} from './hold-ups.js';

/** A place where threads stood, in how many samples, and how many threads did. */
export type WaitRow = {readonly place: Place; readonly ticks: number; readonly threadCount: number};

/** Such a place where a lock held them up, and who held it up most; undefined where nobody is known. */
export type HeldUpRow = WaitRow & {readonly holder?: Holder};

type Sums = {readonly place: Place; ticks: number; readonly threads: Set<number>; readonly nodes: Set<number>};

/**
Places where threads were held up since the session's start, the most samples first: those BLOCKED (at the line that the
Lines view has), and those parked for a lock that another thread owned, such as a ReentrantLock (at the program's own
line that asked for it). A sleep, or a wait for a signal or for work, is not such a place. At most `limit` of them.
*/
export function queryHeldUp(snapshot: Snapshot, limit: number): HeldUpRow[] {
	const {facts, contention} = snapshot;
	const places = new Places();
	for (let fact = 0; fact < facts.count; fact++) {
		if (facts.state[fact] === stateCode.BLOCKED) {
			places.add(attributedPlace(snapshot, facts.node[fact]), facts, fact);
		}
	}

	for (let index = 0; index < contention.count; index++) {
		if (contention.lockKind[index] === lockKindCode.park && contention.owner[index] >= 0) {
			places.add(programPlace(snapshot, contention.node[index]), contention, index);
		}
	}

	return places.sorted().slice(0, limit).map(({place, ticks, threads, nodes}) => ({
		place, ticks, threadCount: threads.size, holder: holdersOf(snapshot, undefined, {threads: undefined}, node => nodes.has(node)).find(({ownerName}) => ownerName !== undefined),
	}));
}

/**
Places where the program's threads waited or idled since the session's start, the most samples first: the program's own
line where there is one. Threads that every JVM has for itself are left out. At most `limit` places.
*/
export function queryWaits(snapshot: Snapshot, limit: number): WaitRow[] {
	const {facts, threads} = snapshot;
	const places = new Places();
	for (let fact = 0; fact < facts.count; fact++) {
		const [thread, node, state] = [facts.thread[fact], facts.node[fact], facts.state[fact]];
		const isWaiting = state === stateCode.WAITING || state === stateCode.TIMED_WAITING || state === stateCode.IDLE;
		if (isWaiting && !isOfJvm(threads.flags[thread], threads.name[thread])) {
			places.add(programPlace(snapshot, node), facts, fact);
		}
	}

	return places.sorted().slice(0, limit).map(({place, ticks, threads}) => ({place, ticks, threadCount: threads.size}));
}

/** Samples by place. */
class Places {
	readonly #sums = new Map<string, Sums>();

	/** Counts a row of facts or contention for a place; nothing without Java frames. */
	add(place: Place | undefined, rows: {readonly thread: Int32Array; readonly node: Int32Array; readonly ticks: Int32Array}, row: number): void {
		if (!place || rows.ticks[row] <= 0) {
			return;
		}

		const key = placeKey(place, 'line');
		const sums = this.#sums.get(key) ?? {
			place, ticks: 0, threads: new Set(), nodes: new Set(),
		};
		this.#sums.set(key, sums);
		sums.ticks += rows.ticks[row];
		sums.threads.add(rows.thread[row]);
		sums.nodes.add(rows.node[row]);
	}

	sorted(): Sums[] {
		return [...this.#sums].sort(([a, aSums], [b, bSums]) => byNumber(bSums.ticks, aSums.ticks) || byText(a, b)).map(([, sums]) => sums);
	}
}
