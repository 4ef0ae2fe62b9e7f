import {poolLimit, poolThreadsLimit, type PoolReading} from '../../../model/pool-reading.js';
import {getOrCreateUpTo} from '../../../util/get-or-create.js';
import {type Printable} from '../../../util/printable.js';
import {steadyNow} from '../../../util/steady-clock.js';
import {objectsMayMove} from '../hotspot/heap.js';
import {type Jvm} from '../hotspot/jvm.js';
import {fail, ifReadable} from '../target/memory-reader.js';
import {JdkObjects} from '../virtual/jdk-objects.js';
import {type JavaThread} from '../threads/java-thread.js';
import {ConnectionHolders} from './connection-holders.js';
import {KeptPool, withoutNumber, type Reading} from './kept-pool.js';
import {PoolFigureReader} from './pool-figures.js';
import {PoolFinder, type FoundPool} from './pool-finder.js';

/** Time that a call of `read` may take, and one of the first, which find the pools; the next call does the rest. */
const maxReadMs = 10;
const firstReadMs = 40;
const firstReadings = 4;

/** Attempts to read a pool: a collection may begin during each. */
const maxAttempts = 3;

/** Attempts to find the pool of a new thread; there may be as many collections. */
const maxFindAttempts = 100;

/** What is known of a thread: its pool, if it has one, once that was found out in some attempts. */
type Membership = {readonly isKnown: boolean; readonly pool?: KeptPool; readonly attempts: number};

const unknownMembership: Membership = {isKnown: false, attempts: 0};

/**
Reads the pools that the JVM's threads lead to, within bounds of number and time. With stop-the-world collectors,
figures count if no collection came in between; with concurrent ones, the reading says whether they are certain.
*/
export class Pools {
	readonly #jvm: Jvm;
	readonly #objects: JdkObjects;
	readonly #finder: PoolFinder;
	readonly #figures: PoolFigureReader;
	/** By names of pools of connections. */
	readonly #holders = new Map<string, ConnectionHolders>();
	/** Of the last sample. */
	#threads: readonly JavaThread[] = [];
	readonly #memberships = new WeakMap<JavaThread, Membership>();
	#pools: KeptPool[] = [];
	/** Index of the pool that was read last. */
	#last = 0;
	#lastId = 0;
	#readings = 0;

	constructor(jvm: Jvm) {
		this.#jvm = jvm;
		this.#objects = new JdkObjects(jvm, []);
		this.#finder = new PoolFinder(jvm, this.#objects);
		this.#figures = new PoolFigureReader(this.#objects);
	}

	/** Returns the last readings of all pools, after reading them again as far as there is time. Never throws. */
	read(threads: readonly JavaThread[]): readonly PoolReading[] {
		const endMs = performance.now() + (this.#readings++ < firstReadings ? firstReadMs : maxReadMs);
		this.#threads = threads;
		this.#removeEnded(threads);
		// A pool's own pools of connections are read with it, and come after it.
		const known = this.#pools.filter(({owner}) => owner === undefined);
		for (let count = 0; count < known.length && performance.now() < endMs; count++) {
			this.#last = (this.#last + 1) % known.length;
			this.#readPool(known[this.#last]);
		}

		this.#findPools(threads, endMs);
		return bounded(this.#pools.map(({reading}) => reading).filter(reading => reading !== undefined));
	}

	/** Removes ended threads, and pools without threads. */
	#removeEnded(threads: readonly JavaThread[]): void {
		const live = new Set(threads);
		for (const {threads: own} of this.#pools) {
			for (const thread of own) {
				if (!live.has(thread)) {
					own.delete(thread);
				}
			}
		}

		this.#pools = this.#pools.filter(({threads: own, owner}) => (owner?.threads ?? own).size > 0);
	}

	/** Finds the pools of threads that are new, and reads those that are. */
	#findPools(threads: readonly JavaThread[], endMs: number): void {
		for (const thread of threads) {
			const {isKnown, attempts} = this.#memberships.get(thread) ?? unknownMembership;
			if (isKnown || attempts >= maxFindAttempts) {
				continue;
			}

			if (performance.now() > endMs) {
				break;
			}

			const membership = this.#membershipOf(thread) ?? {isKnown: false, attempts: attempts + 1};
			this.#memberships.set(thread, membership);
			membership.pool?.threads.add(thread);
		}

		for (const pool of this.#pools.filter(({reading, owner}) => !reading && !owner)) {
			this.#readPool(pool);
		}
	}

	/** Finds out the pool of a thread; undefined if it could not be read. */
	#membershipOf(thread: JavaThread): Membership | undefined {
		return this.#attempt((collections): Membership => {
			const found = this.#poolOf(thread);
			const name = withoutNumber(thread.description.name);
			return {isKnown: true, attempts: 0, pool: found && this.#poolAt(found, collections, {name})};
		})?.value;
	}

	/** Returns the pool of a thread. Throws `Unreadable`. */
	#poolOf({address, block}: JavaThread): FoundPool | undefined {
		return this.#finder.poolOfThread(this.#jvm.objects.objectOf(address, block.threadObject));
	}

	/**
	Returns the known pool at an address, or a new one; undefined if there are too many. Objects that move at any time
	have several addresses, so known pools of this name are found again. Throws `Unreadable`.
	*/
	#poolAt(
		{kind, object}: FoundPool,
		collections: number,
		{name, owner}: {readonly name: Printable; readonly owner?: KeptPool},
	): KeptPool | undefined {
		const isMoving = collections === objectsMayMove;
		const ofKind = this.#pools.filter(pool => pool.kind === kind);
		for (const pool of isMoving || owner ? [] : ofKind.filter(each => each.collections !== collections)) {
			pool.setAt(this.#find(pool), collections);
		}

		const ofName = ofKind.filter(each => each.name === name);
		const pool = ofKind.find(each => each.object === object)
			?? ofName.find(each => owner !== undefined || (isMoving && this.#find(each) === object));
		if (pool) {
			return pool;
		}

		// Behind a stale pointer of ZGC may be an old copy of a known pool.
		if (ofName.length > 0 && this.#jvm.heap.hasReadStalePointer) {
			fail();
		}

		if (this.#pools.length >= poolLimit) {
			return undefined;
		}

		const added = new KeptPool({id: ++this.#lastId, kind, name, owner}, {object, collections});
		this.#pools.push(added);
		return added;
	}

	/** Reads a pool, and the pools of connections that it works for. */
	#readPool(pool: KeptPool): void {
		const read = this.#attempt(collections => {
			const object = pool.collections === collections && collections !== objectsMayMove
				? pool.object
				: this.#find(pool);
			const found = {kind: pool.kind, object};
			const readings: Reading[] = [{found, figures: this.#figures.read(found)}];
			for (const connections of pool.kind === 'scheduled' ? this.#finder.hikariPools(object) : []) {
				readings.push(this.#readConnections(connections));
			}

			return {readings, collections};
		});
		if (!read) {
			return;
		}

		const {isCertain, value: {readings: [own, ...others], collections}} = read;
		const nowMs = steadyNow();
		pool.setAt(own.found.object, collections);
		pool.add(own, isCertain, nowMs);
		for (const other of others) {
			const connections = this.#poolAt(other.found, collections, {name: other.name!, owner: pool});
			connections?.setAt(other.found.object, collections);
			connections?.add(other, isCertain, nowMs);
		}
	}

	/** Reads a pool of connections; if it is full or threads wait, also who holds them. Throws `Unreadable`. */
	#readConnections(found: FoundPool): Reading {
		const figures = this.#figures.read(found);
		const name = this.#figures.nameOf(found);
		const holders = getOrCreateUpTo(this.#holders, name, poolLimit, () =>
			new ConnectionHolders(this.#jvm, this.#objects));
		const isFull = figures.active >= figures.limit || figures.queued > 0;
		return {found, figures, name, held: holders.read(this.#figures.entries(found.object), this.#threads, isFull)};
	}

	/** Returns the address of a pool that may have moved, from one of its threads. Throws `Unreadable`. */
	#find(pool: KeptPool): number {
		for (const thread of pool.threads) {
			const found = ifReadable(() => this.#poolOf(thread), undefined);
			if (found?.kind === pool.kind) {
				return found.object;
			}
		}

		return fail();
	}

	/**
	Returns what `read` returns, which gets the count of collections, and whether it is certain; undefined if objects
	moved or something was unreadable in each attempt.
	*/
	#attempt<Value>(
		read: (collections: number) => Value,
	): {readonly value: Value; readonly isCertain: boolean} | undefined {
		const {heap, collections, vm: {reader, collector}} = this.#jvm;
		for (let attempt = 0; attempt < maxAttempts; attempt++) {
			const before = collections.count();
			if (collector === 'stop-the-world' && before === objectsMayMove) {
				return undefined;
			}

			heap.hasReadStalePointer = false;
			reader.forgetPages();
			const bits = heap.staleBits();
			const value = reader.withPages(() => ifReadable(() => read(before), undefined));
			if (value !== undefined && collections.count() === before) {
				// Behind a stale pointer of ZGC may be the old copy of a moved object. Shenandoah's old copies point to
				// the new ones, which `Heap` follows.
				return {value, isCertain: !heap.hasReadStalePointer && heap.staleBits() === bits};
			}
		}

		return undefined;
	}
}

/** Returns the readings with at most `poolThreadsLimit` threads and held connections in all. */
function bounded(readings: readonly PoolReading[]): readonly PoolReading[] {
	let left = poolThreadsLimit;
	return readings.map(reading => {
		const [threads, held] = [reading.threads.slice(0, left), reading.held.slice(0, left)];
		left -= Math.max(threads.length, held.length);
		return threads.length < reading.threads.length || held.length < reading.held.length
			? {...reading, threads, held}
			: reading;
	});
}
