import process from 'node:process';
import {unknownFigure, type PoolFigures} from '../../../model/pool-reading.js';
import {printable, type Printable} from '../../../util/printable.js';
import {fail, ifReadable} from '../target/memory-reader.js';
import {type JdkObjects} from '../virtual/jdk-objects.js';
import {type FoundPool} from './pool-finder.js';

/** The figures that a pool's own fields have. */
export type ReadFigures = Pick<
	PoolFigures,
	'size' | 'limit' | 'active' | 'queued' | 'queueBound' | 'completedEver'
>;

/** Bounds on the workers of an executor, the queues of a fork/join pool, and the loops of a group. */
const workerLimit = 10_000;

/** Integer.MAX_VALUE, which stands for no limit. */
const maxInt = 2_147_483_647;

/** Bits of ThreadPoolExecutor.ctl with the number of workers. */
const countBits = 29;

/** The queue of a ScheduledThreadPoolExecutor, and its own tasks; a program may make it wrap them. */
const scheduledQueue = 'java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue';
const scheduledTask = 'java.util.concurrent.ScheduledThreadPoolExecutor$ScheduledFutureTask';

/** Most tasks of such a queue that are found due. */
const dueLimit = 2000;

/** Queues of the JDK that hold any number of tasks: an executor with one never has more threads than its core. */
const unboundedQueues = new Set([
	'java.util.concurrent.PriorityBlockingQueue',
	'java.util.concurrent.DelayQueue',
	'java.util.concurrent.LinkedTransferQueue',
	scheduledQueue,
]);

/** Queues of the JDK with a bound in `capacity`, which is Integer.MAX_VALUE by default. */
const linkedQueues = new Set(['java.util.concurrent.LinkedBlockingQueue', 'java.util.concurrent.LinkedBlockingDeque']);

const atomicInt = 'Ljava/util/concurrent/atomic/AtomicInteger;';
const objectArray = '[Ljava/lang/Object;';

/** `bound`: most tasks that it takes, Infinity for any number; `isOfJdk`: how it fills is known. */
type Queue = {readonly length: number; readonly bound: number; readonly isOfJdk: boolean};

/**
Reads the figures of pools from their fields, which have the same names in all JDKs from 8 on unless said otherwise.
Objects must not move meanwhile. Throws `Unreadable`.
*/
export class PoolFigureReader {
	readonly #objects: JdkObjects;

	constructor(objects: JdkObjects) {
		this.#objects = objects;
	}

	read({kind, object}: FoundPool): ReadFigures {
		switch (kind) {
			case 'executor':
			case 'scheduled': {
				return this.#executor(object);
			}

			case 'forkjoin':
			case 'carriers': {
				return this.#forkJoinPool(object);
			}

			case 'netty': {
				return this.#eventLoops(object);
			}

			case 'hikari': {
				return this.#hikariPool(object);
			}
		}
	}

	/** Returns the name of a HikariCP pool. */
	nameOf({object}: FoundPool): Printable {
		return printable(this.#objects.text(object, 'poolName'));
	}

	/** Yields the connections of a HikariCP pool. */
	* entries(pool: number): Generator<number> {
		const bag = this.#objects.field(pool, 'connectionBag', 'Lcom/zaxxer/hikari/util/ConcurrentBag;');
		const list = this.#objects.field(bag, 'sharedList', 'Ljava/util/concurrent/CopyOnWriteArrayList;');
		for (const entry of this.#objects.elements(this.#objects.field(list, 'array', objectArray))) {
			if (entry !== 0) {
				yield entry;
			}
		}
	}

	/** Reads a ThreadPoolExecutor, or Tomcat's, which has the same fields. */
	#executor(executor: number): ReadFigures {
		const objects = this.#objects;
		const {length, bound, isOfJdk} = this.#queue(
			objects.field(executor, 'workQueue', 'Ljava/util/concurrent/BlockingQueue;'),
		);
		const [core, maximum] = [objects.int(executor, 'corePoolSize'), objects.int(executor, 'maximumPoolSize')];
		if (core < 0 || maximum < 1) {
			fail();
		}

		let size = 0;
		let active = 0;
		let completed = objects.long(executor, 'completedTaskCount');
		for (const worker of this.#keysOfSet(objects.field(executor, 'workers', 'Ljava/util/HashSet;'))) {
			size++;
			// AbstractQueuedSynchronizer.state: 1 while the worker runs a task, -1 until it has started.
			active += objects.int(worker, 'state') > 0 ? 1 : 0;
			completed += objects.long(worker, 'completedTasks');
		}

		const control = objects.int(objects.field(executor, 'ctl', atomicInt), 'value') & ((2 ** countBits) - 1);
		if (control > workerLimit || completed < 0) {
			fail();
		}

		// Other queues may refuse tasks so that the pool grows first, as Tomcat's does.
		const limit = isOfJdk && bound === Infinity ? Math.max(1, core) : maximum;
		return {
			size,
			limit: limit === maxInt ? unknownFigure : limit,
			active,
			queued: length,
			queueBound: bound === Infinity ? unknownFigure : bound,
			completedEver: completed,
		};
	}

	#queue(queue: number): Queue {
		const objects = this.#objects;
		const name = objects.classOf(queue);
		if (name === 'java.util.concurrent.SynchronousQueue') {
			return {length: 0, bound: 0, isOfJdk: true};
		}

		const items = ifReadable(() => objects.field(queue, 'items', objectArray), 0);
		const [capacity] = this.#ints(queue, ['capacity']);
		const bound = items === 0
			? (capacity === undefined || capacity === maxInt ? Infinity : capacity)
			: objects.length(items);
		return {
			length: name === scheduledQueue ? this.#dueTasks(queue) : this.#queueLength(queue),
			bound,
			isOfJdk: items !== 0 || linkedQueues.has(name) || unboundedQueues.has(name),
		};
	}

	/**
	Counts the tasks that are due: others wait for their time, not for a thread. The queue is a binary heap: no task is
	due before its parent. `unknownFigure` if the program wraps tasks, or too many are due.
	*/
	#dueTasks(queue: number): number {
		const objects = this.#objects;
		const size = objects.int(queue, 'size');
		const tasks = objects.field(queue, 'queue', '[Ljava/util/concurrent/RunnableScheduledFuture;');
		// System.nanoTime() is the same clock.
		const nowNs = process.hrtime.bigint();
		const indexes = size > 0 ? [0] : [];
		let due = 0;
		for (const index of indexes) {
			const task = objects.element(tasks, index);
			if (due >= dueLimit || objects.classOf(task) !== scheduledTask) {
				return unknownFigure;
			}

			if (BigInt.asIntN(64, objects.big(task, 'time') - nowNs) <= 0n) {
				due++;
				indexes.push(...[(2 * index) + 1, (2 * index) + 2].filter(next => next < size));
			}
		}

		return due;
	}

	#queueLength(queue: number): number {
		const objects = this.#objects;
		const counter = objects.field(queue, 'count', atomicInt);
		const [length] = counter === 0 ? this.#ints(queue, ['count', 'size']) : [objects.int(counter, 'value')];
		if (length !== undefined) {
			return length < 0 ? fail() : length;
		}

		// DelayQueue has a PriorityQueue. JCTools' queues, which Netty uses, have indexes that grow by two.
		const inner = objects.field(queue, 'q', 'Ljava/util/PriorityQueue;');
		if (inner !== 0) {
			return objects.int(inner, 'size');
		}

		return ifReadable(
			() => Math.max(0, (objects.long(queue, 'producerIndex') - objects.long(queue, 'consumerIndex')) / 2),
			unknownFigure,
		);
	}

	/** Returns the values of those int fields that an object has. */
	#ints(object: number, names: readonly string[]): number[] {
		return names.map(name => ifReadable(() => this.#objects.int(object, name), undefined)).filter(value =>
			value !== undefined);
	}

	/** Yields the elements of a HashSet; throws if the program changed it meanwhile. */
	* #keysOfSet(set: number): Generator<number> {
		const objects = this.#objects;
		const map = objects.field(set, 'map', 'Ljava/util/HashMap;');
		const size = objects.int(map, 'size');
		if (size < 0 || size > workerLimit) {
			fail();
		}

		const seen = new Set<number>();
		for (const first of objects.elements(objects.field(map, 'table', '[Ljava/util/HashMap$Node;'))) {
			for (let node = first; node !== 0; node = objects.field(node, 'next', 'Ljava/util/HashMap$Node;')) {
				const key = objects.field(node, 'key', 'Ljava/lang/Object;');
				if (seen.has(key) || seen.size >= size) {
					fail();
				}

				seen.add(key);
				yield key;
			}
		}

		if (seen.size !== size || objects.int(map, 'size') !== size) {
			fail();
		}
	}

	/**
	Reads a ForkJoinPool. Bits 32 and 48 of `ctl` begin its numbers of threads and of those that are not waiting for
	work; before JDK 19 both are minus the parallelism.
	*/
	#forkJoinPool(pool: number): ReadFigures {
		const objects = this.#objects;
		const [parallelism] = this.#ints(pool, ['parallelism']);
		const [config = fail()] = parallelism === undefined ? this.#ints(pool, ['mode', 'config']) : [parallelism];
		const limit = config & 0xFF_FF;
		const control = objects.big(pool, 'ctl');
		const offset = parallelism === undefined ? limit : 0;
		const size = offset + Number(BigInt.asIntN(16, control >> 32n));
		const active = offset + Number(BigInt.asIntN(16, control >> 48n));
		const {queued, stolen} = this.#workQueues(pool);
		if (limit === 0 || size < 0 || size > workerLimit) {
			fail();
		}

		const steals = this.#stealCount(pool);
		return {
			size,
			limit,
			active: Math.max(0, active),
			queued,
			queueBound: unknownFigure,
			completedEver: steals === undefined ? unknownFigure : steals + stolen,
		};
	}

	/** Returns the tasks in the queues of a fork/join pool, and those that its present threads took from others. */
	#workQueues(pool: number): {readonly queued: number; readonly stolen: number} {
		const objects = this.#objects;
		const signature = '[Ljava/util/concurrent/ForkJoinPool$WorkQueue;';
		const array = objects.field(pool, 'queues', signature) || objects.field(pool, 'workQueues', signature);
		let queued = 0;
		let stolen = 0;
		let index = 0;
		for (const queue of objects.elements(array)) {
			if (queue !== 0) {
				// On JDK 8 `base` is ahead of `top` in no queue with tasks either.
				queued += Math.max(0, objects.int(queue, 'top') - objects.int(queue, 'base'));
				stolen += index % 2 === 1 ? objects.int(queue, 'nsteals') : 0;
			}

			index++;
		}

		return {queued, stolen};
	}

	#stealCount(pool: number): number | undefined {
		const objects = this.#objects;
		const counter = objects.field(pool, 'stealCounter', 'Ljava/util/concurrent/atomic/AtomicLong;');
		return ifReadable(
			() => counter === 0 ? objects.long(pool, 'stealCount') : objects.long(counter, 'value'),
			undefined,
		);
	}

	/** Reads a group of Netty's event loops: those whose threads have started. */
	#eventLoops(group: number): ReadFigures {
		const objects = this.#objects;
		let [size, limit, active, queued] = [0, 0, 0, 0];
		for (const loop of objects.elements(objects.fieldEndingIn(group, '[', 'io/netty/util/concurrent/EventExecutor;'))) {
			limit++;
			if (loop !== 0 && objects.field(loop, 'thread', 'Ljava/lang/Thread;') !== 0) {
				size++;
				const length = this.#queueLength(objects.field(loop, 'taskQueue', 'Ljava/util/Queue;'));
				queued = length < 0 || queued < 0 ? unknownFigure : queued + length;
				const isAwake = this.#isAwake(loop);
				active = isAwake === undefined || active < 0 ? unknownFigure : active + Number(isAwake);
			}
		}

		return {size, limit, active, queued, queueBound: unknownFigure, completedEver: unknownFigure};
	}

	/** Whether an event loop of Netty 4.1 is not in its selector: `nextWakeupNanos` is then -1. */
	#isAwake(loop: number): boolean | undefined {
		const next = this.#objects.field(loop, 'nextWakeupNanos', 'Ljava/util/concurrent/atomic/AtomicLong;');
		return next === 0 ? undefined : this.#objects.long(next, 'value') === -1;
	}

	/** Reads a pool of HikariCP: connections, those in use, and threads that wait for one. */
	#hikariPool(pool: number): ReadFigures {
		const objects = this.#objects;
		const bag = objects.field(pool, 'connectionBag', 'Lcom/zaxxer/hikari/util/ConcurrentBag;');
		let [size, active] = [0, 0];
		for (const entry of this.entries(pool)) {
			// ConcurrentBag.IConcurrentBagEntry: 1 in use, 0 idle, -1 removed, -2 reserved.
			const state = objects.int(entry, 'state');
			size += state === -1 ? 0 : 1;
			active += state === 1 ? 1 : 0;
		}

		const config = objects.field(pool, 'config', 'Lcom/zaxxer/hikari/HikariConfig;');
		return {
			size,
			limit: objects.int(config, 'maxPoolSize'),
			active,
			queued: objects.int(objects.field(bag, 'waiters', atomicInt), 'value'),
			queueBound: unknownFigure,
			completedEver: unknownFigure,
		};
	}
}
