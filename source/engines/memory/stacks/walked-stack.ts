import {type FrameBuffer} from './frame-buffer.js';
import {type Walker, type WalkEnd} from './walker.js';

/** A walked stack. */
export class WalkedStack {
	/** Frame ids, innermost first, and how the walk ended. */
	frames: Int32Array = new Int32Array();
	end: WalkEnd = 'root';
	/** Number of frames of the virtual thread, before the carrier's own; -1 if there is none. */
	carrierStart = -1;
	/** The virtual thread's frames in the heap are unreadable. */
	isHeapMissing = false;

	/** Sets the stack from a walker, and the frames in the heap if there are any. */
	setStack(walker: Walker, end: WalkEnd, heap: FrameBuffer | undefined): void {
		const {frames, heapStart, carrierStart} = walker;
		this.end = end;
		this.isHeapMissing = heapStart !== -1 && !heap;
		const inner = heapStart !== -1 && heap ? heap.count : 0;
		this.carrierStart = carrierStart === -1 ? -1 : carrierStart + inner;
		if (inner === 0 || !heap) {
			this.frames = frames.copy();
			return;
		}

		this.frames = new Int32Array(frames.count + inner);
		this.frames.set(frames.ids.subarray(0, heapStart));
		this.frames.set(heap.ids.subarray(0, inner), heapStart);
		this.frames.set(frames.ids.subarray(heapStart, frames.count), heapStart + inner);
	}
}
