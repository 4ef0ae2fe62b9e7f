import {fromNames, namesOf} from '../../model/column-types.js';
import {sessionFigures} from '../../model/schema.js';
import type {Snapshot} from '../../model/snapshot.js';
import {countsOf, MovingMoment, type Counts} from './deltas.js';
import type {Ring, RingWindow} from './ring.js';
import {indexAt, windowOfCell} from './steps.js';
import {readBody, type Looked, type WindowBody} from './window-body.js';
import {lastMs, type Past} from './windows.js';

/** A window of the past, as every view takes it. */
export type PastWindow = Looked & {
	/** Undefined: the session's start. */
	readonly since: Snapshot | undefined;
	readonly fromMs: number;
	readonly toMs: number;
};

/** Snapshots kept to begin the next look at. */
const maxKept = 4;

/** Makes snapshots of moments that a ring remembers. The same question gets the same answer, the very object. */
export class LookBack {
	/** The one asked for last comes last. */
	readonly #kept = new Map<RingWindow, Looked>();
	#asked: ReadonlyArray<RingWindow | undefined> = [];
	#window: PastWindow | undefined;

	/** The window of the cell that ends at `atMs`; undefined while the ring is empty. */
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
	What stood at a window's end, by its index; -1: of the ring's base, undefined where that is the session's start.
	Throws RangeError or SyntaxError for a recording that holds nonsense.
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

	/** The moment reached from the nearest one of which there is a snapshot. */
	#moved(ring: Ring, newest: Snapshot, index: number, window: RingWindow): Looked {
		const {figures, columns, gaps = []} = ring.recording ?? {};
		const room = countsOf(newest);
		let [at, begin]: [number, () => MovingMoment] = [ring.windows.length - 1, () => new MovingMoment(newest, room, columns)];
		const offer = (other: number, begins: () => MovingMoment) => {
			const isNearer = !isReached(gaps, at, index) || Math.abs(other - index) < Math.abs(at - index);
			[at, begin] = isNearer && isReached(gaps, other, index) ? [other, begins] : [at, begin];
		};

		for (const [known, {snapshot}] of this.#kept) {
			const other = known === ring.base ? -1 : ring.windows.indexOf(known);
			if (other >= 0 || known === ring.base) {
				offer(other, () => new MovingMoment(snapshot, room, columns));
			}
		}

		for (const [other, body] of ring.recording?.whole ?? []) {
			offer(other, () => fromNothing(room, ring, body));
		}

		const moving = begin();
		for (; at > index; at--) {
			moving.move(readBody(ring.windows[at].body(), figures).changes, -1);
		}

		for (; at < index; at++) {
			moving.move(readBody(ring.windows[at + 1].body(), figures).changes, 1);
		}

		return lookedAt(moving, newest, readBody(window.body(), figures), ring);
	}
}

/** A moment of a recording that is led to from nothing. */
export function fromNothing(room: Counts, {recording}: Ring, body: (() => Uint8Array) | undefined): MovingMoment {
	const moving = new MovingMoment(undefined, room, recording?.columns);
	if (body) {
		moving.move(readBody(body(), recording?.figures).changes, 1);
	}

	return moving;
}

/** The moment, of the session that `newest` is a snapshot of. */
export function lookedAt(moving: MovingMoment, newest: Snapshot, {figures, counts, vitals, said, reports}: WindowBody, {recording}: Ring): Looked {
	const {engine, timer} = newest.session;
	const session = {engine, timer, ...fromNames(namesOf(sessionFigures), name => figures[name] ?? 0)};
	const looked: Looked = {snapshot: {...moving.snapshot(newest, session, counts), ...reports()}, vitals, said};
	return recording?.check(looked) ?? looked;
}

/** Whether changes lead from the end of one window to that of another. */
function isReached(gaps: readonly number[], from: number, to: number): boolean {
	return gaps.every(gap => (from >= gap) === (to >= gap));
}

/** The snapshots that windows of a recording begin at, when all of it is shown. */
export function recordedPast(ring: Ring): Past {
	const lookBack = new LookBack();
	const last = ring.windows.length - 1;
	const begins = [indexAt(ring, (ring.windows.at(last)?.atMs ?? 0) - lastMs), last - 1].map(index => lookBack.at(ring, index)?.snapshot);
	return {refreshes: [...begins, ring.newest].filter(snapshot => snapshot !== undefined), resets: []};
}

function momentOf(ring: Ring, index: number): RingWindow | undefined {
	return index < 0 ? ring.base : ring.windows[index];
}
