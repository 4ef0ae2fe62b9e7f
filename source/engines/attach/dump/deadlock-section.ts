import {hexDigit} from './header.js';

const title = 'Java-level deadlock';
const waits = '\n  waiting for ownable synchronizer 0x';
const held = '  which is held by "';
const newline = 10;
const quote = 34;

/** So many waits are read: more than a circle of threads is told by, and few enough for every dump. */
const maxWaits = 1000;

/** A lock of java.util.concurrent in a circle of threads: its address, and where the name of its holder stands. */
export type SectionWait = {readonly high: number; readonly low: number; readonly nameStart: number; readonly nameEnd: number};

/**
What HotSpot says below every dump of threads that wait for each other for good (JDK 8 to 28,
`DeadlockCycle::print_on_with`): it finds circles through locks of java.util.concurrent too, and names their holders,
which the threads' own stacks do not. Monitors' holders are known from the stacks. `start`: behind the threads.
*/
export function * deadlockedParks(bytes: Buffer, start: number): Generator<SectionWait> {
	let at = bytes.indexOf(title, start);
	for (let count = 0; at >= 0 && count < maxWaits; count++) {
		at = bytes.indexOf(waits, at);
		if (at < 0) {
			return;
		}

		at += waits.length;
		const end = bytes.indexOf(newline, at);
		const nameStart = end + 1 + held.length;
		const lineEnd = end < 0 ? -1 : bytes.indexOf(newline, nameStart);
		if (lineEnd < 0) {
			return;
		}

		// A name may have quotes in it; one with a line feed is not found again, and its lock stays without a holder.
		const nameEnd = bytes.lastIndexOf(quote, lineEnd);
		if (bytes.toString('latin1', end + 1, nameStart) === held && nameEnd >= nameStart) {
			yield {...addressAt(bytes, at), nameStart, nameEnd};
		}
	}
}

/** Two signed halves of 32 bits, as `LockLine` has them. */
function addressAt(bytes: Buffer, start: number): Pick<SectionWait, 'high' | 'low'> {
	let [high, low] = [0, 0];
	for (let at = start, digit = 0; (digit = hexDigit(bytes[at])) >= 0; at++) {
		high = (high << 4) | (low >>> 28);
		low = (low << 4) | digit;
	}

	return {high, low};
}
