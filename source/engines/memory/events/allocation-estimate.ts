import {sumOf} from '../../../util/sum.js';

/**
An event: the bytes that it `added` to the thread's sum, and how many such events it represents. `tlab`: of an object
outside, the size of the thread's TLABs.
*/
export type AllocationEvent = {readonly added: number; readonly times: number; readonly tlab?: number};

/**
Readings over which means are taken. With fewer, phases in which a thread allocates little would count as much as those
in which it allocates much.
*/
const readingsOfMean = 50;

/** The most by which events count for more, or less, than the bytes that they represent. */
const maxCorrection = 4;

/**
Says what the events of a thread count for, so that each line has the bytes that it allocates and all together have
those of the thread.

A full TLAB counts for the object that did not fit: one in proportion to its size. But an object that is smaller than a
TLAB goes outside if it does not fit. It then counts as a TLAB does, since it also represents the objects of its size
that did fit. These are in TLABs, so all TLABs count for less: by the part that such objects have in them.
*/
export class AllocationEstimate {
	#readings = 0;
	#grown = 0;
	#represented = 0;
	/** Sizes of TLABs: of full ones, and of others into which objects did not fit; and by what these are larger. */
	#ofTlabs = 0;
	#beyond = 0;

	/**
	Returns what each event of a reading counts for, whole bytes. `grown`: what the thread has allocated since the last
	reading; undefined if not all of its events were recorded.
	*/
	count(events: readonly AllocationEvent[], grown: number | undefined): number[] {
		if (grown !== undefined) {
			const weight = 1 / Math.min(++this.#readings, readingsOfMean);
			const sum = (of: (event: AllocationEvent) => number) => sumOf(events, event => event.times * of(event));
			this.#grown += (grown - this.#grown) * weight;
			this.#represented += (sum(({added}) => added) - this.#represented) * weight;
			this.#ofTlabs += (sum(event => tlabOf(event)) - this.#ofTlabs) * weight;
			this.#beyond += (sum(event => Math.max(0, tlabOf(event) - event.added)) - this.#beyond) * weight;
		}

		const ofSmall = this.#ofTlabs > 0 ? 1 - (this.#beyond / this.#ofTlabs) : 1;
		const ratio = this.#represented > 0 ? this.#grown / this.#represented : 1;
		const correction = Math.min(maxCorrection, Math.max(1 / maxCorrection, ratio));
		return events.map(event => {
			const least = event.tlab === undefined ? 0 : event.added;
			return Math.round(event.times * correction * Math.max(least, ofSmall * tlabOf(event)));
		});
	}
}

/** Returns the size of the TLAB that an event tells of; 0 for an object that is larger than one. */
function tlabOf({added, tlab = added}: AllocationEvent): number {
	return tlab < added ? 0 : tlab;
}
