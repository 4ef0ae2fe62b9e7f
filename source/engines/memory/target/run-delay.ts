import {closeSync, openSync, readSync} from 'node:fs';

/** Maximum length of a schedstat line: three decimal numbers of at most 20 digits. */
const lineBytes = 64;

/**
Time that the calling thread was runnable without a CPU: the second figure of schedstat
(Documentation/scheduler/sched-stats.rst).
*/
export class RunDelay {
	readonly #bytes = Buffer.alloc(lineBytes);
	#file?: number;
	#lastNs = Number.NaN;

	/** Milliseconds since the last call; 0 at first, or if unknown. Call from one thread only. */
	takeMs(): number {
		const ns = this.#read();
		const delayMs = (ns - this.#lastNs) / 1e6;
		this.#lastNs = ns;
		return Number.isFinite(delayMs) ? delayMs : 0;
	}

	close(): void {
		if (this.#file !== undefined) {
			closeSync(this.#file);
			this.#file = undefined;
		}
	}

	#read(): number {
		try {
			// Refers to this thread even if another reads it.
			this.#file ??= openSync('/proc/thread-self/schedstat', 'r');
			return Number(this.#bytes.toString('latin1', 0, readSync(this.#file, this.#bytes, 0, lineBytes, 0)).split(' ')[1]);
		} catch {
			return Number.NaN;
		}
	}
}
