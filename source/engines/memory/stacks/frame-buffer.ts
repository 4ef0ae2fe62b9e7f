/**
Maximum frames of a stack: the JVM's own dumps stop at 1,024 (MaxJavaStackTraceDepth), and a stack of 1 MB holds some
20,000 small ones.
*/
const frameLimit = 16_384;

/** Frame ids of one stack, innermost first, in memory that is reused for the next stack. */
export class FrameBuffer {
	count = 0;
	ids = new Int32Array(1024);

	/** Appends a frame; false if the buffer is full. */
	push(frame: number): boolean {
		if (this.count === this.ids.length) {
			if (this.count >= frameLimit) {
				return false;
			}

			const larger = new Int32Array(this.count * 2);
			larger.set(this.ids);
			this.ids = larger;
		}

		this.ids[this.count++] = frame;
		return true;
	}

	/** The frames in a new array. */
	copy(): Int32Array {
		return this.ids.slice(0, this.count);
	}
}
