import {gunzipSync, gzipSync} from 'node:zlib';
import {Continuations} from '../../../source/engines/memory/unwind/continuation.js';
import {Descriptions} from '../../../source/engines/memory/threads/descriptions.js';
import {JavaThreads} from '../../../source/engines/memory/threads/java-threads.js';
import {readersOf} from '../../../source/engines/memory/hotspot/jvm.js';
import {resolveLayout} from '../../../source/engines/memory/hotspot/layout.js';
import {Locks} from '../../../source/engines/memory/locks/locks.js';
import {Reader} from '../../../source/engines/memory/target/reader.js';
import {openVm} from '../../../source/engines/memory/hotspot/vm.js';
import {Walker} from '../../../source/engines/memory/unwind/walker.js';
import {lockKinds} from '../../../source/model/sample.js';
import {threadStates} from '../../../source/model/thread-state.js';
import {NativeIds} from '../../../source/jvm/threads/native-ids.js';
import {WaitingStacks} from '../../../source/engines/memory/thread-stacks.js';
import {Names} from '../observe.js';
import {type Memory} from '../../../source/engines/memory/target/memory.js';
import {readVmStructs, type Symbols} from '../../../source/engines/memory/hotspot/vm-structs.js';

/** Bytes kept together: small, since most reads are. */
const granule = 128;

/** What an image is made of beside the memory: where the tables are, and what a live session saw. */
export type ImageFacts = {readonly release: number; readonly symbols: Array<[string, number]>; readonly threads: string[]};

/** A live memory that keeps everything that is read of it, as it was at the first read. */
export class RecordingMemory implements Memory {
	readonly #live: Memory;
	readonly #kept = new Map<number, Uint8Array>();

	constructor(live: Memory) {
		this.#live = live;
	}

	read(address: number, into: Uint8Array, offset: number, length: number): number {
		const got = this.#live.read(address, into, offset, length);
		for (let at = address - (address % granule); at < address + got; at += granule) {
			if (!this.#kept.has(at)) {
				const bytes = new Uint8Array(granule);
				const count = this.#live.read(at, bytes, 0, granule);
				this.#kept.set(at, bytes.subarray(0, count));
			}
		}

		return got;
	}

	/** Everything kept, as a compressed file: facts as JSON in a line, then each piece's address, length and bytes. */
	save(facts: ImageFacts): Buffer {
		const pieces = [...this.#kept].sort(([a], [b]) => a - b).map(([address, bytes]) => {
			const head = Buffer.alloc(9);
			head.writeDoubleLE(address);
			head[8] = bytes.length;
			return Buffer.concat([head, bytes]);
		});
		return gzipSync(Buffer.concat([Buffer.from(`${JSON.stringify(facts)}\n`), ...pieces]), {level: 9});
	}
}

/** A recorded memory: what was not read then cannot be read now. */
export class ImageMemory implements Memory {
	readonly facts: ImageFacts;
	readonly pieces = new Map<number, Uint8Array>();

	constructor(file: Uint8Array) {
		const bytes = gunzipSync(file);
		const end = bytes.indexOf(10);
		this.facts = JSON.parse(bytes.toString('utf8', 0, end)) as ImageFacts;
		for (let at = end + 1; at < bytes.length; at += 9 + bytes[at + 8]) {
			this.pieces.set(bytes.readDoubleLE(at), bytes.subarray(at + 9, at + 9 + bytes[at + 8]));
		}
	}

	get symbols(): Symbols {
		return new Map(this.facts.symbols);
	}

	read(address: number, into: Uint8Array, offset: number, length: number): number {
		let done = 0;
		while (done < length) {
			const at = address + done;
			const piece = this.pieces.get(at - (at % granule));
			const part = piece?.subarray(at % granule, (at % granule) + length - done);
			if (!part || part.length === 0) {
				break;
			}

			into.set(part, offset + done);
			done += part.length;
		}

		return done;
	}
}

/** Reads all that can be read of a JVM without stopping it; each thread as one text. */
export function readAll(memory: Memory, symbols: Symbols): {release: number; missing: readonly string[]; threads: string[]} {
	const reader = new Reader(memory);
	const layout = resolveLayout(readVmStructs(reader, symbols));
	if (layout.missing.length > 0) {
		return {release: 0, missing: layout.missing, threads: []};
	}

	const names = new Names();
	const vm = openVm(reader, layout);
	const jvm = readersOf(vm, names);
	const threads = new JavaThreads(vm, new NativeIds({pid: 1, nsPid: 1}));
	const stacks = new WaitingStacks(jvm, threads, new Walker(jvm), new Continuations(jvm));
	const locks = new Locks(jvm);
	jvm.methods.beginSample();
	jvm.code.beginSample();
	const all = threads.list();
	for (const thread of all.filter(({isInJava}) => !isInJava)) {
		stacks.walk(thread);
	}

	new Descriptions(jvm, 1, threads).describe(all, all);
	locks.start(all);
	const found = all.map(thread => locks.of(thread, thread.description.state));
	return {
		release: vm.release, missing: [],
		threads: all.map((thread, index) => {
			const lock = found[index];
			return [
				`"${thread.description.name}" #${thread.description.key} ${threadStates[thread.description.state]} ${thread.stack.end}`,
				`${lockKinds[lock.kind]} ${names.strings[lock.className]} ${lock.holder?.thread ? `held by #${lock.holder.thread.description.key}` : ''}`,
				...[...thread.stack.frames].map(frame => names.frames[frame].replace(/:(-?\d+)$/, `(${names.files[frame]}:$1)`)),
			].join('\n');
		}),
	};
}
