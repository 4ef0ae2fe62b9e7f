import {lockKindCode, type Sample} from '../../../model/sample.js';

/**
Within one dump, which thread holds what another one waits for: "- locked <address>" lines on one side, "- waiting to
lock <address>" on the other. A thread in Object.wait still prints "- locked" for the monitor that it gave back; such
lines do not count.
*/
export class LockOwners {
	/** Address of what a row waits for; 0 when it waits for nothing or the address is not printed. */
	#wantedHigh = new Int32Array(64);
	#wantedLow = new Int32Array(64);
	#waiters = 0;
	#heldCount = 0;
	#heldHigh = new Int32Array(64);
	#heldLow = new Int32Array(64);
	#heldRow = new Int32Array(64);
	#heldFrame = new Int32Array(64);
	/** Class whose static initialiser a row waits for (string id), and the frames of running initialisers. */
	#initCount = 0;
	#initClass = new Int32Array(16);
	#initRow = new Int32Array(16);
	#initFrame = new Int32Array(16);
	/** Open addressing by address: index of the held entry + 1. */
	#table = new Int32Array(128);

	clear(): void {
		this.#waiters = 0;
		this.#heldCount = 0;
		this.#initCount = 0;
	}

	/** A row waits for the object at the address (0: not printed). */
	wants(row: number, high: number, low: number): void {
		if (row >= this.#wantedLow.length) {
			const size = Math.max(row + 1, this.#wantedLow.length * 2);
			this.#wantedHigh = larger(this.#wantedHigh, new Int32Array(size));
			this.#wantedLow = larger(this.#wantedLow, new Int32Array(size));
		}

		this.#wantedHigh[row] = high;
		this.#wantedLow[row] = low;
		this.#waiters++;
	}

	/**
	A row's frame locked the object at this address; frame 0 when it is not known. Only the first thread that claims an
	object counts.
	*/
	holds(row: number, high: number, low: number, frame: number): void {
		const at = this.#heldCount++;
		if (at === this.#heldLow.length) {
			this.#heldHigh = larger(this.#heldHigh, new Int32Array(at * 2));
			this.#heldLow = larger(this.#heldLow, new Int32Array(at * 2));
			this.#heldRow = larger(this.#heldRow, new Int32Array(at * 2));
			this.#heldFrame = larger(this.#heldFrame, new Int32Array(at * 2));
		}

		this.#heldHigh[at] = high;
		this.#heldLow[at] = low;
		this.#heldRow[at] = row;
		this.#heldFrame[at] = frame;
	}

	/** A row runs the static initialiser of a class. */
	initialises(row: number, classId: number, frame: number): void {
		const at = this.#initCount++;
		if (at === this.#initClass.length) {
			this.#initClass = larger(this.#initClass, new Int32Array(at * 2));
			this.#initRow = larger(this.#initRow, new Int32Array(at * 2));
			this.#initFrame = larger(this.#initFrame, new Int32Array(at * 2));
		}

		this.#initClass[at] = classId;
		this.#initRow[at] = row;
		this.#initFrame[at] = frame;
	}

	/** Fills `lockOwner` and `lockOwnerFrame` of the sample, whose rows the calls before were about. */
	resolve(sample: Sample): void {
		if (this.#waiters === 0) {
			return;
		}

		this.#buildTable(sample);
		for (let row = 0; row < sample.count; row++) {
			switch (sample.lockKind[row]) {
				case lockKindCode.monitor:
				case lockKindCode.park: {
					this.#resolveObject(sample, row);
					break;
				}

				case lockKindCode['class-init']: {
					this.#resolveInitialiser(sample, row);
					break;
				}

				default:
			}
		}
	}

	#buildTable(sample: Sample): void {
		if (this.#table.length < this.#heldCount * 2) {
			this.#table = new Int32Array(2 ** Math.ceil(Math.log2(this.#heldCount * 2)));
		}

		this.#table.fill(0);
		const mask = this.#table.length - 1;
		let gaveBackUnknown = -1;
		for (let index = 0; index < this.#heldCount; index++) {
			const row = this.#heldRow[index];
			const high = this.#heldHigh[index];
			const low = this.#heldLow[index];
			if (sample.lockKind[row] !== lockKindCode.none) {
				if (this.#wantedLow[row] === low && this.#wantedHigh[row] === high) {
					continue;
				}

				// In a compiled wait the object is not printed: the last monitor locked is the one that was given back.
				if (sample.lockKind[row] === lockKindCode['monitor-wait'] && this.#wantedLow[row] === 0 && this.#wantedHigh[row] === 0 && gaveBackUnknown !== row) {
					gaveBackUnknown = row;
					continue;
				}
			}

			let slot = slotOf(high, low, mask);
			let held = this.#table[slot] - 1;
			while (held >= 0 && (this.#heldLow[held] !== low || this.#heldHigh[held] !== high)) {
				slot = (slot + 1) & mask;
				held = this.#table[slot] - 1;
			}

			// The same thread may have locked it several times: its outermost frame, which comes last, took it.
			if (held < 0 || this.#heldRow[held] === row) {
				this.#table[slot] = index + 1;
			}
		}
	}

	#resolveObject(sample: Sample, row: number): void {
		const high = this.#wantedHigh[row];
		const low = this.#wantedLow[row];
		if (low === 0 && high === 0) {
			return;
		}

		const mask = this.#table.length - 1;
		let slot = slotOf(high, low, mask);
		for (let held = this.#table[slot] - 1; held >= 0; held = this.#table[slot] - 1) {
			if (this.#heldLow[held] === low && this.#heldHigh[held] === high) {
				if (this.#heldRow[held] !== row) {
					sample.lockOwner[row] = this.#heldRow[held];
					sample.lockOwnerFrame[row] = this.#heldFrame[held];
				}

				return;
			}

			slot = (slot + 1) & mask;
		}
	}

	#resolveInitialiser(sample: Sample, row: number): void {
		for (let index = 0; index < this.#initCount; index++) {
			if (this.#initClass[index] === sample.lockClass[row] && this.#initRow[index] !== row) {
				sample.lockOwner[row] = this.#initRow[index];
				sample.lockOwnerFrame[row] = this.#initFrame[index];
				return;
			}
		}
	}
}

/** 2^32 divided by the golden ratio, as a signed number: spreads neighbouring addresses. */
const goldenRatio = -1_640_531_527;

/** Addresses are multiples of 8 below 2^48. */
function slotOf(high: number, low: number, mask: number): number {
	return (Math.imul((low >>> 3) ^ high, goldenRatio) >>> 7) & mask;
}

function larger(from: Int32Array, to: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
	to.set(from);
	return to;
}
