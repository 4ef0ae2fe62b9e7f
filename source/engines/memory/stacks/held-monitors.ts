import {type CodePlace} from '../hotspot/code-cache.js';
import {type Vm} from '../hotspot/vm.js';
import {Unreadable} from '../process/reader.js';
import {heldObjects} from './interpreted.js';
import {type StackCopy} from './stack.js';
import {type FrameWatcher} from './walker.js';

/** The object is a constant of the code, or in a register. */
const unknownObject = -1;

/** Notes the monitors that the frames of a stack hold while it is walked. */
export class HeldMonitors implements FrameWatcher {
	readonly #vm: Vm;
	/** Of each monitor: its object, and the place of its frame in the buffer. */
	readonly #objects: number[] = [];
	readonly #frames: number[] = [];

	constructor(vm: Vm) {
		this.#vm = vm;
	}

	/** Forgets the stack before. */
	start(): void {
		this.#objects.length = 0;
		this.#frames.length = 0;
	}

	interpreted(at: number, stack: StackCopy, fp: number): void {
		this.#safely(() => {
			for (const object of heldObjects(this.#vm, stack, fp)) {
				this.#add(object, at);
			}
		});
	}

	compiled(at: number, stack: StackCopy, {blob}: CodePlace, pc: number, sp: number): void {
		const {narrowOop} = this.#vm;
		this.#safely(() => {
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
		});
	}

	/**
	The place of the outermost frame that holds an object's monitor: the one that took it. Where no frame is known to,
	it is the only one that holds a monitor of an unknown object. -1 if that is not known.
	*/
	placeOf(object: number): number {
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

	/** What one frame holds cannot be read: the others still count. */
	#safely(note: () => void): void {
		try {
			note();
		} catch (error) {
			if (!(error instanceof Unreadable)) {
				throw error;
			}
		}
	}
}
