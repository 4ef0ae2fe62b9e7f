import {type NativeIds} from '../../../jvm/threads/native-ids.js';
import {type Vm} from '../hotspot/vm.js';
import {Ranges} from '../target/ranges.js';
import {JavaThread} from './java-thread.js';
import {
	Anchors, emptyBlock, javaThreadState, ThreadBlocks,
} from './thread-block.js';
import {ThreadList} from './thread-list.js';

/** The target's Java threads, kept from sample to sample. */
export class JavaThreads {
	/** Threads listed for the first time in the newest list. */
	readonly newThreads: JavaThread[] = [];
	#round = 0;
	readonly #known = new Map<number, JavaThread>();
	readonly #vm: Vm;
	readonly #list: ThreadList;
	readonly #anchors: Anchors;
	readonly #blocks: ThreadBlocks;
	readonly #ids: NativeIds;
	readonly #scratch = emptyBlock();
	/** Blocks read together, and the index of the next to take. */
	readonly #fresh: Ranges;
	#nextFresh = Infinity;
	/** The threads of the newest list; and its addresses if each has a thread. */
	readonly #threads: JavaThread[] = [];
	#addresses: readonly number[] | undefined;

	constructor(vm: Vm, ids: NativeIds) {
		this.#vm = vm;
		this.#list = new ThreadList(vm);
		this.#anchors = new Anchors(vm.reader.memory, vm.layout);
		this.#blocks = new ThreadBlocks(vm.reader.memory, vm.layout);
		this.#ids = ids;
		this.#fresh = new Ranges(vm.reader.memory);
	}

	/**
	All threads, in an array that the next call reuses. Those that are not where their stacks were walked have
	`hasMoved` set and fresh blocks. Throws `Unreadable` if the list cannot be read.
	*/
	list(): readonly JavaThread[] {
		this.#ids.newRound();
		this.newThreads.length = 0;
		const addresses = this.#list.read();
		this.#anchors.read(addresses);
		const lastKnown = this.#lastKnown(addresses);
		if (addresses !== this.#addresses || lastKnown !== addresses.length - 1 || !this.#scan()) {
			this.#rebuild(addresses, lastKnown);
		}

		return this.#threads;
	}

	/**
	The threads of the previous list, of which only the watched are read again; undefined if one of these has ended.
	*/
	listAgain(watched: readonly JavaThread[]): readonly JavaThread[] | undefined {
		this.newThreads.length = 0;
		if (this.#addresses === undefined) {
			return undefined;
		}

		this.#readFresh(watched.map(({address}) => address));
		for (const thread of watched) {
			if (this.#refresh(thread.address, thread) !== thread) {
				this.#nextFresh = Infinity;
				return undefined;
			}

			thread.hasMoved = !thread.wasWalkedFrom(thread.block);
			thread.hasValidRow &&= !thread.hasMoved;
		}

		this.#nextFresh = Infinity;

		return this.#threads;
	}

	/**
	The thread that replaced one that the kernel no longer knows: it may have got the same addresses (allocator and C
	library reuse them at once), so only its Linux id differs. The thread itself if it is still there.
	*/
	successorOf(thread: JavaThread): JavaThread {
		const nativeId = this.#nativeIdOf(thread.block.osThread);
		if (nativeId === undefined || nativeId === thread.nativeId) {
			return thread;
		}

		const successor = this.#add(new JavaThread(thread.address, thread.block, nativeId));
		successor.round = this.#round;
		this.#addresses = undefined;
		return successor;
	}

	/** Reads a thread's block again; false if it has ended. */
	reread(thread: JavaThread): boolean {
		return this.#blocks.read(thread.address, thread.block);
	}

	/** Whether a thread executes Java code now. */
	isInJavaNow(thread: JavaThread): boolean {
		return this.#isStill(thread) && this.#scratch.state === javaThreadState.inJava;
	}

	/** Adds a thread's block to ranges to be read together; returns its index. */
	addTo(ranges: Ranges, thread: JavaThread): number {
		return this.#blocks.addTo(ranges, thread.address);
	}

	/** Whether a thread was where its stack was walked when these ranges were read, and had not run. */
	wasWhereWalked(ranges: Ranges, range: number, thread: JavaThread): boolean {
		return this.#blocks.take(ranges, range, this.#scratch) && thread.wasWalkedFrom(this.#scratch);
	}

	/** Whether a thread is still where its stack was walked, and has not run. */
	isWhereWalked(thread: JavaThread): boolean {
		return this.#blocks.read(thread.address, this.#scratch) && thread.wasWalkedFrom(this.#scratch);
	}

	/** Reads the threads of an unchanged list; false if one was replaced. */
	#scan(): boolean {
		const moved = this.#threads.filter((thread, index) => {
			thread.hasMoved = !this.#isWhereWalkedBy(index, thread);
			return thread.hasMoved;
		});
		this.#readFresh(moved.map(({address}) => address));
		const isSame = moved.every(thread => this.#update(thread.address, thread) === thread);
		this.#nextFresh = Infinity;
		return isSame;
	}

	/** Whether the block at a thread's address is still that thread's; reads it. */
	#isStill({address, osThread, stackBase}: JavaThread): boolean {
		const now = this.#scratch;
		return this.#blocks.read(address, now) && now.osThread === osThread && (now.stackBase === stackBase || stackBase === 0);
	}

	/** Reads the blocks at these addresses together; `#refresh` takes them in this order. */
	#readFresh(addresses: readonly number[]): void {
		this.#fresh.clear();
		for (const address of addresses) {
			this.#blocks.addTo(this.#fresh, address);
		}

		this.#fresh.read();
		this.#nextFresh = 0;
	}

	#isWhereWalkedBy(index: number, thread: JavaThread | undefined): boolean {
		return thread !== undefined && this.#anchors.areIn(index, thread.block) && thread.wasWalkedFrom(thread.block);
	}

	#rebuild(addresses: readonly number[], lastKnown: number): void {
		const threads = this.#threads;
		this.#round++;
		threads.length = 0;
		const known = addresses.map((address, index) => index <= lastKnown ? this.#known.get(address) : undefined);
		this.#readFresh(addresses.filter((_, index) => !this.#isWhereWalkedBy(index, known[index])));
		this.#vm.reader.forgetPages();
		this.#vm.reader.withPages(() => {
			for (const [index, address] of addresses.entries()) {
				const before = known[index];
				const isInPlace = before !== undefined && this.#isWhereWalkedBy(index, before);
				if (isInPlace) {
					before.hasMoved = false;
				}

				const thread = isInPlace ? before : this.#update(address, before);
				if (thread) {
					thread.round = this.#round;
					threads.push(thread);
				}
			}
		});
		this.#nextFresh = Infinity;

		// Indices identify threads only if every address has one.
		this.#addresses = threads.length === addresses.length ? addresses : undefined;
		if (this.#known.size > threads.length) {
			for (const [address, thread] of this.#known) {
				if (thread.round !== this.#round) {
					this.#known.delete(address);
				}
			}
		}
	}

	/** The thread at an address, with a fresh block; `known`: the thread that was there. */
	#update(address: number, known: JavaThread | undefined): JavaThread | undefined {
		const thread = this.#refresh(address, known);
		if (thread) {
			thread.hasMoved = thread !== known || !thread.wasWalkedFrom(thread.block);
			thread.hasValidRow = false;
		}

		return thread;
	}

	/**
	Index of the newest thread in the list (oldest first) known by its Linux id; all known ones before it are unchanged,
	because a new thread that reuses addresses is appended to the list. Threads found replaced are forgotten. -1 if
	none.
	*/
	#lastKnown(addresses: readonly number[]): number {
		for (let index = addresses.length - 1; index >= 0; index--) {
			const known = this.#known.get(addresses[index]);
			// Without an id, it cannot be told from a successor.
			if (!known || known.nativeId === 0) {
				continue;
			}

			const block = this.#scratch;
			if (this.#blocks.read(known.address, block) && block.osThread === known.osThread && this.#nativeIdOf(block.osThread) === known.nativeId) {
				return index;
			}

			this.#known.delete(known.address);
		}

		return -1;
	}

	/**
	The thread at an address with a fresh block, taken from those read together if any are left; `known`: the thread
	that was there.
	*/
	#refresh(address: number, known: JavaThread | undefined): JavaThread | undefined {
		const block = known?.block ?? this.#scratch;
		const isRead = this.#nextFresh < this.#fresh.count ? this.#blocks.take(this.#fresh, this.#nextFresh++, block) : this.#blocks.read(address, block);
		if (!isRead || block.osThread === 0) {
			return undefined;
		}

		if (known?.osThread === block.osThread && (known.stackBase === block.stackBase || known.stackBase === 0)) {
			return known;
		}

		const nativeId = this.#nativeIdOf(block.osThread);
		if (nativeId === undefined) {
			return undefined;
		}

		return this.#add(new JavaThread(address, block, nativeId));
	}

	#add(thread: JavaThread): JavaThread {
		this.#known.set(thread.address, thread);
		this.newThreads.push(thread);
		return thread;
	}

	#nativeIdOf(osThread: number): number | undefined {
		try {
			return this.#ids.oursOfNew(this.#vm.reader.u32(osThread + this.#vm.layout.fields.nativeThreadId));
		} catch {
			return undefined;
		}
	}
}
