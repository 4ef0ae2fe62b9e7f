import {type NativeIds} from '../../../jvm/threads/native-ids.js';
import {type Vm} from '../hotspot/vm.js';
import {JavaThread} from './java-thread.js';
import {ThreadBlocks, emptyBlock} from './thread-block.js';
import {readThreadList} from './thread-list.js';

/** The Java threads of the target, remembered from sample to sample. */
export class JavaThreads {
	#round = 0;
	readonly #known = new Map<number, JavaThread>();
	readonly #vm: Vm;
	readonly #blocks: ThreadBlocks;
	readonly #ids: NativeIds;
	readonly #scratch = emptyBlock();

	constructor(vm: Vm, ids: NativeIds) {
		this.#vm = vm;
		this.#blocks = new ThreadBlocks(vm.reader.memory, vm.layout);
		this.#ids = ids;
	}

	/** All threads, with fresh blocks. Throws `Unreadable` when the list cannot be read. */
	list(): JavaThread[] {
		this.#round++;
		this.#ids.newRound();
		const threads: JavaThread[] = [];
		for (const address of readThreadList(this.#vm)) {
			const thread = this.#refresh(address);
			if (thread) {
				thread.round = this.#round;
				threads.push(thread);
			}
		}

		if (this.#known.size > threads.length) {
			for (const [address, thread] of this.#known) {
				if (thread.round !== this.#round) {
					this.#known.delete(address);
				}
			}
		}

		return threads;
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

		const successor = new JavaThread(thread.address, thread.block, nativeId);
		successor.round = this.#round;
		this.#known.set(thread.address, successor);
		return successor;
	}

	/** Reads a thread's block again; false where it is gone. */
	reread(thread: JavaThread): boolean {
		return this.#blocks.read(thread.address, thread.block);
	}

	/** Whether a thread still stands where its stack was walked from, without running. */
	isWhereWalked(thread: JavaThread): boolean {
		return this.#blocks.read(thread.address, this.#scratch) && thread.wasWalkedFrom(this.#scratch);
	}

	#refresh(address: number): JavaThread | undefined {
		const known = this.#known.get(address);
		const block = known?.block ?? this.#scratch;
		if (!this.#blocks.read(address, block) || block.osThread === 0) {
			return undefined;
		}

		if (known?.osThread === block.osThread && known.stackBase === block.stackBase) {
			return known;
		}

		const nativeId = this.#nativeIdOf(block.osThread);
		if (nativeId === undefined) {
			return undefined;
		}

		const thread = new JavaThread(address, block, nativeId);
		this.#known.set(address, thread);
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
