import type {Snapshot, TargetVitals} from '../../model/snapshot.js';
import {MovingMoment, changesOf, type Counted} from './deltas.js';
import {sessionAt, type Moment, type Ring} from './ring.js';
import {windowOfCell} from './steps.js';

/** A window of the past, as every view takes it. */
export type PastWindow = {
	readonly snapshot: Snapshot;
	/** Undefined: the session's start. */
	readonly since: Snapshot | undefined;
	readonly vitals: TargetVitals;
	readonly fromMs: number;
	readonly toMs: number;
};

/** Snapshots kept to begin the next look at. */
const maxKept = 4;

/** Makes snapshots of moments that a ring remembers. The same question gets the same answer, the very object. */
export class LookBack {
	/** The one asked for last comes last. */
	readonly #kept = new Map<Moment, Snapshot>();
	#asked: ReadonlyArray<Moment | undefined> = [];
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
			const snapshot = this.at(ring, found.to)!;
			const {atMs: toMs, vitals} = ring.windows[found.to];
			this.#window = {
				snapshot, since: this.at(ring, found.from), vitals, toMs, fromMs: asked[1]?.atMs ?? snapshot.session.startedAtMs,
			};
		}

		return this.#window;
	}

	/** The snapshot of a window's end, by its index; -1: of the ring's base, undefined where that is the session's start. */
	at(ring: Ring, index: number): Snapshot | undefined {
		const moment = momentOf(ring, index);
		if (!moment || !ring.newest) {
			return undefined;
		}

		const snapshot = this.#kept.get(moment) ?? this.#moved(ring, ring.newest, index, moment);
		this.#kept.delete(moment);
		this.#kept.set(moment, snapshot);
		for (const old of [...this.#kept.keys()].slice(0, -maxKept)) {
			this.#kept.delete(old);
		}

		return snapshot;
	}

	/** The moment reached from the nearest one of which there is a snapshot. */
	#moved(ring: Ring, newest: Snapshot, index: number, moment: Moment): Snapshot {
		let [at, from]: [number, Counted] = [ring.windows.length - 1, newest];
		for (const [known, snapshot] of this.#kept) {
			const other = known === ring.base ? -1 : ring.windows.indexOf(known as Ring['windows'][number]);
			if ((other >= 0 || known === ring.base) && Math.abs(other - index) < Math.abs(at - index)) {
				[at, from] = [other, snapshot];
			}
		}

		const moving = new MovingMoment(from, ring.windows.at(-1)!.counts);
		for (; at > index; at--) {
			moving.move(changesOf(ring.windows[at]), -1);
		}

		for (; at < index; at++) {
			moving.move(changesOf(ring.windows[at + 1]), 1);
		}

		return moving.snapshot(newest, sessionAt(moment, newest), moment.counts);
	}
}

function momentOf(ring: Ring, index: number): Moment | undefined {
	return index < 0 ? ring.base : ring.windows[index];
}
