import {type NativeIds} from '../../../jvm/threads/native-ids.js';
import {type Vm} from '../hotspot/vm.js';
import {Ranges} from '../process/ranges.js';
import {JavaThread} from './java-thread.js';
import {
	Anchors, emptyBlock, javaThreadState, ThreadBlocks,
} from './thread-block.js';
import {ThreadList} from './thread-list.js';

/** The Java threads of the target, remembered from sample to sample. */
export class JavaThreads {
	/** Those that were met for the first time in the newest list. */
	readonly newcomers: JavaThread[] = [];
	#round = 0;
	readonly #known = new Map<number, JavaThread>();
	readonly #vm: Vm;
	readonly #list: ThreadList;
	readonly #anchors: Anchors;
	readonly #blocks: ThreadBlocks;
	readonly #ids: NativeIds;
	readonly #scratch = emptyBlock();
	/** Blocks that are read together, and the next of them to be taken. */
	readonly #fresh: Ranges;
	#nextFresh = Infinity;
	/** All of the newest list, and the list if each of its places has one. */
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
	All threads, in an array that the next call uses again. Those that do not stand where their stack was walked from
	are marked as moved, with fresh blocks. Throws `Unreadable` when the list cannot be read.
	*/
	list(): readonly JavaThread[] {
		this.#ids.newRound();
		this.newcomers.length = 0;
		const addresses = this.#list.read();
		this.#anchors.read(addresses);
		const lastKnown = this.#lastKnown(addresses);
		if (addresses !== this.#addresses || lastKnown !== addresses.length - 1 || !this.#look(addresses)) {
			this.#lookAnew(addresses, lastKnown);
		}

		return this.#threads;
	}

	/**
	The same threads as the last time, when only those that are watched can have done anything: they are looked at.
	Undefined where that does not do, as one of them is not there any more.
	*/
	listAgain(watched: readonly JavaThread[]): readonly JavaThread[] | undefined {
		this.newcomers.length = 0;
		if (this.#addresses === undefined) {
			return undefined;
		}

		this.#fresh.clear();
		for (const {address} of watched) {
			this.#blocks.addTo(this.#fresh, address);
		}

		this.#readFresh();
		for (const thread of watched) {
			if (this.#refresh(thread.address, thread) !== thread) {
				this.#nextFresh = Infinity;
				return undefined;
			}

			thread.hasMoved = !thread.wasWalkedFrom(thread.block);
			thread.isSettled &&= !thread.hasMoved;
		}

		this.#nextFresh = Infinity;

		return this.#threads;
	}

	/**
	Who has a thread's place now that the kernel does not know it any more: one started since then may have got the same
	addresses, all of them (the allocator and the C library's cache of stacks hand them on at once), and only its Linux
	id tells. The thread itself where it is still in its place, on its way out or with an id of its own yet to come.
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

	/** Reads a thread's block again; false where it is gone. */
	reread(thread: JavaThread): boolean {
		return this.#blocks.read(thread.address, thread.block);
	}

	/** Whether a thread executes Java code at this moment. */
	isInJavaNow(thread: JavaThread): boolean {
		return this.#isStill(thread) && this.#scratch.state === javaThreadState.inJava;
	}

	/** Adds a thread's block to what is read together; gives its number there. */
	addTo(ranges: Ranges, thread: JavaThread): number {
		return this.#blocks.addTo(ranges, thread.address);
	}

	/** Takes over a thread's block from what was read together; false where it is gone. */
	take(ranges: Ranges, range: number, thread: JavaThread): boolean {
		return this.#blocks.take(ranges, range, thread.block);
	}

	/** Whether a thread stood where its stack was walked from when this was read, without running. */
	wasWhereWalked(ranges: Ranges, range: number, thread: JavaThread): boolean {
		return this.#blocks.take(ranges, range, this.#scratch) && thread.wasWalkedFrom(this.#scratch);
	}

	/** Whether a thread still stands where its stack was walked from, without running. */
	isWhereWalked(thread: JavaThread): boolean {
		return this.#blocks.read(thread.address, this.#scratch) && thread.wasWalkedFrom(this.#scratch);
	}

	/** Looks at the threads of the same list again; false when one of them is not there any more, or another. */
	#look(addresses: readonly number[]): boolean {
		const threads = this.#threads;
		this.#fresh.clear();
		for (const [index, thread] of threads.entries()) {
			if (!this.#stands(index, thread) && !this.#isWhereWalkedBy(index, thread)) {
				this.#blocks.addTo(this.#fresh, addresses[index]);
			}
		}

		this.#readFresh();
		for (const [index, thread] of threads.entries()) {
			if (!this.#stands(index, thread) && this.#lookAt(addresses[index], index, thread) !== thread) {
				this.#nextFresh = Infinity;
				return false;
			}
		}

		this.#nextFresh = Infinity;
		return true;
	}

	/** Whether what is at a thread's address is that thread, as far as its block tells, which is read. */
	#isStill({address, osThread, stackBase}: JavaThread): boolean {
		const now = this.#scratch;
		return this.#blocks.read(address, now) && now.osThread === osThread && (now.stackBase === stackBase || stackBase === 0);
	}

	#readFresh(): void {
		this.#fresh.read();
		this.#nextFresh = 0;
	}

	#stands(index: number, thread: JavaThread): boolean {
		return this.#anchors.areSame(index) && thread.isSettled;
	}

	#isWhereWalkedBy(index: number, thread: JavaThread): boolean {
		return this.#anchors.areIn(index, thread.block) && thread.wasWalkedFrom(thread.block);
	}

	#lookAnew(addresses: readonly number[], lastKnown: number): void {
		const threads = this.#threads;
		this.#round++;
		threads.length = 0;
		for (const [index, address] of addresses.entries()) {
			const thread = this.#lookAt(address, index, index <= lastKnown ? this.#known.get(address) : undefined);
			if (thread) {
				thread.round = this.#round;
				threads.push(thread);
			}
		}

		// Only where each has its thread do places in the list stand for threads.
		this.#addresses = threads.length === addresses.length ? addresses : undefined;
		if (this.#known.size > threads.length) {
			for (const [address, thread] of this.#known) {
				if (thread.round !== this.#round) {
					this.#known.delete(address);
				}
			}
		}
	}

	#lookAt(address: number, index: number, known: JavaThread | undefined): JavaThread | undefined {
		if (known && this.#isWhereWalkedBy(index, known)) {
			known.hasMoved = false;
			return known;
		}

		const thread = this.#refresh(address, known);
		if (thread) {
			thread.hasMoved = thread !== known || !thread.wasWalkedFrom(thread.block);
			thread.isSettled = false;
		}

		return thread;
	}

	/**
	The last place in the list, the oldest thread first, whose thread is the one that is known by its address; all known
	ones before it are themselves then. For one that ended and another that got its address, all of them (the allocator
	and the C library's cache of stacks hand them on at once), the new one is at the list's end, behind all that were
	there: only from there on must Linux's ids be compared. Those that are others are forgotten.
	*/
	#lastKnown(addresses: readonly number[]): number {
		for (let index = addresses.length - 1; index >= 0; index--) {
			const known = this.#known.get(addresses[index]);
			// Without an id nothing tells it apart, nor what comes before it.
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
	The thread at an address with a fresh block, the next of those that were read together if there are any left;
	`known`: who it was, and is as far as is known.
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
		this.newcomers.push(thread);
		return thread;
	}

	#nativeIdOf(osThread: number): number | undefined {
		try {
			return this.#ids.ours(this.#vm.reader.u32(osThread + this.#vm.layout.fields.nativeThreadId));
		} catch {
			return undefined;
		}
	}
}
