/**
How long threads must have waited for each other to be in a deadlock, milliseconds. An engine reads one thread after the
other, and on a busy host something may go on in between: one sample proves nothing.
*/
export const deadlockMs = 1000;

/** The circles in a list of which each member has the index of its next, -1 for none; each in its order. */
export function circlesIn(next: ArrayLike<number>): number[][] {
	// The walk that came by a member, from 1 on.
	const walkOf = new Int32Array(next.length);
	const circles: number[][] = [];
	for (let start = 0; start < next.length; start++) {
		let at = start;
		for (; at >= 0 && walkOf[at] === 0; at = next[at]) {
			walkOf[at] = start + 1;
		}

		if (at >= 0 && walkOf[at] === start + 1) {
			const circle = [at];
			for (let member = next[at]; member !== at; member = next[member]) {
				circle.push(member);
			}

			circles.push(circle);
		}
	}

	return circles;
}
