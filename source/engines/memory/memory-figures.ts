import type {EngineFigures} from '../../model/snapshot.js';
import {Growth, overMinutes} from '../../util/growth.js';
import {objectsMayMove} from './hotspot/heap.js';
import type {Jvm} from './hotspot/jvm.js';
import {has} from './hotspot/layout.js';
import {fail, ifReadable} from './target/memory-reader.js';
import {JdkObjects} from './virtual/jdk-objects.js';

/** First release in which the JDK's internal classes are in modules (JEP 200), some with other names. */
const firstWithModules = 9;

/** First release in which the JDK counts mapped buffers in another class (JDK-8229485). */
const firstWithDefaultUnmapper = 14;

/** Rounds of the search for a class in one reading. */
const searchRounds = 4;

/** Attempts to read the JDK's figures: a collection may begin during each. */
const maxAttempts = 3;

/** How long figures are kept that could not be read again. */
const maxAgeMs = 10_000;

/** Most class loaders that are counted, those of hidden classes included. */
const maxLoaders = 50_000;

/** Class loaders are counted again after this time, or after this multiple of what it took to count them. */
const loadersEveryMs = 10_000;
const loadersPause = 500;

const atomicLong = 'Ljava/util/concurrent/atomic/AtomicLong;';

/** Classes of the JDK with figures in static fields, and these fields, as a release has them. */
function classesOf(release: number) {
	const hasModules = release >= firstWithModules;
	return {
		bits: 'java.nio.Bits',
		vm: hasModules ? 'jdk.internal.misc.VM' : 'sun.misc.VM',
		unmapper: `sun.nio.ch.FileChannelImpl$${release >= firstWithDefaultUnmapper ? 'DefaultUnmapper' : 'Unmapper'}`,
		reserved: hasModules ? 'RESERVED_MEMORY' : 'reservedMemory',
		count: hasModules ? 'COUNT' : 'count',
		max: hasModules ? 'MAX_MEMORY' : 'maxMemory',
		isLimitSet: hasModules ? 'MEMORY_LIMIT_SET' : 'memoryLimitSet',
	};
}

/**
Reads what the JVM and the JDK count of memory beside the heap: code heaps, class loaders, direct and mapped buffers,
and objects that wait for their finalizers. But for the loaders, these are the figures of the JVM's own MXBeans.
*/
export class MemoryFigures {
	readonly #jvm: Jvm;
	readonly #objects: JdkObjects;
	readonly #classes: ReturnType<typeof classesOf>;
	readonly #directGrowth = new Growth();
	readonly #directSteadyGrowth = new Growth(overMinutes);
	#classLoaders: number | undefined;
	#loadersDueMs = -Infinity;
	#lastOfJdk: EngineFigures = {};
	#lastAtMs = -Infinity;

	constructor(jvm: Jvm) {
		this.#jvm = jvm;
		this.#classes = classesOf(jvm.vm.release);
		const {bits, vm, unmapper} = this.#classes;
		this.#objects = new JdkObjects(jvm, [bits, vm, unmapper]);
	}

	/** Returns the figures; without those that cannot be read. Never throws. */
	read(): EngineFigures {
		for (let round = 0; round < searchRounds; round++) {
			this.#objects.classes.update();
		}

		const nowMs = performance.now();
		return {...ifReadable(() => this.#codeCache(), {}), ...this.#loaders(nowMs), ...this.#jdkFigures(nowMs)};
	}

	#codeCache(): EngineFigures {
		const {committed, reserved} = this.#jvm.code.sizes();
		return {codeCacheBytes: committed, codeCacheMaxBytes: reserved};
	}

	/** Returns the number of class loaders when they were last counted. */
	#loaders(nowMs: number): EngineFigures {
		if (nowMs >= this.#loadersDueMs) {
			const counted = this.#whileNothingMoves(() => ifReadable(() => this.#countLoaders(), undefined));
			this.#classLoaders = counted ?? this.#classLoaders;
			const endMs = performance.now();
			this.#loadersDueMs = endMs + Math.max(loadersEveryMs, loadersPause * (endMs - nowMs));
		}

		return this.#classLoaders === undefined ? {} : {classLoaders: this.#classLoaders};
	}

	/** Counts the class loaders but the boot loader, which is no object. A hidden class's is that of its host. */
	#countLoaders(): number {
		const {reader, layout: {fields}} = this.#jvm.vm;
		if (!has(fields.loaderHasMirrorHolder)) {
			return fail();
		}

		return reader.withPages(() => {
			let count = 0;
			let data = reader.word(fields.loaderGraph);
			for (let left = maxLoaders; data !== 0; left--) {
				const isLoader = reader.u8(data + fields.loaderHasMirrorHolder) === 0
					&& reader.word(data + fields.loaderObject) !== 0;
				count += Number(isLoader);
				data = left > 0 ? reader.word(data + fields.loaderNext) : fail();
			}

			return count;
		});
	}

	/** Returns the figures of the JDK, or those of the last reading if objects have moved. */
	#jdkFigures(nowMs: number): EngineFigures {
		const hasDirectBuffers = this.#objects.classes.get(this.#classes.bits) !== undefined;
		for (let attempt = 0; attempt < maxAttempts; attempt++) {
			const figures = this.#whileNothingMoves(() => ({
				...ifReadable(() => this.#direct(), {}),
				...ifReadable(() => this.#mapped(), {}),
				...ifReadable(() => this.#finalizers(), {}),
			}));
			if (figures && (figures.directBytes !== undefined || !hasDirectBuffers)) {
				this.#lastOfJdk = {
					...figures,
					...(figures.directBytes === undefined
						? {}
						: {
							directGrowthBytesPerMin: this.#directGrowth.with(nowMs, figures.directBytes),
							directSteadyGrowthBytesPerMin: this.#directSteadyGrowth.with(nowMs, figures.directBytes),
						}),
				};
				this.#lastAtMs = nowMs;
				return this.#lastOfJdk;
			}
		}

		return nowMs - this.#lastAtMs <= maxAgeMs ? this.#lastOfJdk : {isDirectUnknown: hasDirectBuffers};
	}

	/** Returns what `read` returns; undefined if objects may have moved meanwhile. */
	#whileNothingMoves<T>(read: () => T): T | undefined {
		const {collections, heap, vm: {collector}} = this.#jvm;
		const before = collections.count();
		if (collector === 'stop-the-world' && before === objectsMayMove) {
			return undefined;
		}

		heap.hasReadStalePointer = false;
		const result = read();
		const isStale = heap.hasReadStalePointer;
		heap.hasReadStalePointer = false;
		return isStale || collections.count() !== before ? undefined : result;
	}

	/** `java.nio.Bits`: what BufferPoolMXBean "direct" tells. */
	#direct(): EngineFigures {
		const {bits, reserved, count, max, isLimitSet} = this.#classes;
		const {reader} = this.#jvm.vm;
		const valueOf = (name: string) => {
			const object = this.#objects.staticField(bits, name, atomicLong);
			return object === 0 ? fail() : plausible(this.#objects.long(object, 'value'));
		};

		const hasLimit = reader.u8(this.#objects.staticAddress(bits, isLimitSet, 'Z')) === 1;
		return {
			directBytes: valueOf(reserved),
			directBuffers: valueOf(count),
			...(hasLimit ? {directMaxBytes: this.#long(bits, max)} : {}),
		};
	}

	/** What BufferPoolMXBean "mapped" tells. */
	#mapped(): EngineFigures {
		const {unmapper} = this.#classes;
		return {
			mappedBytes: this.#long(unmapper, 'totalSize'),
			mappedBuffers: this.#int(unmapper, 'count'),
		};
	}

	/** What MemoryMXBean.getObjectPendingFinalizationCount tells. */
	#finalizers(): EngineFigures {
		return {pendingFinalizers: this.#int(this.#classes.vm, 'finalRefCount')};
	}

	#int(className: string, name: string): number {
		return plausible(this.#jvm.vm.reader.i32(this.#objects.staticAddress(className, name, 'I')));
	}

	#long(className: string, name: string): number {
		return plausible(this.#jvm.vm.reader.word(this.#objects.staticAddress(className, name, 'J')));
	}
}

/** Returns a count of the JDK. Throws `Unreadable` if it cannot be one. */
function plausible(value: number): number {
	return Number.isSafeInteger(value) && value >= 0 ? value : fail();
}
