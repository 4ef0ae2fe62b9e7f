import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {afterEach, expect, test, vi} from 'vitest';
import {readersOf, type Jvm} from '../../../source/engines/memory/hotspot/jvm.js';
import {has, resolveLayout} from '../../../source/engines/memory/hotspot/layout.js';
import {isSameAnchor, javaThreadState} from '../../../source/engines/memory/hotspot/thread-block.js';
import {readVmStructs} from '../../../source/engines/memory/hotspot/vm-structs.js';
import {openVm} from '../../../source/engines/memory/hotspot/vm.js';
import {ownArchitecture} from '../../../source/engines/memory/target/own-architecture.js';
import {SampleRows} from '../../../source/engines/memory/sample-rows.js';
import {Reader, ifReadable} from '../../../source/engines/memory/target/memory-reader.js';
import {WaitingStacks} from '../../../source/engines/memory/thread-stacks.js';
import {CpuTimes} from '../../../source/engines/memory/threads/cpu-times.js';
import {Descriptions} from '../../../source/engines/memory/threads/descriptions.js';
import {type JavaThread} from '../../../source/engines/memory/threads/java-thread.js';
import {JavaThreads} from '../../../source/engines/memory/threads/java-threads.js';
import {type VmThreads} from '../../../source/engines/memory/threads/vm-threads.js';
import {Continuations} from '../../../source/engines/memory/unwind/continuation.js';
import {Walker} from '../../../source/engines/memory/unwind/walker.js';
import {NativeIds} from '../../../source/jvm/threads/native-ids.js';
import {type ThreadCpu} from '../../../source/jvm/threads/thread-cpu.js';
import {JvmStacks} from '../../../source/model/jvm-stacks.js';
import {Sample} from '../../../source/model/sample.js';
import {pick, seeded} from '../../helpers/random.js';
import {Names, rowsOf, type Row} from '../observe.js';
import {ImageMemory} from './image-memory.js';

/*
Two engines sample the recorded memory of a JVM while it changes at random: one as a session does, which reads only what
may have changed and uses rows again; the other reads every thread and fills every row anew. Both must show the same. A
part of a thread that does not say that it has changed, or that it may change, fails this.
*/

/** Each round changes something and takes a sample. */
const rounds = 100;
const intervalMs = 20;

/** Names of inactive threads are read again after ten seconds, some at a time. */
const secondsToFindNames = 30;

/** What the kernel says of the threads' CPU time since the last sample, by Linux id; the images have no kernel. */
class Kernel {
	readonly usedNs = new Map<number, number>();
	lastResult = 'read';
	cpuNs = 0;
	runDelayNs = 0;
	timeslices = 1;

	delta(nativeId: number): number {
		return this.usedNs.get(nativeId) ?? 0;
	}

	forgetUnread(): void {
		// Nothing is kept.
	}
}

const recordedFrames = Int32Array.of(1);

class Engine {
	readonly jvm: Jvm;
	readonly threads: JavaThreads;
	/** The threads of the newest sample, and how many of its rows were used again. */
	newest: readonly JavaThread[] = [];
	reused = 0;
	readonly #names = new Names();
	readonly #stacks: WaitingStacks;
	readonly #descriptions: Descriptions;
	readonly #rows: SampleRows;
	readonly #cpuTimes: CpuTimes;
	#sample = new Sample();

	constructor(memory: ImageMemory, kernel: Kernel, readonly readsAll: boolean) {
		const reader = new Reader(memory);
		const layout = resolveLayout(readVmStructs(reader, memory.symbols));
		this.jvm = readersOf(openVm(reader, layout, ownArchitecture), this.#names);
		this.threads = new JavaThreads(this.jvm.vm, new NativeIds({pid: 1, nsPid: 1}));
		this.#stacks = new WaitingStacks(this.jvm, this.threads, new Walker(this.jvm), new Continuations(this.jvm));
		this.#descriptions = new Descriptions(this.jvm, 0, this.threads);
		this.#cpuTimes = new CpuTimes(kernel as unknown as ThreadCpu);
		const vmThreads = {add() {/* An image has only Java threads. */}} as unknown as VmThreads;
		this.#rows = new SampleRows(this.jvm, {depth: Infinity}, {vmThreads, jvmStacks: new JvmStacks(this.#names)});
	}

	sample(): Row[] {
		this.jvm.methods.beginSample();
		this.jvm.code.beginSample();
		this.newest = this.threads.list();
		this.#cpuTimes.begin(true);
		for (const thread of this.newest) {
			this.#cpuTimes.read(thread.cpu);
			// A recorded thread is read in every sample.
			thread.records.setRecorded(this.readsAll);
		}

		const changed = this.newest.filter(thread => !thread.isSettled);
		for (const thread of changed.filter(thread => !thread.isInJava && (this.readsAll || !thread.hasSameStack))) {
			this.#stacks.walk(thread);
		}

		for (const thread of changed.filter(thread => thread.isInJava)) {
			// As from its newest record, which stays the same for some samples.
			thread.stack.setWalked({frames: recordedFrames, end: 'root', carrierStart: -1, isHeapMissing: false});
		}

		this.#descriptions.describe(changed, this.newest);
		this.#sample = this.readsAll ? new Sample() : this.#sample;
		this.#rows.fill(this.#sample, this.newest, {newThreads: this.threads.newThreads, repeats: 1});
		this.reused += this.#sample.isSame.subarray(0, this.#sample.count).reduce((sum, isSame) => sum + isSame, 0);
		return rowsOf(this.#sample, this.#names);
	}
}

type Change = (random: () => number) => void;

/** What may happen in a JVM between two samples, each as a change of its memory. */
function changesOf(memory: ImageMemory, engine: Engine, kernel: Kernel): readonly Change[] {
	const {jvm: {vm: {reader, layout: {fields}}, heap, objects}} = engine;
	const all = engine.newest;
	const firstBlocks = all.map(({block}) => ({...block}));
	const someThread = (random: () => number) => pick(random, all.length);
	const setWord = (address: number, value: number) => {
		const bytes = Buffer.alloc(8);
		bytes.writeBigUInt64LE(BigInt(value));
		memory.write(address, bytes);
	};

	const setState = (thread: JavaThread, state: number) => {
		memory.write(thread.address + fields.threadState, Buffer.from(Uint32Array.of(state).buffer));
	};

	const setAnchor = (thread: JavaThread, sp: number, pc: number, fp: number) => {
		setWord(thread.address + fields.anchor + fields.anchorSp, sp);
		setWord(thread.address + fields.anchor + fields.anchorPc, pc);
		setWord(thread.address + fields.anchor + fields.anchorFp, fp);
	};

	const objectOf = ({address}: JavaThread) =>
		objects.objectOf(address, firstBlocks[all.findIndex(thread => thread.address === address)].threadObject);
	const ran = (thread: JavaThread, random: () => number) => {
		kernel.usedNs.set(thread.nativeId, 1 + pick(random, 1e6));
	};

	const setStatus = (thread: JavaThread, status: number) => {
		ifReadable(() => {
			memory.write(objects.statusAddress(objectOf(thread)), Buffer.from(Uint32Array.of(status).buffer));
		}, undefined);
	};

	const statuses = [0x04_01, 0x01_91, 0x01_A1, 0x02_91, 0x02_A1, 0x00_05, 0x02];
	return [
		// It uses CPU time, and stays where it is or comes back there.
		random => {
			ran(all[someThread(random)], random);
		},
		// It goes on: to where it was at first, out of all Java methods, to where no stack is, or into Java code.
		random => {
			const index = someThread(random);
			const [thread, block] = [all[index], firstBlocks[index]];
			const other = firstBlocks[someThread(random)];
			const [sp, pc, fp] = [
				[block.anchorSp, block.anchorPc, block.anchorFp],
				[0, 0, 0],
				[other.anchorSp, other.anchorPc, other.anchorFp],
			][pick(random, 3)];
			const {inNative, inVm, blocked, inJava} = javaThreadState;
			const state = [block.state, block.state, inNative, inVm, blocked, inJava][pick(random, 6)];
			const before = thread.block;
			setAnchor(thread, sp, pc, fp);
			setState(thread, state);
			if (random() < 0.5) {
				setStatus(thread, statuses[pick(random, statuses.length)]);
			}

			const isBack = before.state === state && isSameAnchor(before, {anchorSp: sp, anchorPc: pc, anchorFp: fp});
			// A thread that is where it was has not been elsewhere without CPU time.
			if (isBack || random() < 0.5) {
				ran(thread, random);
			}
		},
		// Another thread notifies it.
		random => {
			const waiting = all.filter(({description}) => description.isNotifiable);
			if (waiting.length > 0) {
				setStatus(waiting[pick(random, waiting.length)], [0x04_01, 0x01_91, 0x01_A1][pick(random, 3)]);
			}
		},
		// Its monitor gets another owner, or none.
		random => {
			const monitors = firstBlocks.map(({pendingMonitor}) => pendingMonitor).filter(monitor => monitor !== 0);
			if (monitors.length > 0) {
				const {address, block: {monitorOwnerId}} = all[someThread(random)];
				setWord(
					monitors[pick(random, monitors.length)] + fields.monitorOwner,
					random() < 0.3 ? 0 : monitorOwnerId || address,
				);
			}
		},
		// The lock for which it is parked gets another owner, or none.
		random => {
			ifReadable(() => {
				const blocker = objects.parkBlocker(objectOf(all[someThread(random)]));
				const owner = blocker === 0
					? Number.NaN
					: heap.fieldOffset(heap.klassOf(blocker), 'exclusiveOwnerThread', 'Ljava/lang/Thread;');
				if (has(owner)) {
					// A reference has four bytes where there is a word of another field behind it, which stays.
					const blockers = all.map(thread => ifReadable(() => objects.parkBlocker(objectOf(thread)), 0));
					const other = blockers.filter(address =>
						address !== 0
						&& has(heap.fieldOffset(
							heap.klassOf(address),
							'exclusiveOwnerThread',
							'Ljava/lang/Thread;',
						)));
					const from = other[pick(random, other.length)] + owner;
					memory.write(
						blocker + owner,
						random() < 0.4 ? new Uint8Array(4) : Buffer.from(Uint32Array.of(reader.u32(from)).buffer),
					);
				}
			}, undefined);
		},
		// A collection begins, during which no object can be read, or ends.
		random => {
			setCollecting(memory, engine, random() < 0.5);
		},
		// Collections have begun and ended.
		random => {
			const address = reader.pointer(fields.collectedHeap) + fields.totalCollections;
			memory.write(address, Buffer.from(Uint32Array.of(reader.u32(address) + 1 + pick(random, 3)).buffer));
		},
	];
}

function setCollecting(
	memory: ImageMemory,
	{jvm: {vm: {reader, layout: {fields}}}}: Engine,
	isCollecting: boolean,
): void {
	memory.write(reader.pointer(fields.collectedHeap) + fields.collectionActive, Uint8Array.of(Number(isCollecting)));
}

/** A thread gets the name of another. */
function rename(memory: ImageMemory, {newest, jvm: {heap, objects, vm: {reader}}}: Engine, random: () => number): void {
	const [to, from] = [newest[pick(random, newest.length)], newest[pick(random, newest.length)]];
	ifReadable(() => {
		const [toObject, fromObject] = [to, from].map(({address, block}) =>
			objects.objectOf(address, block.threadObject));
		const offset = heap.requiredOffset(heap.klassOf(fromObject), 'name', 'Ljava/lang/String;');
		memory.write(toObject + offset, Buffer.from(Uint32Array.of(reader.u32(fromObject + offset)).buffer));
	}, undefined);
}

function expectSameRows(reusing: Engine, refilling: Engine, when: string): void {
	const [reused, refilled] = [reusing.sample(), refilling.sample()];
	// During a collection, one that reads all anew knows less.
	if (!refilling.jvm.collections.isRunning() && JSON.stringify(reused) !== JSON.stringify(refilled)) {
		expect(reused, when).toEqual(refilled);
	}
}

afterEach(() => {
	vi.restoreAllMocks();
});

const folder = path.resolve(import.meta.dirname, '../../fixtures/memory');

test.each(readdirSync(folder))('%s: rows that are used again are as if they had been filled anew', name => {
	let nowMs = 1000;
	vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
	const file = readFileSync(path.join(folder, name));
	for (let seed = 1; seed <= 2; seed++) {
		const random = seeded(seed);
		const memory = new ImageMemory(file);
		const kernel = new Kernel();
		const [reusing, refilling] = [new Engine(memory, kernel, false), new Engine(memory, kernel, true)];
		reusing.sample();
		refilling.sample();
		const changes = changesOf(memory, refilling, kernel);
		for (let round = 0; round < rounds; round++) {
			kernel.usedNs.clear();
			for (let count = pick(random, 4); count > 0; count--) {
				changes[pick(random, changes.length)](random);
			}

			nowMs += intervalMs;
			expectSameRows(reusing, refilling, `seed ${seed}, round ${round}`);
		}

		kernel.usedNs.clear();
		setCollecting(memory, refilling, false);
		for (let second = 0; second < secondsToFindNames; second++) {
			if (second < 5) {
				rename(memory, refilling, random);
			}

			nowMs += 1000;
			reusing.sample();
			refilling.sample();
		}

		expectSameRows(reusing, refilling, `seed ${seed}, renamed`);
		expect(reusing.reused).toBeGreaterThan(rounds * reusing.newest.length / 4);
		expect(refilling.reused).toBe(0);
	}
});
