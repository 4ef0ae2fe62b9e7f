import type {SessionStats, Snapshot} from '../../model/snapshot.js';
import {countsOf, MovingMoment, type Counts} from './deltas.js';
import type {Ring, RingWindow} from './ring.js';
import {indexAt, windowOfCell} from './steps.js';
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
	/** The windows at whose ends `#window` ends and begins. */
	#ends: ReadonlyArray<RingWindow | undefined> = [];
	#window: PastWindow | undefined;

	/** Returns the window of the cell that ends at `atMs`; undefined if the ring is empty. */
	window(ring: Ring, atMs: number, spanMs: number): PastWindow | undefined {
		const found = windowOfCell(ring, atMs, spanMs);
		if (!found) {
			return undefined;
		}

		const ends = [ring.windows[found.to], windowOrBase(ring, found.from)];
		if (!this.#window || ends.some((end, index) => end !== this.#ends[index])) {
			this.#ends = ends;
			const moment = this.at(ring, found.to)!;
			this.#window = {
				...moment, since: this.at(ring, found.from)?.snapshot, toMs: ring.windows[found.to].atMs, fromMs: ends[1]?.atMs ?? moment.snapshot.session.startedAtMs,
			};
		}

		return this.#window;
	}

	/**
	Returns the session at the end of the window at `index` or, with -1, at the end of the ring's base; undefined if the
	ring has no base, that is, begins at the session's start. Throws RangeError or SyntaxError if a recording is malformed.
	*/
	at(ring: Ring, index: number): PastMoment | undefined {
		const window = windowOrBase(ring, index);
		if (!window || !ring.newest) {
			return undefined;
		}

		const moment = this.#kept.get(window) ?? this.#make(ring, ring.newest, index, window);
		this.#kept.delete(window);
		this.#kept.set(window, moment);
		for (const old of [...this.#kept.keys()].slice(0, -maxKept)) {
			this.#kept.delete(old);
		}

		return moment;
	}

	/** Makes the moment from the nearest one that is kept, or that the recording has whole. */
	#make(ring: Ring, newest: Snapshot, index: number, window: RingWindow): PastMoment {
		const {gaps = [], whole = []} = ring.recording ?? {};
		const capacity = countsOf(newest);
		const kept = [...this.#kept].filter(([known]) => known === ring.base || ring.windows.includes(known));
		const starts = [
			{at: ring.windows.length - 1, begin: () => new MovingMoment(newest, capacity)},
			...kept.map(([known, {snapshot}]) => ({at: ring.windows.indexOf(known), begin: () => new MovingMoment(snapshot, capacity)})),
			...Array.from(whole, ([at, body]) => ({at, begin: () => fromZeros(capacity, body)})),
		];
		const reachable = starts.filter(({at}) => hasNoGapBetween(gaps, at, index));
		const [nearest] = reachable.sort((a, b) => Math.abs(a.at - index) - Math.abs(b.at - index));
		const moving = nearest.begin();
		for (let {at} = nearest; at > index; at--) {
			moving.move(readBody(ring.windows[at].body()).changes, -1);
		}

		for (let {at} = nearest; at < index; at++) {
			moving.move(readBody(ring.windows[at + 1].body()).changes, 1);
		}

		const moment = momentFrom(moving, newest, readBody(window.body()));
		return ring.recording?.check(moment) ?? moment;
	}
}

/** Returns the moment after applying a body's changes to zeros; without a body, zeros. */
export function fromZeros(capacity: Counts, body: (() => Uint8Array) | undefined): MovingMoment {
	const moving = new MovingMoment(undefined, capacity);
	if (body) {
		moving.move(readBody(body()).changes, 1);
	}

	return moving;
}

/** What all moments of a session have in common. */
export type SessionFacts = Pick<Snapshot, 'target' | 'dictionary'> & {readonly session: Pick<SessionStats, 'engine' | 'timer'>};

/** Returns a moment of a session, with a window's figures at its end. */
export function momentFrom(moving: MovingMoment, {target, dictionary, session: {engine, timer}}: SessionFacts, {figures, counts, vitals, sourceNotes, reports}: WindowBody): PastMoment {
	return {
		snapshot: {
			target, session: {engine, timer, ...figures}, dictionary, ...moving.counted(counts), ...reports(),
		}, vitals, sourceNotes,
	};
}

/** Whether no windows are missing between the ends of two windows. */
function hasNoGapBetween(gaps: readonly number[], from: number, to: number): boolean {
	return gaps.every(gap => (from >= gap) === (to >= gap));
}

/** Returns the snapshots at which the windows `last-10s` and `refresh` begin when all of a recording is shown. */
export function recordedStarts(ring: Ring): WindowStarts {
	const lookBack = new LookBack();
	const last = ring.windows.length - 1;
	const begins = [indexAt(ring, (ring.windows.at(last)?.atMs ?? 0) - lastTenSecondsMs), last - 1].map(index => lookBack.at(ring, index)?.snapshot);
	return {refreshes: [...begins, ring.newest].filter(snapshot => snapshot !== undefined), resets: []};
}

/** Returns the window at an index or, with -1, the ring's base; undefined if the ring begins at the session's start. */
export function windowOrBase(ring: Ring, index: number): RingWindow | undefined {
	return index < 0 ? ring.base : ring.windows[index];
}
