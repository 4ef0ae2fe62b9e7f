import {has} from '../hotspot/layout.js';
import {type Vm} from '../hotspot/vm.js';
import {Ranges} from '../target/ranges.js';

/** The largest plausible TLAB: that of ZGC with large pages is smaller. */
const maxTlabBytes = 2 ** 32;

/** What a thread has allocated, and the size of its next TLAB; 0 if that is unknown. */
type ThreadBytes = {readonly allocated: number; readonly tlab: number};

/** Reads what threads have allocated, as ThreadMXBean counts it: with the part of the TLAB that is in use. */
export class AllocatedBytes {
	/** Offset of the sum that a thread writes when it retires a TLAB, or allocates outside one; NaN if unknown. */
	readonly offset: number;
	readonly #ranges: Ranges;
	readonly #tlabStart: number;
	readonly #tlabTop: number;
	readonly #tlabWanted: number;
	readonly #low: number;
	readonly #length: number;

	constructor({reader, layout: {fields}}: Vm) {
		this.offset = fields.allocatedBytes;
		this.#ranges = new Ranges(reader.memory);
		this.#tlabStart = fields.tlab + fields.tlabStart;
		this.#tlabTop = fields.tlab + fields.tlabTop;
		this.#tlabWanted = fields.tlab + fields.tlabWantedWords;
		const offsets = [this.offset, this.#tlabStart, this.#tlabTop, this.#tlabWanted].filter(offset => has(offset));
		this.#low = Math.min(...offsets);
		this.#length = Math.max(...offsets) + 8 - this.#low;
	}

	/** Returns the bytes of the JavaThreads at these addresses; undefined if unreadable. */
	read(addresses: readonly number[]): ReadonlyArray<ThreadBytes | undefined> {
		const ranges = this.#ranges;
		ranges.clear();
		for (const address of addresses) {
			ranges.add(address + this.#low, this.#length);
		}

		ranges.read();
		return addresses.map((_, index) => ranges.isRead(index) ? this.#bytesAt(index) : undefined);
	}

	#bytesAt(index: number): ThreadBytes {
		const word = (offset: number) => this.#ranges.word(index, offset - this.#low);
		const inTlab = has(this.#tlabStart) && has(this.#tlabTop) && word(this.#tlabStart) !== 0
			? word(this.#tlabTop) - word(this.#tlabStart)
			: 0;
		const tlab = has(this.#tlabWanted) ? 8 * word(this.#tlabWanted) : 0;
		return {
			allocated: word(this.offset) + (inTlab >= 0 && inTlab < maxTlabBytes ? inTlab : 0),
			tlab: tlab < maxTlabBytes ? tlab : 0,
		};
	}
}
