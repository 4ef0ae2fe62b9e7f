import type {SessionStats, Snapshot} from '../../model/snapshot.js';
import {countsOf, MovingMoment, type Counts} from './deltas.js';
import type {Ring, RingWindow} from './ring.js';
import {indexAt, windowOfCell} from './steps.js';
import {readBody, type Looked, type WindowBody} from './window-body.js';
import {lastMs, type Past} from './windows.js';

/** A window of the past. */
export type PastWindow = Looked & {
	/** Undefined: the session's start. */
	readonly since: Snapshot | undefined;
	readonly fromMs: number;
	readonly toMs: number;
};

/** Snapshots kept, from which the next one may be near. */
const maxKept = 4;

/** Makes snapshots of past moments; asked again, it returns the same object, for caches of the views. */
export class LookBack {
	/** The least recently used first. */
	readonly #kept = new Map<RingWindow, Looked>();
	#asked: ReadonlyArray<RingWindow | undefined> = [];
	#window: PastWindow | undefined;

	/** Returns the window of the cell that ends at `atMs`; undefined if the ring is empty. */
	window(ring: Ring, atMs: number, spanMs: number): PastWindow | undefined {
		const found = windowOfCell(ring, atMs, spanMs);
		if (!found) {
			return undefined;
		}

		const asked = [ring.windows[found.to], momentOf(ring, found.from)];
		if (!this.#window || asked.some((moment, index) => moment !== this.#asked[index])) {
			this.#asked = asked;
			const looked = this.at(ring, found.to)!;
			this.#window = {
				...looked, since: this.at(ring, found.from)?.snapshot, toMs: ring.windows[found.to].atMs, fromMs: asked[1]?.atMs ?? looked.snapshot.session.startedAtMs,
			};
		}

		return this.#window;
	}

	/**
	Returns the session at the end of a window, by its index; -1: of the base, undefined if that is the session's start.
	Throws RangeError or SyntaxError if a recording is malformed.
	*/
	at(ring: Ring, index: number): Looked | undefined {
		const window = momentOf(ring, index);
		if (!window || !ring.newest) {
			return undefined;
		}

		const looked = this.#kept.get(window) ?? this.#moved(ring, ring.newest, index, window);
		this.#kept.delete(window);
		this.#kept.set(window, looked);
		for (const old of [...this.#kept.keys()].slice(0, -maxKept)) {
			this.#kept.delete(old);
		}

		return looked;
	}

	/** Goes to the moment from the nearest one that is kept, or that the recording has whole. */
	#moved(ring: Ring, newest: Snapshot, index: number, window: RingWindow): Looked {
		const {gaps = [], whole = []} = ring.recording ?? {};
		const room = countsOf(newest);
		const begins: ReadonlyArray<readonly [at: number, begin: () => MovingMoment]> = [
			[ring.windows.length - 1, () => new MovingMoment(newest, room)],
			...[...this.#kept].filter(([known]) => known === ring.base || ring.windows.includes(known))
				.map(([known, {snapshot}]) => [ring.windows.indexOf(known), () => new MovingMoment(snapshot, room)] as const),
			...[...whole].map(([other, body]) => [other, () => fromNothing(room, body)] as const),
		];
		const nearest = begins.filter(([other]) => isReached(gaps, other, index)).sort(([a], [b]) => Math.abs(a - index) - Math.abs(b - index));
		const [from, begin] = nearest.at(0) ?? begins[0];
		const moving = begin();
		let at = from;
		for (; at > index; at--) {
			moving.move(readBody(ring.windows[at].body()).changes, -1);
		}

		for (; at < index; at++) {
			moving.move(readBody(ring.windows[at + 1].body()).changes, 1);
		}

		const looked = lookedAt(moving, newest, readBody(window.body()));
		return ring.recording?.check(looked) ?? looked;
	}
}

/** Returns the moment to which a body with changes from zeros leads; undefined: zeros. */
export function fromNothing(room: Counts, body: (() => Uint8Array) | undefined): MovingMoment {
	const moving = new MovingMoment(undefined, room);
	if (body) {
		moving.move(readBody(body()).changes, 1);
	}

	return moving;
}

/** What all moments of a session have in common. */
export type Session = Pick<Snapshot, 'target' | 'dictionary'> & {readonly session: Pick<SessionStats, 'engine' | 'timer'>};

/** Returns the moment of a session. */
export function lookedAt(moving: MovingMoment, {target, dictionary, session: {engine, timer}}: Session, {figures, counts, vitals, said, reports}: WindowBody): Looked {
	return {
		snapshot: {
			target, session: {engine, timer, ...figures}, dictionary, ...moving.counted(counts), ...reports(),
		}, vitals, said,
	};
}

/** Whether no windows are missing between the ends of two windows. */
function isReached(gaps: readonly number[], from: number, to: number): boolean {
	return gaps.every(gap => (from >= gap) === (to >= gap));
}

/** Returns the snapshots at which windows of a whole recording begin. */
export function recordedPast(ring: Ring): Past {
	const lookBack = new LookBack();
	const last = ring.windows.length - 1;
	const begins = [indexAt(ring, (ring.windows.at(last)?.atMs ?? 0) - lastMs), last - 1].map(index => lookBack.at(ring, index)?.snapshot);
	return {refreshes: [...begins, ring.newest].filter(snapshot => snapshot !== undefined), resets: []};
}

/** Returns the window at whose end a moment is, by its index; -1: the ring's base, undefined if that is the session's start. */
export function momentOf(ring: Ring, index: number): RingWindow | undefined {
	return index < 0 ? ring.base : ring.windows[index];
}
