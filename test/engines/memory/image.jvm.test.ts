import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {describe, expect, test} from 'vitest';
import {readersOf} from '../../../source/engines/memory/hotspot/jvm.js';
import {resolveLayout} from '../../../source/engines/memory/hotspot/layout.js';
import {findSymbols, readVmStructs, type Symbols} from '../../../source/engines/memory/hotspot/vm-structs.js';
import {openVm} from '../../../source/engines/memory/hotspot/vm.js';
import {Locks} from '../../../source/engines/memory/locks/locks.js';
import {type Memory, ProcessMemory} from '../../../source/engines/memory/target/memory.js';
import {ownArchitecture} from '../../../source/engines/memory/target/own-architecture.js';
import {Reader, Unreadable} from '../../../source/engines/memory/target/memory-reader.js';
import {WaitingStacks} from '../../../source/engines/memory/thread-stacks.js';
import {Descriptions} from '../../../source/engines/memory/threads/descriptions.js';
import {JavaThreads} from '../../../source/engines/memory/threads/java-threads.js';
import {Continuations} from '../../../source/engines/memory/unwind/continuation.js';
import {Walker} from '../../../source/engines/memory/unwind/walker.js';
import {NativeIds} from '../../../source/jvm/threads/native-ids.js';
import {lockKinds} from '../../../source/model/sample.js';
import {threadStates} from '../../../source/model/thread-state.js';
import {jdks, startJava} from '../../helpers/jvm.js';
import {pick, seeded} from '../../helpers/random.js';
import {Names} from '../observe.js';
import {ImageMemory, RecordingMemory} from './image-memory.js';

/*
Images of real JVMs, one for each JDK: what the engine read of their memory, and what it made of it. They test the
decoding without a JVM, and with memory that lies. To record those of the JDKs found on this machine:
TPROF_RECORD_IMAGES=1 npx vitest run test/engines/memory/image.jvm.test.ts
*/

/** Reads all that can be read of a JVM without stopping it; each thread as one text. */
function readAll(memory: Memory, symbols: Symbols): {release: number; missing: readonly string[]; threads: string[]} {
	const reader = new Reader(memory);
	const layout = resolveLayout(readVmStructs(reader, symbols));
	if (layout.missing.length > 0) {
		return {release: 0, missing: layout.missing, threads: []};
	}

	const names = new Names();
	const vm = openVm(reader, layout, ownArchitecture);
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
	for (const thread of all) {
		thread.state.setState(thread.description.state, true);
		locks.update(thread);
	}

	return {
		release: vm.release,
		missing: [],
		threads: all.map(thread => {
			const {lock} = thread;
			return [
				`"${thread.description.name}" #${thread.description.key} ${threadStates[thread.description.state]} ${thread.stack.end}`,
				`${lockKinds[lock.kind]} ${names.strings[lock.className]} ${
					lock.last?.holder?.thread ? `held by #${lock.last.holder.thread.description.key}` : ''
				}`,
				...[...thread.stack.frames].map(frame =>
					names.frames[frame].replace(/:(-?\d+)$/, `(${names.files[frame]}:$1)`)),
			].join('\n');
		}),
	};
}

const folder = path.resolve(import.meta.dirname, '../../fixtures/memory');

if (process.env.TPROF_RECORD_IMAGES) {
	for (const jdk of jdks()) {
		const java = await startJava('WaitsEveryWay', {jdk, args: ['1', '12'], jvmArgs: ['-Xmx64m']});
		try {
			const live = new ProcessMemory(java.pid);
			const recording = new RecordingMemory(live);
			const symbols = findSymbols(java.pid);
			const {release, missing, threads} = readAll(recording, symbols);
			live.close();
			process.stdout.write(`JDK ${jdk.release}: ${threads.length} threads; missing fields: ${missing.join(', ') || 'none'}\n`);
			if (missing.length === 0) {
				mkdirSync(folder, {recursive: true});
				writeFileSync(
					path.join(folder, `jdk-${release}.image.gz`),
					recording.save({release, symbols: [...symbols], threads}),
				);
			}
		} finally {
			await java.stop();
		}
	}
}

const images = readdirSync(folder).filter(name => name.endsWith('.image.gz'));

test('there is an image of each kind of JDK', () => {
	expect(images.map(name => Number(/\d+/.exec(name)?.[0])).sort((a, b) => a - b)).toEqual([8, 11, 17, 21, 25, 27]);
});

describe.each(images)('%s', name => {
	const file = readFileSync(path.join(folder, name));

	test('reads as it did when it was recorded', () => {
		const image = new ImageMemory(file);
		const {release, missing, threads} = readAll(image, image.symbols);
		expect(missing).toEqual([]);
		expect(release).toBe(image.facts.release);
		expect(threads).toEqual(image.facts.threads);
		expect(threads.length).toBeGreaterThan(20);
		expect(threads.some(thread => thread.includes('WaitsEveryWay.viaLambda(') && thread.includes(' root\n')))
			.toBe(true);
		expect(threads.filter(thread => /\n(?:park|monitor)/.test(thread)).length).toBeGreaterThan(8);
	});

	test.each<[string, rounds: number, damage: (image: ImageMemory, random: () => number, seed: number) => void]>([
		['bytes changed at random', 60, ({pieces}, random) => {
			const all = [...pieces.values()];
			for (let changes = 1 + pick(random, 400); changes > 0; changes--) {
				const piece = all[pick(random, all.length)];
				piece[pick(random, piece.length)] = pick(random, 256);
			}
		}],
		['pieces taken away at random', 40, ({pieces}, random, seed) => {
			for (const address of [...pieces.keys()].filter(() => random() < seed / 1000)) {
				pieces.delete(address);
			}
		}],
		['words replaced by other words of the same memory, so that pointers lead anywhere', 60, ({pieces}, random) => {
			const all = [...pieces.values()].filter(piece => piece.length >= 8);
			const wordIn = (piece: Uint8Array) => 8 * pick(random, Math.floor(piece.length / 8));
			for (let change = 0; change < 300; change++) {
				const [from, to] = [all[pick(random, all.length)], all[pick(random, all.length)]];
				const at = wordIn(from);
				to.set(from.subarray(at, at + 8), wordIn(to));
			}
		}],
	])('%s: fewer or other threads, never an error of ours, and an end', (_, rounds, damage) => {
		for (let seed = 0; seed < rounds; seed++) {
			const image = new ImageMemory(file);
			damage(image, seeded(seed), seed);
			readOrFail(image);
		}
	});
});

/** Tables that make no sense end a session before it begins; after that nothing is thrown but `Unreadable`. */
function readOrFail(image: ImageMemory): void {
	try {
		const {threads} = readAll(image, image.symbols);
		expect(threads.length).toBeLessThanOrEqual(65_536);
	} catch (error) {
		if (!(error instanceof Unreadable)) {
			expect(String(error)).toMatch(/^Error: (?:the tables of this libjvm\.so|libjvm\.so has no symbol)/);
		}
	}
}
