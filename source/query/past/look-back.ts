import type {SessionStats, Snapshot} from '../../model/snapshot.js';
import {countsOf, MovingMoment, type Counts} from './deltas.js';
import type {Ring, RingWindow} from './past-ring.js';
import {indexAt, windowsOfInterval} from './steps.js';
import {readBody, type PastMoment, type WindowBody} from './window-body.js';
import {lastTenSecondsMs, type WindowStarts} from './windows.js';

/** A window of the past. */
export type PastWindow = PastMoment & {
	/** Undefined: the session's start. */
	readonly since: Snapshot | undefined;
	readonly fromMs: number;
	readonly toMs: number;
};

/** Moments kept: the next one asked for is probably near one of them. */
const maxKept = 4;

/** Makes snapshots of past moments; asked again, it returns the same object, for caches of the views. */
export class LookBack {
	/** The least recently used first. */
	readonly #kept = new Map<RingWindow, PastMoment>();
	#window: PastWindow | undefined;

	/** Returns the window of the interval that ends at `atMs`; undefined if the ring is empty. */
	window(ring: Ring, atMs: number, spanMs: number): PastWindow | undefined {
		const found = windowsOfInterval(ring, atMs, spanMs);
		if (!found) {
			return undefined;
		}

		const [moment, since] = [this.at(ring, found.to)!, this.at(ring, found.from)?.snapshot];
		if (this.#window?.snapshot !== moment.snapshot || this.#window.since !== since) {
			const fromMs = windowOrBase(ring, found.from)?.atMs ?? moment.snapshot.session.startedAtMs;
			this.#window = {...moment, since, fromMs, toMs: ring.windows[found.to].atMs};
		}

		return this.#window;
	}

	/**
	Returns the session at the end of the window at `index` or, with -1, at the end of the ring's base; undefined if the
	ring has no base, that is, begins at the session's start. Throws RangeError or SyntaxError if a recording is
	malformed.
	*/
	at(ring: Ring, index: number): PastMoment | undefined {
		const window = windowOrBase(ring, index);
		if (!window || !ring.newest) {
			return undefined;
		}

		const moment = this.#kept.get(window)
			?? momentAt(ring, index, ring.newest, countsOf(ring.newest), this.#startsIn(ring));
		this.#kept.delete(window);
		this.#kept.set(window, moment);
		for (const old of [...this.#kept.keys()].slice(0, -maxKept)) {
			this.#kept.delete(old);
		}

		return moment;
	}

	/** The newest moment and those kept, by the index of the window at whose end they are. */
	#startsIn({windows, base, newest}: Ring): Array<readonly [at: number, snapshot: Snapshot]> {
		const kept = [...this.#kept].filter(([window]) => window === base || windows.includes(window));
		return [
			[windows.length - 1, newest!],
			...kept.map(([window, {snapshot}]) => [windows.indexOf(window), snapshot] as const),
		];
	}
}

/**
Makes the moment at the end of the window at `index` (-1: of the base) from the nearest one of `known`, or that the
recording has whole. Throws RangeError or SyntaxError if a recording is malformed.
*/
export function momentAt(
	ring: Ring,
	index: number,
	facts: SessionFacts,
	capacity: Counts,
	known: ReadonlyArray<readonly [at: number, snapshot: Snapshot]> = [],
): PastMoment {
	const {gaps = [], whole = []} = ring.recording ?? {};
	const starts = [
		...known.map(([at, snapshot]) => ({at, begin: () => new MovingMoment(snapshot, capacity)})),
		...Array.from(whole, ([at, body]) => ({at, begin: () => fromZeros(capacity, body && readBody(body()))})),
	];
	const reachable = starts.filter(({at}) => gaps.every(gap => (at >= gap) === (index >= gap)));
	const [nearest] = reachable.sort((a, b) => Math.abs(a.at - index) - Math.abs(b.at - index));
	const moving = nearest.begin();
	for (let {at} = nearest; at > index; at--) {
		moving.move(readBody(ring.windows[at].body()).changes, -1);
	}

	for (let {at} = nearest; at < index; at++) {
		moving.move(readBody(ring.windows[at + 1].body()).changes, 1);
	}

	const moment = momentFrom(moving, facts, readBody(windowOrBase(ring, index)!.body()));
	return ring.recording?.check(moment) ?? moment;
}

/** Returns the moment after applying a body's changes to zeros; without a body, zeros. */
export function fromZeros(capacity: Counts, body: WindowBody | undefined): MovingMoment {
	const moving = new MovingMoment(undefined, capacity);
	if (body) {
		moving.move(body.changes, 1);
	}

	return moving;
}

/** What all moments of a session have in common. */
export type SessionFacts = Pick<Snapshot, 'target' | 'dictionary'> & {
	readonly session: Pick<SessionStats, 'engine' | 'timer'>;
};

/** Returns a moment of a session, with a window's figures at its end. */
export function momentFrom(
	moving: MovingMoment,
	{target, dictionary, session: {engine, timer}}: SessionFacts,
	{figures, counts, vitals, sourceNotes, reports}: WindowBody,
): PastMoment {
	return {
		snapshot: {
			target, session: {engine, timer, ...figures}, dictionary, ...moving.counted(counts), ...reports(),
		}, vitals, sourceNotes,
	};
}

/** Returns the snapshots at which the windows `last-10s` and `refresh` begin when all of a recording is shown. */
export function recordedStarts(ring: Ring): WindowStarts {
	const lookBack = new LookBack();
	const last = ring.windows.length - 1;
	const begins = [indexAt(ring, (ring.windows.at(last)?.atMs ?? 0) - lastTenSecondsMs), last - 1].map(index =>
		lookBack.at(ring, index)?.snapshot);
	return {refreshes: [...begins, ring.newest].filter(snapshot => snapshot !== undefined), resets: []};
}

/** Returns the window at an index or, with -1, the ring's base; undefined if the ring begins at the session's start. */
export function windowOrBase(ring: Ring, index: number): RingWindow | undefined {
	return index < 0 ? ring.base : ring.windows[index];
}
