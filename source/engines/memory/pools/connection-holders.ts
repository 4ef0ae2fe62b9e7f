import {type HeldConnection} from '../../../model/pool-reading.js';
import {bounded, getOrCreate} from '../../../util/get-or-create.js';
import {steadyNow} from '../../../util/steady-clock.js';
import {type Jvm} from '../hotspot/jvm.js';
import {klassSymbol, symbolName} from '../hotspot/methods.js';
import {emptyBlock, javaThreadState, ThreadBlocks} from '../hotspot/thread-block.js';
import {decompress} from '../hotspot/vm.js';
import {Ranges} from '../target/ranges.js';
import {fail, ifReadable} from '../target/memory-reader.js';
import {type JavaThread} from '../threads/java-thread.js';
import {StackCopy} from '../unwind/stack.js';
import {type JdkObjects} from '../virtual/jdk-objects.js';

const proxyClass = 'com.zaxxer.hikari.pool.HikariProxyConnection';
const connectionSignature = 'Ljava/sql/Connection;';

/** Bytes of a stack that are searched, from its top. */
const maxStackBytes = 1 << 17;

/** Connections in use for less are not searched for: they come back before they are found. */
const leastHeldMs = 1000;

/** Searches for a connection, each of the stacks of all threads: some run Java code at the time. */
const maxSearches = 5;

const knownClassesLimit = 8192;

/**
A connection in use. `returnedLast`, the time at which it was returned before (`lastAccessed`), tells the lease from
others. Entries say when they were borrowed only if HikariCP keeps metrics.
*/
type Lease = {readonly entry: number; readonly connection: number; readonly returnedLast: number};

/** What is known of a lease: when it was first read (epoch ms), and who was found in how many searches. */
type KnownLease = {readonly sinceMs: number; thread: JavaThread | undefined; searches: number};

/** Time for which a call searches stacks, but at least this number; the next call goes on. */
const searchMs = 5;
const leastStacks = 16;

/**
Finds the threads that hold connections of a HikariCP pool. A connection's entry in its pool does not tell; the object
that the program got for it does (HikariProxyConnection), which is on the stack of the thread that uses it. That object
is closed for good when the connection is returned, so an old pointer to it does no harm: each object is one lease.
*/
export class ConnectionHolders {
	readonly #jvm: Jvm;
	readonly #objects: JdkObjects;
	readonly #blocks: ThreadBlocks;
	readonly #block = emptyBlock();
	readonly #stack = new StackCopy();
	readonly #ranges: Ranges;
	/** Whether a class is the proxies', by its address. */
	readonly #isProxy = new Map<number, boolean>();
	/** By `returnedLast`. */
	#known = new Map<number, KnownLease>();
	/** The search: threads that are left, the next one last, and those found so far. */
	#left: JavaThread[] = [];
	readonly #candidates = new Map<number, Set<JavaThread>>();
	/** Stacks without proxies, by the frames, which are replaced when their thread moves. */
	readonly #withoutProxies = new WeakSet<Int32Array>();

	constructor(jvm: Jvm, objects: JdkObjects) {
		this.#jvm = jvm;
		this.#objects = objects;
		this.#blocks = new ThreadBlocks(jvm.vm);
		this.#ranges = new Ranges(jvm.memory);
	}

	/**
	Returns the connections in use among the pool's entries. Searches some more of the stacks if `searches` and one has
	been in use for long. Objects must not move meanwhile. Throws `Unreadable`.
	*/
	read(entries: Iterable<number>, threads: readonly JavaThread[], searches: boolean): HeldConnection[] {
		const nowMs = steadyNow();
		const leases = [...entries].filter(entry => this.#objects.int(entry, 'state') === 1).map((entry): Lease => ({
			entry,
			connection: this.#objects.field(entry, 'connection', connectionSignature),
			returnedLast: this.#objects.long(entry, 'lastAccessed'),
		}));
		this.#known = new Map(leases.map(({returnedLast}) => [
			returnedLast,
			this.#known.get(returnedLast) ?? {sinceMs: nowMs, thread: undefined, searches: 0},
		]));
		const isUnknown = ({returnedLast}: Lease) => {
			const {sinceMs, thread, searches: made} = this.#known.get(returnedLast)!;
			return !thread && made < maxSearches && nowMs - sinceMs >= leastHeldMs;
		};

		if (searches && (this.#left.length > 0 || leases.some(lease => isUnknown(lease)))) {
			this.#search(leases, threads);
		}

		return leases.map(({returnedLast}) => {
			const {thread, sinceMs} = this.#known.get(returnedLast)!;
			return {thread: thread?.description.key ?? 0, sinceMs};
		});
	}

	/**
	Goes on with the search, from the deepest stacks to those of idle threads, and sets what was found. A connection
	that was handed from thread to thread may be on the stacks of both, so none of them is named.
	*/
	#search(leases: readonly Lease[], threads: readonly JavaThread[]): void {
		const endMs = performance.now() + searchMs;
		if (this.#left.length === 0) {
			this.#left = [...threads].sort((a, b) => a.stack.frames.length - b.stack.frames.length);
		}

		for (let count = 1, thread = this.#left.pop(); thread; count++, thread = this.#left.pop()) {
			for (const lease of this.#leasesOn(thread, leases)) {
				getOrCreate(this.#candidates, lease.returnedLast, () => new Set<JavaThread>()).add(thread);
			}

			if (count >= leastStacks && performance.now() > endMs) {
				break;
			}
		}

		const isDone = this.#left.length === 0;
		for (const {returnedLast} of leases) {
			const known = this.#known.get(returnedLast)!;
			const candidates = this.#candidates.get(returnedLast);
			if (candidates) {
				[known.thread] = candidates.size === 1 ? candidates : [undefined];
			}

			known.searches += isDone ? 1 : 0;
		}

		if (isDone) {
			this.#candidates.clear();
		}
	}

	#leasesOn(thread: JavaThread, leases: readonly Lease[]): Lease[] {
		const {frames} = thread.stack;
		if (this.#withoutProxies.has(frames)) {
			return [];
		}

		const proxies = ifReadable(() => this.#proxiesOn(thread), undefined);
		if (proxies?.length === 0 && frames.length > 0) {
			this.#withoutProxies.add(frames);
		}

		return (proxies ?? []).map(proxy => ifReadable(() => this.#leaseOf(proxy, leases), undefined)).filter(lease =>
			lease !== undefined);
	}

	/** Returns the lease that a proxy is for; undefined if it was closed. */
	#leaseOf(proxy: number, leases: readonly Lease[]): Lease | undefined {
		const entry = this.#objects.field(proxy, 'poolEntry', 'Lcom/zaxxer/hikari/pool/PoolEntry;');
		const connection = this.#objects.field(proxy, 'delegate', connectionSignature);
		return leases.find(lease => lease.entry === entry && lease.connection === connection);
	}

	/** Returns the proxies that the words of a thread's stack point to. Throws `Unreadable` if it runs Java code. */
	#proxiesOn({address, osThread}: JavaThread): readonly number[] {
		const block = this.#block;
		const isWaiting = this.#blocks.read(address, block) && block.osThread === osThread
			&& block.state !== javaThreadState.inJava && block.anchorSp > 0;
		if (!isWaiting) {
			fail();
		}

		this.#stack.load(this.#jvm.memory, block.anchorSp - 8, block.stackBase, maxStackBytes);
		const candidates = [...this.#objectsOn(this.#stack)];
		const {vm: {narrowKlass, markKlassShift}} = this.#jvm;
		const offset = markKlassShift === undefined ? 8 : 0;
		const ranges = this.#ranges;
		ranges.clear();
		for (const object of candidates) {
			ranges.add(object + offset, 8);
		}

		ranges.read();
		return candidates.filter((_, index) => {
			if (!ranges.isRead(index)) {
				return false;
			}

			const word = narrowKlass && markKlassShift === undefined ? ranges.u32(index, 0) : ranges.word(index, 0);
			const narrow = markKlassShift === undefined ? word : Math.floor(word / (2 ** markKlassShift));
			return this.#isProxyClass(narrowKlass ? decompress(narrow, narrowKlass) : word);
		});
	}

	/** Returns what may be addresses of objects: words of the stack, and halves of words that are compressed. */
	#objectsOn(stack: StackCopy): ReadonlySet<number> {
		const {heap, vm: {narrowOop}} = this.#jvm;
		const limits = heap.bounds();
		const {low, high} = limits ?? {low: 2 ** 32, high: Infinity};
		const found = new Set<number>();
		const addIfObject = (address: number) => {
			if (address >= low && address < high && address % 8 === 0) {
				found.add(address);
			}
		};

		for (let at = stack.low; at < stack.high; at += 8) {
			addIfObject(stack.word(at));
			if (narrowOop && limits) {
				addIfObject(decompress(stack.u32(at), narrowOop));
				addIfObject(decompress(stack.u32(at + 4), narrowOop));
			}
		}

		return found;
	}

	#isProxyClass(klass: number): boolean {
		let isProxy = this.#isProxy.get(klass);
		if (isProxy === undefined) {
			isProxy = ifReadable(() => this.#hasProxyName(klass), false);
			bounded(this.#isProxy, knownClassesLimit).set(klass, isProxy);
		}

		return isProxy;
	}

	#hasProxyName(klass: number): boolean {
		const {vm} = this.#jvm;
		if (klass % 8 !== 0) {
			fail();
		}

		const symbol = klassSymbol(vm, klass);
		return vm.reader.u16(symbol + vm.layout.fields.symbolLength) === proxyClass.length
			&& symbolName(vm, symbol) === proxyClass;
	}
}
