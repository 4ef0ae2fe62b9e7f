import {lockKindCode} from '../../model/sample.js';
import type {Snapshot} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import {locationKey} from '../counters/location.js';
import {byNumber, byText} from '../columns/sort.js';
import {isOfJvm} from '../counters/thread-kind.js';
import type {Holder, Location} from '../types/rows.js';
import {attributedLocation} from './newest-sample.js';
import {holdersOf} from './holders.js';
import {programLocation} from './contention.js';

/** A place where threads stood, in how many samples, and how many threads did. */
export type WaitRow = {readonly location: Location; readonly ticks: number; readonly threadCount: number};

/** Such a place where a lock held them up, and who held it up most; undefined where nobody is known. */
export type ContentionRow = WaitRow & {readonly holder?: Holder};

type Sums = {readonly location: Location; ticks: number; readonly threads: Set<number>; readonly nodes: Set<number>};

/**
Places where threads were held up since the session's start, the most samples first: those BLOCKED (at the line that the
Lines view has), and those parked for a lock that another thread owned, such as a ReentrantLock (at the program's own
line that asked for it). A sleep, or a wait for a signal or for work, is not such a place. At most `limit` of them.
*/
export function queryContention(snapshot: Snapshot, limit: number): ContentionRow[] {
	const {counters, contention} = snapshot;
	const locations = new Locations();
	for (let counter = 0; counter < counters.count; counter++) {
		if (counters.state[counter] === stateCode.BLOCKED) {
			locations.add(attributedLocation(snapshot, counters.node[counter]), counters, counter);
		}
	}

	for (let index = 0; index < contention.count; index++) {
		if (contention.lockKind[index] === lockKindCode.park && contention.owner[index] >= 0) {
			locations.add(programLocation(snapshot, contention.node[index]), contention, index);
		}
	}

	return locations.sorted().slice(0, limit).map(({location, ticks, threads, nodes}) => ({
		location, ticks, threadCount: threads.size, holder: holdersOf(snapshot, undefined, {threads: undefined}, node => nodes.has(node)).find(({ownerName}) => ownerName !== undefined),
	}));
}

/**
Places where the program's threads waited or idled since the session's start, the most samples first: the program's own
line where there is one. Threads that every JVM has for itself are left out. At most `limit` places.
*/
export function queryWaits(snapshot: Snapshot, limit: number): WaitRow[] {
	const {counters, threads} = snapshot;
	const locations = new Locations();
	for (let counter = 0; counter < counters.count; counter++) {
		const [thread, node, state] = [counters.thread[counter], counters.node[counter], counters.state[counter]];
		const isWaiting = state === stateCode.WAITING || state === stateCode.TIMED_WAITING || state === stateCode.IDLE;
		if (isWaiting && !isOfJvm(threads.flags[thread], threads.name[thread])) {
			locations.add(programLocation(snapshot, node), counters, counter);
		}
	}

	return locations.sorted().slice(0, limit).map(({location, ticks, threads}) => ({location, ticks, threadCount: threads.size}));
}

/** Samples by place. */
class Locations {
	readonly #sums = new Map<string, Sums>();

	/** Counts a row of counters or contention for a place; nothing without Java frames. */
	add(location: Location | undefined, rows: {readonly thread: Int32Array; readonly node: Int32Array; readonly ticks: Float64Array}, row: number): void {
		if (!location || rows.ticks[row] <= 0) {
			return;
		}

		const key = locationKey(location, 'line');
		const sums = this.#sums.get(key) ?? {
			location, ticks: 0, threads: new Set(), nodes: new Set(),
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
