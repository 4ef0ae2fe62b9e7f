import {lockKindCode, type Sample} from '../../model/sample.js';

type Held = {readonly lockClass: number; readonly owner: number; readonly ownerStack: string};

/**
Who holds the locks of java.util.concurrent that threads wait for, as a full dump said: other dumps do not say. It is
believed as long as the waiter goes on waiting for a lock of that class and the holder is there. A holder that has begun
to wait for a lock may have released this one before; it no longer counts, so that no false deadlock is reported.
*/
export class KnownHolders {
	/** By the key of the thread that waits. */
	readonly #ofWaiter = new Map<number, Held>();

	/** Takes what a full dump's sample says, or fills in what is still known. */
	applyTo(sample: Sample, isFull: boolean): void {
		if (isFull) {
			this.#take(sample);
		} else if (this.#ofWaiter.size > 0) {
			this.#fillIn(sample);
		}
	}

	#take(sample: Sample): void {
		this.#ofWaiter.clear();
		for (let row = 0; row < sample.count; row++) {
			const owner = sample.lockOwner[row];
			if (sample.lockKind[row] === lockKindCode.park && owner >= 0) {
				this.#ofWaiter.set(sample.key[row], {lockClass: sample.lockClass[row], owner: sample.key[owner], ownerStack: stackOf(sample, owner)});
			}
		}
	}

	#fillIn(sample: Sample): void {
		const rowOfKey = new Map<number, number>();
		for (let row = 0; row < sample.count; row++) {
			rowOfKey.set(sample.key[row], row);
		}

		for (const [key, {lockClass, owner, ownerStack}] of this.#ofWaiter) {
			const row = rowOfKey.get(key);
			const ownerRow = rowOfKey.get(owner);
			const isWaiter = row !== undefined && sample.lockKind[row] === lockKindCode.park && sample.lockClass[row] === lockClass;
			const isHolder = ownerRow !== undefined && (sample.lockKind[ownerRow] === lockKindCode.none || stackOf(sample, ownerRow) === ownerStack);
			if (!isWaiter || !isHolder) {
				this.#ofWaiter.delete(key);
			} else if (sample.lockOwner[row] < 0) {
				sample.lockOwner[row] = ownerRow;
			}
		}
	}
}

function stackOf({frames, stackStart, stackLength}: Sample, row: number): string {
	return frames.subarray(stackStart[row], stackStart[row] + stackLength[row]).join(' ');
}
