/**
The part of a thread's CPU time that counts by the time between its records. A CPU's clock meets a thread after more or
less CPU time, by chance. Where the program does the same for many records, these come closest to the truth if each
stands for half of the time from the one before and half of that to the next; where it does something else each time,
if each stands for as much as any other. Half of each is within a few percent of the better one in the latter case, and
takes most of what is to be had in the former.
*/
const byTime = 0.5;

/**
The part of what a thread has open at a record that this makes up for. In the mean it is nothing: a clock that meets a
thread by chance finds the mean of all moments.
*/
const share = 0.25;

/** The least and the most that a record stands for, in periods. */
const least = 0.5;
const most = 1.5;

/** CPU nanoseconds that a thread used and no record stands for yet. */
export type OpenTime = {
	/** Of the part that counts by time: all since the newest record, or since the look that found it. */
	sinceNs: number;
	/** Of the rest; below 0 where records are ahead of what was used. */
	restNs: number;
	/**
	What the first record stood for in advance, in the part that counts by time. What was used since the newest record is
	a period in the mean, for any thread at any time: without this, all that many threads use which run seldom would
	never count.
	*/
	advanceNs: number;
};

export const nothingOpen: OpenTime = Object.freeze({sinceNs: 0, restNs: 0, advanceNs: 0});

/** Adds what a thread used; no more than `mostNs` stay open in all, as the rest counts without a record. */
export function addUsed(open: OpenTime, usedNs: number, mostNs = Infinity): void {
	open.sinceNs = Math.min(byTime * mostNs, open.sinceNs + (byTime * usedNs));
	open.restNs = Math.min((1 - byTime) * mostNs, open.restNs + ((1 - byTime) * usedNs));
}

/**
CPU nanoseconds that each of so many new records of a thread stands for, oldest first, and what the newest one before
them stands for beside what it had (`hasLast`: there is one).
*/
export function shareOut(open: OpenTime, records: number, periodNs: number, hasLast: boolean): {readonly lastNs: number; readonly weightsNs: readonly number[]} {
	const alikeNs = weightNs(open.restNs, records, (1 - byTime) * periodNs);
	open.restNs -= alikeNs * records;
	const gapNs = open.sinceNs / records;
	open.sinceNs = 0;
	const firstNs = open.advanceNs === 0 ? byTime * periodNs : 0;
	open.advanceNs += firstNs;
	const lastNs = hasLast ? gapNs / 2 : 0;
	return {
		lastNs,
		weightsNs: Array.from({length: records}, (_, index) => {
			const beforeNs = index === 0 ? gapNs - lastNs + firstNs : gapNs / 2;
			return alikeNs + beforeNs + (index < records - 1 ? gapNs / 2 : 0);
		}),
	};
}

/**
CPU nanoseconds that each of so many records of a thread stands for, where the clock is the CPU's and not the thread's:
a thread meets it more or less often than its CPU time says, by chance. A period each, corrected by a part of what is
open (`openNs`: used, and not stood for by earlier records): so what records stand for stays within some periods of what
was used, and what is recorded never (a clock that stands still while threads are switched) is spread over what is.
*/
export function weightNs(openNs: number, records: number, periodNs: number): number {
	const wanted = periodNs + (share * (openNs - ((records - 1) * periodNs)) / records);
	return Math.min(most * periodNs, Math.max(least * periodNs, wanted));
}
