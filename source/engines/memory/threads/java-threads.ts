import {attempt} from '../../../jvm/system/proc.js';
import {type NativeIds} from '../../../jvm/threads/native-ids.js';
import {type Vm} from '../hotspot/vm.js';
import {emptyBlock, javaThreadState, ThreadBlocks, type ThreadBlock} from '../hotspot/thread-block.js';
import {JavaThread} from './java-thread.js';
import {ThreadList} from './thread-list.js';

/** The target's Java threads, kept from sample to sample. */
export class JavaThreads {
	/** Threads of the newest list that were not in the previous one. */
	readonly newThreads: JavaThread[] = [];
	#listNumber = 0;
	readonly #byAddress = new Map<number, JavaThread>();
	readonly #vm: Vm;
	readonly #list: ThreadList;
	readonly #allBlocks: ThreadBlocks;
	readonly #watchedBlocks: ThreadBlocks;
	readonly #ids: NativeIds;
	/** Memory for a block that is only compared. */
	readonly #scratch = emptyBlock();
	/** The newest list. */
	readonly #threads: JavaThread[] = [];
	/** Its addresses; undefined if some have no thread. */
	#addresses: readonly number[] | undefined;

	constructor(vm: Vm, ids: NativeIds) {
		this.#vm = vm;
		this.#list = new ThreadList(vm);
		this.#allBlocks = new ThreadBlocks(vm);
		this.#watchedBlocks = new ThreadBlocks(vm);
		this.#ids = ids;
	}

	/**
	Returns all threads, in an array that the next call reuses. Sets which have moved, that is, are not where
	their stacks were walked, and reads their blocks. Throws `Unreadable` if the list cannot be read.
	*/
	list(): readonly JavaThread[] {
		this.#ids.newRound();
		this.newThreads.length = 0;
		const addresses = this.#list.read();
		this.#allBlocks.readAll(addresses);
		const lastKept = this.#lastKept(addresses);
		const isSame = addresses === this.#addresses && lastKept === addresses.length - 1;
		if (
			!isSame || !this.#threads.every((thread, index) =>
				this.#update(this.#allBlocks, index, thread.address, thread) === thread)
		) {
			this.#rebuild(addresses, lastKept);
		}

		return this.#threads;
	}

	/**
	Rereads watched threads, and returns the newest list; undefined if that is incomplete or one of them has ended.
	*/
	listAgain(watched: ReadonlySet<JavaThread>): readonly JavaThread[] | undefined {
		this.newThreads.length = 0;
		if (this.#addresses === undefined) {
			return undefined;
		}

		const threads = [...watched];
		this.#watchedBlocks.readAll(threads.map(({address}) => address));
		const areThere = threads.every((thread, index) =>
			this.#update(this.#watchedBlocks, index, thread.address, thread) === thread);
		return areThere ? this.#threads : undefined;
	}

	/**
	Returns the thread that replaced one that the kernel no longer knows, or the thread itself if there is none.
	Allocator and C library reuse addresses at once, so the successor may differ only in its Linux id.
	*/
	successorOf(thread: JavaThread): JavaThread {
		const nativeId = this.#nativeIdOf(thread.block.osThread);
		if (nativeId === undefined || nativeId === thread.nativeId) {
			return thread;
		}

		const successor = this.#add(new JavaThread(thread.address, thread.block, nativeId));
		successor.presence.setListed(this.#listNumber);
		this.#addresses = undefined;
		return successor;
	}

	/** Reads a thread's block again; returns false if unreadable. */
	reread(thread: JavaThread): boolean {
		return thread.place.read(into => this.#allBlocks.read(thread.address, into));
	}

	/** Whether a thread is in Java code now; false if another thread is at its address. */
	isInJavaNow({address, osThread, stackBase}: JavaThread): boolean {
		const now = this.#scratch;
		return this.#allBlocks.read(address, now) && now.osThread === osThread
			&& (now.stackBase === stackBase || stackBase === 0) && now.state === javaThreadState.inJava;
	}

	/** Whether a thread is now where its stack was walked from. */
	isWhereWalked(thread: JavaThread): boolean {
		return this.#allBlocks.read(thread.address, this.#scratch) && thread.stack.wasWalkedFrom(this.#scratch);
	}

	#rebuild(addresses: readonly number[], lastKept: number): void {
		const threads = this.#threads;
		this.#listNumber++;
		threads.length = 0;
		this.#vm.reader.forgetPages();
		this.#vm.reader.withPages(() => {
			for (const [index, address] of addresses.entries()) {
				const thread = this.#update(
					this.#allBlocks,
					index,
					address,
					index <= lastKept ? this.#byAddress.get(address) : undefined,
				);
				if (thread) {
					thread.presence.setListed(this.#listNumber);
					threads.push(thread);
				}
			}
		});

		// Only if every address has a thread do indices in the two lists agree.
		this.#addresses = threads.length === addresses.length ? addresses : undefined;
		if (this.#byAddress.size > threads.length) {
			for (const [address, thread] of this.#byAddress) {
				if (thread.presence.listNumber !== this.#listNumber) {
					this.#byAddress.delete(address);
				}
			}
		}
	}

	/**
	Updates and returns the thread of the `index`-th block; undefined if unreadable. `before`: the thread that was at
	its address.
	*/
	#update(
		blocks: ThreadBlocks,
		index: number,
		address: number,
		before: JavaThread | undefined,
	): JavaThread | undefined {
		if (before && blocks.isSame(index, before.block) && before.stack.wasWalkedFrom(before.block)) {
			before.place.setMoved(false);
			return before;
		}

		const copy = (into: ThreadBlock) => blocks.copy(index, into);
		const isRead = before ? before.place.read(copy) : copy(this.#scratch);
		const thread = isRead ? this.#threadOf(address, before?.block ?? this.#scratch, before) : undefined;
		thread?.place.setMoved(thread !== before || !thread.stack.wasWalkedFrom(thread.block));
		return thread;
	}

	/**
	Returns the index of the newest thread of the list (oldest first) that was in the previous list; -1 if there is
	none. No thread before it has been replaced, because a new thread is appended to the list, even if it reuses an
	address. Forgets threads that have been replaced.
	*/
	#lastKept(addresses: readonly number[]): number {
		for (let index = addresses.length - 1; index >= 0; index--) {
			const before = this.#byAddress.get(addresses[index]);
			// Without a Linux id, a thread cannot be distinguished from its successor.
			if (!before || before.nativeId === 0) {
				continue;
			}

			const block = this.#scratch;
			if (
				this.#allBlocks.copy(index, block) && block.osThread === before.osThread
				&& this.#nativeIdOf(block.osThread) === before.nativeId
			) {
				return index;
			}

			this.#byAddress.delete(before.address);
		}

		return -1;
	}

	/** Returns the thread with this block; undefined if it is ending. `before`: the thread that was at its address. */
	#threadOf(address: number, block: ThreadBlock, before: JavaThread | undefined): JavaThread | undefined {
		if (before?.osThread === block.osThread && (before.stackBase === block.stackBase || before.stackBase === 0)) {
			return before;
		}

		const nativeId = block.osThread === 0 ? undefined : this.#nativeIdOf(block.osThread);
		return nativeId === undefined ? undefined : this.#add(new JavaThread(address, block, nativeId));
	}

	#add(thread: JavaThread): JavaThread {
		this.#byAddress.set(thread.address, thread);
		this.newThreads.push(thread);
		return thread;
	}

	/** Returns the Linux id of a HotSpot OSThread, 0 if the kernel has no such thread; undefined if unreadable. */
	#nativeIdOf(osThread: number): number | undefined {
		return attempt(
			() => this.#ids.oursOfNew(this.#vm.reader.u32(osThread + this.#vm.layout.fields.nativeThreadId)),
			undefined,
		);
	}
}
