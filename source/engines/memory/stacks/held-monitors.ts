import {type CodeLocation} from '../hotspot/code-cache.js';
import {type Vm} from '../hotspot/vm.js';
import {ifReadable} from '../target/reader.js';
import {heldObjects} from './interpreted.js';
import {type StackCopy} from './stack.js';
import {type FrameWatcher} from './walker.js';

/** The object is a constant of the code, or in a register. */
const unknownObject = -1;

/** Collects the monitors held by the frames of a stack while it is walked. */
export class HeldMonitors implements FrameWatcher {
	readonly #vm: Vm;
	/** The object of each monitor, and the index of its frame in the buffer. */
	readonly #objects: number[] = [];
	readonly #frames: number[] = [];

	constructor(vm: Vm) {
		this.#vm = vm;
	}

	/** Forgets the previous stack. */
	start(): void {
		this.#objects.length = 0;
		this.#frames.length = 0;
	}

	interpreted(at: number, stack: StackCopy, fp: number): void {
		ifReadable(() => {
			for (const object of heldObjects(this.#vm, stack, fp)) {
				this.#add(object, at);
			}
		}, undefined);
	}

	compiled(at: number, stack: StackCopy, {blob}: CodeLocation, pc: number, sp: number): void {
		const {narrowOop} = this.#vm;
		ifReadable(() => {
			for (const [index, monitors] of (blob.kind === 'java' ? blob.monitorsAt(pc) : []).entries()) {
				for (const monitor of monitors) {
					if (!monitor) {
						this.#add(unknownObject, at + index);
					} else if (monitor.isNarrow && narrowOop) {
						this.#add(narrowOop.base + (stack.half(sp + monitor.offset) * (2 ** narrowOop.shift)), at + index);
					} else {
						this.#add(stack.word(sp + monitor.offset), at + index);
					}
				}
			}
		}, undefined);
	}

	/**
	Index of the outermost frame that holds an object's monitor, which is the one that took it; if there is none, of the
	only frame with a monitor of an unknown object. -1 if unknown.
	*/
	frameIndexOf(object: number): number {
		const known = this.#objects.lastIndexOf(object);
		if (known !== -1) {
			return this.#frames[known];
		}

		const unknown = this.#objects.indexOf(unknownObject);
		return unknown !== -1 && unknown === this.#objects.lastIndexOf(unknownObject) ? this.#frames[unknown] : -1;
	}

	#add(object: number, at: number): void {
		this.#objects.push(object);
		this.#frames.push(at);
	}
}
