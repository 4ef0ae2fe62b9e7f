import {closeSync, openSync, readSync} from 'node:fs';

/** A line of schedstat is three decimal numbers of at most 20 digits each. */
const lineBytes = 64;

/**
How long the calling thread was ready to run without getting a CPU: the second figure of schedstat
(Documentation/scheduler/sched-stats.rst), which every thread may read of itself.
*/
export class RunDelay {
	readonly #bytes = Buffer.alloc(lineBytes);
	#file?: number;
	#lastNs = Number.NaN;

	/** Since the last call, milliseconds; 0 at first, and where the kernel does not say. Always by the same thread. */
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
			// Of this thread for good, whoever reads it.
			this.#file ??= openSync('/proc/thread-self/schedstat', 'r');
			return Number(this.#bytes.toString('latin1', 0, readSync(this.#file, this.#bytes, 0, lineBytes, 0)).split(' ')[1]);
		} catch {
			return Number.NaN;
		}
	}
}
