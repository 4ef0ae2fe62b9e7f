import {unknownFigure, type HeldConnection, type PoolKind, type PoolReading} from '../../../model/pool-reading.js';
import {Growth, overMinutes} from '../../../util/growth.js';
import {safe, type Printable} from '../../../util/printable.js';
import {mostOf} from '../../../util/sum.js';
import {type JavaThread} from '../threads/java-thread.js';
import {type ReadFigures} from './pool-figures.js';
import {type FoundPool} from './pool-finder.js';

/** What was read of a pool at once. `name`: the one that the pool itself has. */
export type Reading = {
	readonly found: FoundPool;
	readonly figures: ReadFigures;
	readonly name?: Printable;
	readonly held?: readonly HeldConnection[];
};

/** An object's address, which is valid until a collection follows that of the number `collections`. */
type Address = {readonly object: number; readonly collections: number};

/** What remains of a pool; `name`: that of its first thread. */
type AboutPool = {
	readonly id: number;
	readonly kind: PoolKind;
	readonly name: Printable;
	readonly owner?: KeptPool;
};

/** A pool, kept from reading to reading. */
export class KeptPool {
	readonly threads = new Set<JavaThread>();
	/** The last reading; undefined before the first. */
	reading: PoolReading | undefined;
	readonly #growth = new Growth();
	readonly #steadyGrowth = new Growth(overMinutes);
	/** A worker that ends may count twice for a moment, so the number of completed tasks may fall. */
	#mostCompleted = unknownFigure;
	#at: Address;

	readonly #about: AboutPool;

	constructor(about: AboutPool, at: Address) {
		this.#about = about;
		this.#at = at;
	}

	get kind(): PoolKind {
		return this.#about.kind;
	}

	/** The executor that works for a pool of connections. */
	get owner(): KeptPool | undefined {
		return this.#about.owner;
	}

	/** The newest name, at first that of its first thread. */
	get name(): Printable {
		return this.reading?.name ?? this.#about.name;
	}

	get object(): number {
		return this.#at.object;
	}

	get collections(): number {
		return this.#at.collections;
	}

	setAt(object: number, collections: number): void {
		this.#at = {object, collections};
	}

	/** Counts a reading; not one that is known to be of an old copy, as fewer tasks were completed there. */
	add({figures, name, held = []}: Reading, isCertain: boolean, nowMs: number): void {
		const {completedEver} = figures;
		if (!isCertain && completedEver < this.#mostCompleted) {
			return;
		}

		const {fullSinceMs = 0} = this.reading ?? {};
		const isFull = figures.limit !== unknownFigure && figures.active >= figures.limit;
		this.reading = {
			...figures,
			...sumsOf(figures, this.reading, {nowMs, completedNow: Math.max(0, completedEver - this.#mostCompleted)}),
			id: this.#about.id,
			kind: this.kind,
			name: name ?? nameOf(this.threads),
			isCertain,
			atMs: nowMs,
			...this.#growthOf(figures.queued, nowMs),
			fullSinceMs: isFull ? (fullSinceMs > 0 ? fullSinceMs : nowMs) : 0,
			threads: Array.from(this.threads, thread => thread.description.key),
			held,
		};
		this.#mostCompleted = Math.max(this.#mostCompleted, completedEver);
	}

	#growthOf(
		queued: number,
		nowMs: number,
	): Pick<PoolReading, 'queuedGrowthPerMin' | 'queuedSteadyGrowthPerMin'> {
		const pace = (growth: Growth) => queued === unknownFigure ? undefined : growth.with(nowMs, queued);
		return {
			queuedGrowthPerMin: pace(this.#growth) ?? unknownFigure,
			queuedSteadyGrowthPerMin: pace(this.#steadyGrowth) ?? unknownFigure,
		};
	}
}

const noSums = {
	readMs: 0, readings: 0, completed: 0, started: 0, queuedSum: 0, queuedSquares: 0, queuedProducts: 0,
};

/** Returns the sums over all readings, the last of which is `last`. */
function sumsOf(
	now: ReadFigures,
	last: PoolReading | undefined,
	{nowMs, completedNow}: {readonly nowMs: number; readonly completedNow: number},
): typeof noSums {
	const length = known(now.queued);
	const {readMs, readings, completed, started, queuedSum, queuedSquares, queuedProducts} = last ?? noSums;
	const startedNow = last ? completedNow + known(now.active) - known(last.active) : 0;
	return {
		readMs: last ? readMs + nowMs - last.atMs : 0,
		readings: readings + 1,
		completed: last ? completed + completedNow : 0,
		started: started + startedNow,
		queuedSum: queuedSum + length,
		queuedSquares: queuedSquares + (length ** 2),
		queuedProducts: queuedProducts + (length * (last ? known(last.queued) : length)),
	};
}

function known(figure: number): number {
	return Math.max(0, figure);
}

/** Returns the name that most threads of a pool have, apart from their numbers. */
function nameOf(threads: ReadonlySet<JavaThread>): Printable {
	const counts = new Map<Printable, number>();
	for (const {description: {name}} of threads) {
		const prefix = withoutNumber(name);
		counts.set(prefix, 1 + (counts.get(prefix) ?? 0));
	}

	return mostOf(counts)?.[0] ?? safe``;
}

/** Returns a thread's name without the number at its end, `http-nio-8080-exec` for `http-nio-8080-exec-12`. */
export function withoutNumber(name: Printable): Printable {
	const prefix = name.replace(/[-_ #.:]*\d+$/, safe``);
	return prefix === '' ? name : prefix;
}
