/**
A socket that has vanished is asked for again, but no more often than this: each time costs the target as much attention
as a thread dump.
*/
const pauseAfterSuccessMs = 1000;
/**
A signal without an answer makes some JVMs print a thread dump to their own output, so failed handshakes must be few and
far between.
*/
const pauseAfterFailureMs = 15_000;
const maxFailures = 3;

/** Keeps a client from waking (that is, signalling) its target too often. */
export class HandshakePace {
	#notBefore = 0;
	#failures = 0;
	readonly #now: () => number;

	/** `now`: milliseconds of a monotonic clock. */
	constructor(now = () => performance.now()) {
		this.#now = now;
	}

	/** Why no handshake may be made now, or undefined when one may. */
	refusal(): string | undefined {
		if (this.#failures >= maxFailures) {
			return `the JVM did not open its attach socket; asked ${maxFailures} times`;
		}

		return this.#now() < this.#notBefore ? 'the attach socket is gone; a new one was requested a moment ago' : undefined;
	}

	worked(): void {
		this.#failures = 0;
		this.#notBefore = this.#now() + pauseAfterSuccessMs;
	}

	/** The target was signalled and opened no socket. */
	failed(): void {
		this.#failures++;
		this.#notBefore = this.#now() + (pauseAfterFailureMs * this.#failures);
	}
}
