import {stateCode} from '../../../model/thread-state.js';

/** State code of the words after "java.lang.Thread.State: "; RUNNABLE for words that no JDK up to 28 prints. */
export function stateAt(bytes: Buffer, at: number, end: number): number {
	const first = at < end ? bytes[at] : 0;
	switch (first) {
		case 78: {
			return stateCode.NEW;
		}

		case 66: {
			return stateCode.BLOCKED;
		}

		case 87: {
			return stateCode.WAITING;
		}

		case 84: {
			return at + 1 < end && bytes[at + 1] === 73 ? stateCode.TIMED_WAITING : stateCode.TERMINATED;
		}

		default: {
			return stateCode.RUNNABLE;
		}
	}
}

/**
The number that starts here; 0 when none does. At most fifteen digits, so that it is exact in a JavaScript number.
*/
export function decimalAt(bytes: Buffer, start: number, end: number): number {
	let number = 0;
	for (let at = start; at < end && at - start < 15 && bytes[at] >= 48 && bytes[at] <= 57; at++) {
		number = (number * 10) + bytes[at] - 48;
	}

	return number;
}
