import {expect, test} from 'vitest';
import {type Jvm, readersOf} from '../../../../source/engines/memory/hotspot/jvm.js';
import {openJvm} from '../../../../source/engines/memory/open.js';
import {type Memory} from '../../../../source/engines/memory/target/memory.js';
import {Reader} from '../../../../source/engines/memory/target/memory-reader.js';
import {WaitingStacks} from '../../../../source/engines/memory/thread-stacks.js';
import {JavaThreads} from '../../../../source/engines/memory/threads/java-threads.js';
import {Continuations} from '../../../../source/engines/memory/unwind/continuation.js';
import {slot} from '../../../../source/engines/memory/unwind/interpreted.js';
import {Walker, type FrameWatcher} from '../../../../source/engines/memory/unwind/walker.js';
import {NativeIds} from '../../../../source/jvm/threads/native-ids.js';
import {javaForTest} from '../../../helpers/for-test.js';
import {jdks} from '../../../helpers/jvm.js';
import {Names} from '../../observe.js';

/** A JVM's memory in which some words are others. */
class AlteredMemory implements Memory {
	readonly words = new Map<number, number>();

	constructor(readonly live: Memory) {}

	read(address: number, into: Uint8Array, offset: number, length: number): number {
		const got = this.live.read(address, into, offset, length);
		for (const [at, word] of this.words) {
			if (at >= address && at + 8 <= address + got) {
				new DataView(into.buffer, into.byteOffset).setBigUint64(offset + at - address, BigInt(word), true);
			}
		}

		return got;
	}
}

/** The frame pointer of each interpreted frame, by its index. */
class FramePointers implements FrameWatcher {
	readonly byIndex = new Map<number, number>();

	interpreted(at: number, _: unknown, fp: number): void {
		this.byIndex.set(at, fp);
	}

	// eslint-disable-next-line @typescript-eslint/no-empty-function
	compiled(): void {}
}

test.each(jdks().map(jdk => ({release: jdk.release, jdk})))(
	'JDK $release: a stack ends before a frame that is at no call of the method before it',
	async ({jdk}) => {
		const java = await javaForTest('WaitsEveryWay', {jdk, args: ['1', '12'], jvmArgs: ['-Xint']});
		const names = new Names();
		const {vm, memory: live} = openJvm(java.pid, names);
		const memory = new AlteredMemory(live);
		const jvm: Jvm = readersOf({...vm, reader: new Reader(memory)}, names);
		const pointers = new FramePointers();
		const threads = new JavaThreads(jvm.vm, new NativeIds({pid: java.pid, nsPid: java.pid}));
		const stacks = new WaitingStacks(jvm, threads, new Walker(jvm, pointers), new Continuations(jvm));
		jvm.methods.beginSample();
		jvm.code.beginSample();
		let altered = 0;
		for (const thread of threads.list()) {
			pointers.byIndex.clear();
			stacks.walk(thread);
			const whole = thread.stack.frames;
			const own = [...pointers.byIndex].filter(([index]) => {
				const [callee = '', frame] = [names.frames[whole[index - 1]], names.frames[whole[index]]];
				// The VM calls initializers, so any bytecode may be below them.
				return index > 0 && frame.startsWith('WaitsEveryWay.') && !callee.includes('.<clinit>:');
			});
			for (const [index, fp] of thread.stack.end === 'root' ? own : []) {
				// The last bytecode of a method returns or throws.
				const method = jvm.methods.at(jvm.vm.reader.word(fp + slot.method));
				memory.words.set(fp + (jdk.release === 8 ? -56 : -64), method.codeEnd - 1);
				stacks.walk(thread);
				memory.words.clear();
				expect(thread.stack.end).toBe('broken');
				expect(thread.stack.frames).toEqual(whole.subarray(0, index));
				altered++;
			}
		}

		live.close();
		expect(altered).toBeGreaterThan(30);
	},
);
