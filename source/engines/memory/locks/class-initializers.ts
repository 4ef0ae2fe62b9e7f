import {getOrCreate} from '../../../util/get-or-create.js';
import {lockKindCode} from '../../../model/sample.js';
import {wordAt, isAligned} from '../target/memory.js';
import {ifReadable} from '../target/memory-reader.js';
import {has} from '../hotspot/layout.js';
import {type Jvm} from '../hotspot/jvm.js';
import {noLock, type JavaThread, type Lock} from '../threads/java-thread.js';

/** First release in which a JavaThread refers to the class whose initializer it waits for. */
const threadHasClassSince = 17;

/** Searched below the waiter's Java frames: on JDK 16 and earlier, only its native stack has the class. */
const searchedBytes = 2048;

/** Threads searched per sample; results are cached. */
const maxSearches = 8;

/** Finds the class that a stalled thread (`isStalled`) waits for, and the thread that initializes it. */
export class ClassInitializers {
	readonly #jvm: Jvm;
	/** By word found in this sample: the JavaThread that initializes the class there; 0 if there is no such class. */
	readonly #byWord = new Map<number, number>();
	#searchesLeft = maxSearches;

	constructor(jvm: Jvm) {
		this.#jvm = jvm;
	}

	/** Begins a sample. */
	start(): void {
		this.#byWord.clear();
		this.#searchesLeft = maxSearches;
	}

	/**
	Returns what a stalled thread waits for; undefined if it must be searched again. `threadAt`: returns the thread at a
	JavaThread's address; `classId`: returns the string id of a class's name. Never throws.
	*/
	lockOf(
		{address, block}: JavaThread,
		threadAt: (address: number) => JavaThread | undefined,
		classId: (klass: number) => number,
	): Lock | undefined {
		const {reader, release, layout: {fields, sizes, constants}} = this.#jvm.vm;
		const hasFields = has(fields.klassInitThread) && has(fields.klassInitState) && has(constants.beingInitialized)
			&& has(sizes.javaThread);
		if (!hasFields || this.#searchesLeft-- <= 0) {
			return hasFields ? undefined : noLock;
		}

		return ifReadable<Lock | undefined>(() => {
			const bytes = release >= threadHasClassSince
				? reader.bytes(address, sizes.javaThread & ~7)
				: reader.bytes(block.anchorSp - searchedBytes, searchedBytes);
			const view = new DataView(bytes.buffer);
			for (let at = bytes.length - 8; at >= 0; at -= 8) {
				const klass = wordAt(view, at);
				const initializer = isAligned(klass)
					? getOrCreate(this.#byWord, klass, () => this.#initializerOf(klass))
					: 0;
				const owner = initializer === 0 || initializer === address ? undefined : threadAt(initializer);
				if (owner) {
					return {
						kind: lockKindCode['class-init'],
						className: classId(klass),
						holder: {thread: owner},
						readHolder: () => ({thread: threadAt(this.#initializerOf(klass))}),
					};
				}
			}

			return noLock;
		}, undefined);
	}

	/** Returns a thread's outermost frame in a class's initializer; 0 for none. */
	frameOf({stack: {frames}}: JavaThread, className: number): number {
		return frames.findLast(frame => {
			const method = this.#jvm.methods.ofFrame(frame);
			return method?.name === '<clinit>' && this.#jvm.interner.internString(method.className) === className;
		}) ?? 0;
	}

	/** Returns the address of the JavaThread that initializes a class; 0 if none does, or it is no class. */
	#initializerOf(klass: number): number {
		const {reader, layout: {fields, constants}} = this.#jvm.vm;
		return ifReadable(
			() =>
				reader.u8(klass + fields.klassInitState) === constants.beingInitialized
					? reader.word(klass + fields.klassInitThread)
					: 0,
			0,
		);
	}
}
