import {type Registers} from '../../source/engines/memory/arch/architecture.js';
import {type Jvm} from '../../source/engines/memory/hotspot/jvm.js';
import {ifReadable} from '../../source/engines/memory/target/memory-reader.js';
import {StackCopy} from '../../source/engines/memory/unwind/stack.js';
import {TopFrame} from '../../source/engines/memory/unwind/top-frame.js';
import {Walker, type WalkEnd} from '../../source/engines/memory/unwind/walker.js';
import {type Names} from '../engines/observe.js';

type Record = {readonly registers: Registers; readonly stack: Uint8Array; readonly base: number};

/** Walks records without their thread. */
export class RecordWalker {
	readonly #walker: Walker;
	readonly #top: TopFrame;
	readonly #stack = new StackCopy();

	constructor(readonly jvm: Jvm, readonly names: Names) {
		this.#walker = new Walker(jvm);
		this.#top = new TopFrame(jvm, this.#walker);
	}

	walk({registers, stack, base}: Record): {readonly end: WalkEnd; readonly frames: string[]} {
		this.#walker.start();
		const end = ifReadable(() => {
			this.#stack.set(registers.sp, stack, base);
			return this.#top.walk(this.#stack, registers);
		}, 'broken');
		const {ids, count} = this.#walker.frames;
		return {end, frames: Array.from(ids.subarray(0, count), id => this.names.frames[id])};
	}

	/** Whether a stack has a word that is an address in the JVM's code but for its upper 16 bits. */
	hasSigned(stack: Buffer): boolean {
		return Array.from({length: Math.floor(stack.length / 8)}, (_, index) => 8 * index).some(at =>
			stack.readUInt16LE(at + 6) !== 0 && this.jvm.code.isCode(stack.readUIntLE(at, 6)));
	}

	/** Returns what kind of code is at an address. */
	kindAt(pc: number): string {
		const blob = ifReadable(() => this.jvm.code.lookUp(pc)?.blob, undefined);
		const isEntry = blob?.isMethod && pc < blob.codeBegin + blob.frameComplete;
		return blob ? `${blob.kind}${isEntry ? ' entry' : ''}` : 'outside';
	}
}
