import {attempt} from '../../../jvm/system/proc.js';
import {type NativeIds} from '../../../jvm/threads/native-ids.js';
import {type Vm} from '../hotspot/vm.js';
import {emptyBlock, javaThreadState, ThreadBlocks, type ThreadBlock} from '../hotspot/thread-block.js';
import {JavaThread} from './java-thread.js';
import {ThreadList} from './thread-list.js';

/** The target's Java threads, kept from sample to sample. */
export class JavaThreads {
	readonly newThreads: JavaThread[] = [];
	#round = 0;
	readonly #known = new Map<number, JavaThread>();
	readonly #vm: Vm;
	readonly #list: ThreadList;
	readonly #allBlocks: ThreadBlocks;
	readonly #watchedBlocks: ThreadBlocks;
	readonly #ids: NativeIds;
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
	Returns all threads, in an array that the next call reuses. Sets `hasMoved` of those that are not where their stacks
	were walked, and reads their blocks. Throws `Unreadable` if the list cannot be read.
	*/
	list(): readonly JavaThread[] {
		this.#ids.newRound();
		this.newThreads.length = 0;
		const addresses = this.#list.read();
		this.#allBlocks.readAll(addresses);
		const lastKnown = this.#lastKnown(addresses);
		const isSame = addresses === this.#addresses && lastKnown === addresses.length - 1;
		if (!isSame || !this.#threads.every((thread, index) => this.#update(this.#allBlocks, index, thread.address, thread) === thread)) {
			this.#rebuild(addresses, lastKnown);
		}

		return this.#threads;
	}

	/** Returns the previous list, reading only the watched threads again; undefined if one of these has ended. */
	listAgain(watched: readonly JavaThread[]): readonly JavaThread[] | undefined {
		this.newThreads.length = 0;
		if (this.#addresses === undefined) {
			return undefined;
		}

		this.#watchedBlocks.readAll(watched.map(({address}) => address));
		const areThere = watched.every((thread, index) => this.#update(this.#watchedBlocks, index, thread.address, thread) === thread);
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
		successor.round = this.#round;
		this.#addresses = undefined;
		return successor;
	}

	reread(thread: JavaThread): boolean {
		return this.#allBlocks.read(thread.address, thread.block);
	}

	/** Whether a thread is in Java code now, and not another's at its address. */
	isInJavaNow({address, osThread, stackBase}: JavaThread): boolean {
		const now = this.#scratch;
		return this.#allBlocks.read(address, now) && now.osThread === osThread && (now.stackBase === stackBase || stackBase === 0) && now.state === javaThreadState.inJava;
	}

	isWhereWalked(thread: JavaThread): boolean {
		return this.#allBlocks.read(thread.address, this.#scratch) && thread.stack.wasWalkedFrom(this.#scratch);
	}

	#rebuild(addresses: readonly number[], lastKnown: number): void {
		const threads = this.#threads;
		this.#round++;
		threads.length = 0;
		this.#vm.reader.forgetPages();
		this.#vm.reader.withPages(() => {
			for (const [index, address] of addresses.entries()) {
				const thread = this.#update(this.#allBlocks, index, address, index <= lastKnown ? this.#known.get(address) : undefined);
				if (thread) {
					thread.round = this.#round;
					threads.push(thread);
				}
			}
		});

		// Only if every address has a thread do indices in the two lists agree.
		this.#addresses = threads.length === addresses.length ? addresses : undefined;
		if (this.#known.size > threads.length) {
			for (const [address, thread] of this.#known) {
				if (thread.round !== this.#round) {
					this.#known.delete(address);
				}
			}
		}
	}

	/** Returns the thread of the `index`-th block and updates it. `known`: the thread that was at the address. */
	#update(blocks: ThreadBlocks, index: number, address: number, known: JavaThread | undefined): JavaThread | undefined {
		if (known && blocks.isSame(index, known.block) && known.stack.wasWalkedFrom(known.block)) {
			known.hasMoved = false;
			return known;
		}

		const block = known?.block ?? this.#scratch;
		const thread = blocks.copy(index, block) ? this.#threadOf(address, block, known) : undefined;
		if (thread) {
			thread.hasMoved = thread !== known || !thread.stack.wasWalkedFrom(thread.block);
			thread.hasValidRow = false;
		}

		return thread;
	}

	/**
	Returns the index of the newest thread in the list (oldest first) that is known by its Linux id; -1 if none. All
	known threads before it are unchanged, because a new thread that reuses addresses is appended to the list. Forgets
	threads found to be replaced.
	*/
	#lastKnown(addresses: readonly number[]): number {
		for (let index = addresses.length - 1; index >= 0; index--) {
			const known = this.#known.get(addresses[index]);
			// Without an id, a thread cannot be distinguished from its successor.
			if (!known || known.nativeId === 0) {
				continue;
			}

			const block = this.#scratch;
			if (this.#allBlocks.copy(index, block) && block.osThread === known.osThread && this.#nativeIdOf(block.osThread) === known.nativeId) {
				return index;
			}

			this.#known.delete(known.address);
		}

		return -1;
	}

	/** Returns the thread with this block; `known`: the thread that was at its address. */
	#threadOf(address: number, block: ThreadBlock, known: JavaThread | undefined): JavaThread | undefined {
		if (known?.osThread === block.osThread && (known.stackBase === block.stackBase || known.stackBase === 0)) {
			return known;
		}

		const nativeId = block.osThread === 0 ? undefined : this.#nativeIdOf(block.osThread);
		return nativeId === undefined ? undefined : this.#add(new JavaThread(address, block, nativeId));
	}

	#add(thread: JavaThread): JavaThread {
		this.#known.set(thread.address, thread);
		this.newThreads.push(thread);
		return thread;
	}

	#nativeIdOf(osThread: number): number | undefined {
		return attempt(() => this.#ids.oursOfNew(this.#vm.reader.u32(osThread + this.#vm.layout.fields.nativeThreadId)), undefined);
	}
}
