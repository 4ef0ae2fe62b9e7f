import {getOrCreate} from '../../../util/get-or-create.js';
import {type CodeLocation} from '../hotspot/code-cache.js';
import {type Jvm} from '../hotspot/jvm.js';
import {type ScopeMonitor} from '../decode/scopes.js';
import {decompress, type Vm} from '../hotspot/vm.js';
import {ifReadable} from '../target/memory-reader.js';
import {StackCopy} from '../unwind/stack.js';
import {Walker, type FrameWatcher} from '../unwind/walker.js';
import {type JavaThread} from '../threads/java-thread.js';
import {ThreadBlocks, emptyBlock} from '../hotspot/thread-block.js';
import {heldObjects} from '../unwind/interpreted.js';

/** A locked object that is a constant of the code, or in a register. */
const unknownObject = -1;

/** Collects the monitors that a stack's frames hold while it is walked. */
class HeldMonitors implements FrameWatcher {
	readonly #vm: Vm;
	/** The object of each monitor, and its frame's index in the buffer. */
	#held: Array<{readonly object: number; readonly frame: number}> = [];

	constructor(vm: Vm) {
		this.#vm = vm;
	}

	start(): void {
		this.#held = [];
	}

	interpreted(at: number, stack: StackCopy, fp: number): void {
		ifReadable(() => {
			for (const object of heldObjects(this.#vm, stack, fp)) {
				this.#held.push({object, frame: at});
			}
		}, undefined);
	}

	compiled(at: number, stack: StackCopy, {blob}: CodeLocation, pc: number, sp: number): void {
		ifReadable(() => {
			for (const [index, monitors] of (blob.kind === 'java' ? blob.monitorsAt(pc) : []).entries()) {
				for (const monitor of monitors) {
					this.#held.push({object: this.#objectOf(monitor, stack, sp), frame: at + index});
				}
			}
		}, undefined);
	}

	/**
	Returns the index of the outermost frame that holds an object's monitor: it acquired the monitor. If no frame does,
	returns that of the only frame with a monitor of an unknown object; -1 if unknown.
	*/
	frameIndexOf(isObject: (address: number) => boolean): number {
		const monitor = this.#held.findLast(({object}) => isObject(object));
		const unknown = this.#held.filter(held => held.object === unknownObject);
		return monitor?.frame ?? (unknown.length === 1 ? unknown[0].frame : -1);
	}

	/** Returns the object of a compiled frame's monitor, given the frame's stack pointer. Throws `Unreadable`. */
	#objectOf(monitor: ScopeMonitor, stack: StackCopy, sp: number): number {
		const {narrowOop} = this.#vm;
		if (!monitor) {
			return unknownObject;
		}

		return monitor.isNarrow && narrowOop
			? decompress(stack.u32(sp + monitor.offset), narrowOop)
			: stack.word(sp + monitor.offset);
	}
}

/** Stacks walked per sample; most holders have not moved. */
const maxWalks = 16;

/** A monitor's object: reads its address (undefined while it moves), or confirms one, see `MonitorObjects`. */
type MonitorObject = {readonly objectOf: () => number | undefined; readonly isObject: (address: number) => boolean};

/** Finds the frame in which a holder acquired a monitor: the outermost one of its stack that holds it. */
export class TakenAt {
	readonly #jvm: Jvm;
	readonly #walker: Walker;
	readonly #held: HeldMonitors;
	readonly #blocks: ThreadBlocks;
	readonly #stack = new StackCopy();
	readonly #block = emptyBlock();
	/** Frame ids by the holder's frames, which are replaced when it moves, and then by monitor. */
	readonly #cache = new WeakMap<Int32Array, Map<number, number>>();
	#walksLeft = maxWalks;

	constructor(jvm: Jvm) {
		this.#jvm = jvm;
		this.#held = new HeldMonitors(jvm.vm);
		this.#walker = new Walker(jvm, this.#held);
		this.#blocks = new ThreadBlocks(jvm.vm);
	}

	/** Begins a sample. */
	start(): void {
		this.#walksLeft = maxWalks;
	}

	/**
	Returns the id of the frame in which a thread acquired a monitor, with the line that this frame is at now; 0 if
	unknown, for example while the thread runs Java code.
	*/
	frameOf(holder: JavaThread, monitor: number, object: MonitorObject): number {
		if (holder.stack.frames.length === 0 || holder.isInJava || holder.stack.carrierStart >= 0) {
			return 0;
		}

		const byMonitor = getOrCreate(this.#cache, holder.stack.frames, () => new Map<number, number>());
		const cachedFrame = byMonitor.get(monitor);
		if (cachedFrame !== undefined || this.#walksLeft === 0) {
			return cachedFrame ?? 0;
		}

		this.#walksLeft--;
		const frame = this.#find(holder, object);
		if (frame !== undefined) {
			byMonitor.set(monitor, frame);
		}

		return frame ?? 0;
	}

	/** Returns the frame's id, 0 for none; undefined if the thread has moved, and it must be searched again. */
	#find(holder: JavaThread, {objectOf, isObject}: MonitorObject): number | undefined {
		return ifReadable(() => {
			const block = this.#block;
			const isStillThere = () => this.#blocks.read(holder.address, block) && holder.stack.wasWalkedFrom(block);
			if (!isStillThere() || block.anchorSp === 0) {
				return undefined;
			}

			this.#held.start();
			this.#walker.start();
			this.#stack.load(this.#jvm.memory, block.anchorSp - 8, block.stackBase);
			const end = this.#walker.walkFromAnchor(this.#stack, block);
			const object = objectOf();
			const index = this.#held.frameIndexOf(address => address === object || isObject(address));
			const isUnknown = index < 0 && (object === undefined || object === 0);
			if (isUnknown || end !== 'root' || !isStillThere()) {
				return undefined;
			}

			return index < 0 ? 0 : this.#walker.frames.ids[index];
		}, undefined);
	}
}
