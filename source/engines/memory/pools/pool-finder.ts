import {type PoolKind} from '../../../model/pool-reading.js';
import {cached} from '../../../util/get-or-create.js';
import {type Jvm} from '../hotspot/jvm.js';
import {klassName, klassSymbol} from '../hotspot/methods.js';
import {ifReadable} from '../target/memory-reader.js';
import {type JdkObjects} from '../virtual/jdk-objects.js';

/** A pool's kind and object; a moving collector may move the object at any time. */
export type FoundPool = {readonly kind: PoolKind; readonly object: number};

const runnableSignature = 'Ljava/lang/Runnable;';
const callableSignature = 'Ljava/util/concurrent/Callable;';
const workQueueSignature = 'Ljava/util/concurrent/BlockingQueue;';

/** Runnables in runnables that are followed from a thread's own: factories wrap a worker in few others. */
const wrapperLimit = 4;

/** The field of each class of workers that refers to the pool, or to what `poolOf` finds it from; by class name. */
const workers: ReadonlyArray<{readonly name: RegExp; readonly signature: RegExp}> = [
	{
		name: /^(?:java\.util\.concurrent|org\.apache\.tomcat\.util\.threads)\.ThreadPoolExecutor\$Worker$/,
		signature: /^L(?:java\/util\/concurrent|org\/apache\/tomcat\/util\/threads)\/ThreadPoolExecutor;$/,
	},
	// Netty may be in another package, as in grpc-netty-shaded.
	{
		name: /(?:^|\.)io\.netty\.util\.concurrent\.SingleThreadEventExecutor\$\d+$/,
		signature: /\/?io\/netty\/util\/concurrent\/SingleThreadEventExecutor;$/,
	},
	{
		name: /^com\.zaxxer\.hikari\.pool\.HikariPool\$HouseKeeper$/,
		signature: /^Lcom\/zaxxer\/hikari\/pool\/HikariPool;$/,
	},
];

/** Kinds by the name of a class or superclass; the first that matches any of an object's classes applies. */
const kinds: ReadonlyArray<readonly [name: RegExp, kind: PoolKind]> = [
	[/^java\.util\.concurrent\.ScheduledThreadPoolExecutor$/, 'scheduled'],
	[/^(?:java\.util\.concurrent|org\.apache\.tomcat\.util\.threads)\.ThreadPoolExecutor$/, 'executor'],
	[/^java\.util\.concurrent\.ForkJoinPool$/, 'forkjoin'],
	[/(?:^|\.)io\.netty\.util\.concurrent\.MultithreadEventExecutorGroup$/, 'netty'],
	[/^com\.zaxxer\.hikari\.pool\.HikariPool$/, 'hikari'],
];

const cachedClassesLimit = 1024;
const maxSuperclasses = 16;

/** What was found in a class. Another class may take its address, but hardly with the same Symbol. */
type KnownClass = {
	readonly symbol: number;
	readonly kind: PoolKind | undefined;
	/** Offsets of the fields that lead on: to the pool, and to other runnables. */
	readonly toPool: readonly number[];
	readonly toRunnables: readonly number[];
};

/**
Finds pools from their threads: a thread's Runnable is the pool's worker, or wraps it. No method of it may be called
while objects move; all throw `Unreadable`.
*/
export class PoolFinder {
	readonly #jvm: Jvm;
	readonly #objects: JdkObjects;
	readonly #classes = new Map<number, KnownClass>();

	constructor(jvm: Jvm, objects: JdkObjects) {
		this.#jvm = jvm;
		this.#objects = objects;
	}

	/** Returns the pool of a java.lang.Thread; undefined if it has none. */
	poolOfThread(thread: number): FoundPool | undefined {
		const forkJoin = this.#objects.field(thread, 'pool', 'Ljava/util/concurrent/ForkJoinPool;');
		if (forkJoin !== 0) {
			const isCarrier = this.#objects.classOf(thread) === 'jdk.internal.misc.CarrierThread';
			return {kind: isCarrier ? 'carriers' : 'forkjoin', object: forkJoin};
		}

		const holder = this.#objects.field(thread, 'holder', 'Ljava/lang/Thread$FieldHolder;');
		const runnable = holder === 0
			? this.#objects.field(thread, 'target', runnableSignature)
			: this.#objects.field(holder, 'task', runnableSignature);
		return this.#poolOfRunnable(runnable);
	}

	/** Returns the kind of a pool's object; undefined if the object is no pool. */
	kindOf(object: number): PoolKind | undefined {
		return this.#classOf(object).kind;
	}

	/** Returns HikariCP's pools that have their housekeepers among an executor's tasks. */
	hikariPools(executor: number): FoundPool[] {
		const queue = this.#objects.field(executor, 'workQueue', workQueueSignature);
		const array = this.#objects.field(queue, 'queue', '[Ljava/util/concurrent/RunnableScheduledFuture;');
		const found: FoundPool[] = [];
		let left = 64;
		for (const task of this.#objects.elements(array)) {
			if (task !== 0) {
				const callable = this.#objects.field(task, 'callable', callableSignature);
				const pool = callable === 0 ? undefined : this.#poolOfRunnable(this.#firstRunnable(callable));
				if (pool?.kind === 'hikari') {
					found.push(pool);
				}
			}

			if (--left === 0) {
				break;
			}
		}

		return found;
	}

	#firstRunnable(object: number): number {
		const [offset] = this.#classOf(object).toRunnables;
		return offset === undefined ? 0 : this.#jvm.heap.reference(object + offset);
	}

	#poolOfRunnable(runnable: number, depth = 0): FoundPool | undefined {
		if (runnable === 0 || depth > wrapperLimit) {
			return undefined;
		}

		const {toPool, toRunnables} = this.#classOf(runnable);
		for (const offset of toPool) {
			const pool = this.#poolAt(this.#jvm.heap.reference(runnable + offset));
			if (pool) {
				return pool;
			}
		}

		for (const offset of toRunnables) {
			const pool = this.#poolOfRunnable(this.#jvm.heap.reference(runnable + offset), depth + 1);
			if (pool) {
				return pool;
			}
		}

		return undefined;
	}

	/** Returns the pool in an object that a worker refers to: the object itself, or the group of an event loop. */
	#poolAt(object: number): FoundPool | undefined {
		if (object === 0) {
			return undefined;
		}

		const {kind} = this.#classOf(object);
		if (kind !== undefined) {
			return {kind, object};
		}

		const group = this.#objects.fieldEndingIn(object, 'L', 'io/netty/util/concurrent/EventExecutorGroup;');
		return group !== 0 && this.kindOf(group) === 'netty' ? {kind: 'netty', object: group} : undefined;
	}

	#classOf(object: number): KnownClass {
		const {vm, heap} = this.#jvm;
		const klass = heap.klassOf(object);
		const symbol = klassSymbol(vm, klass);
		const known = cached(this.#classes, klass, cachedClassesLimit, () => this.#read(klass, symbol));
		if (known.symbol === symbol) {
			return known;
		}

		this.#classes.delete(klass);
		return this.#classOf(object);
	}

	#read(klass: number, symbol: number): KnownClass {
		const {vm, heap} = this.#jvm;
		const names = [...heap.hierarchy(klass)].slice(0, maxSuperclasses).map(at => klassName(vm, at));
		const worker = workers.find(({name}) => name.test(names[0]));
		const fields = ifReadable(() => heap.referenceFields(klass), []);
		return {
			symbol,
			kind: kinds.find(([pattern]) => names.some(name => pattern.test(name)))?.[1],
			toPool: fields.filter(({signature}) => worker?.signature.test(signature)).map(({offset}) => offset),
			toRunnables: worker
				? []
				: fields.filter(({signature}) => signature === runnableSignature).map(({offset}) => offset),
		};
	}
}
