/**
The part of what a thread has open at a record that this makes up for. In the mean it is nothing: a clock that meets a
thread by chance finds the mean of all moments.
*/
const share = 0.25;

/** The least and the most that a record stands for, in periods. */
const least = 0.5;
const most = 1.5;

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
