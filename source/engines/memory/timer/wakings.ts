/**
The part of a thread's CPU time in which no clock of a CPU meets it: up to 12 microseconds each time it wakes, on a
virtual machine, by schedstat against the records of the CPUs' events. Likely the way from its waking to its first
instruction, which on an idle CPU counts for the thread (see rq_clock_skip_update in Linux' kernel/sched) while the
idle task, which has no records, still has the CPU. A thread that parks and wakes thousands of times a second uses most
of its CPU time so.
*/
export type Wakings = {
	/** Of what is remembered: CPU nanoseconds used, those that records stand for, and turns on a CPU. */
	usedNs: number;
	recordedNs: number;
	turns: number;
	/** What of it was taken for waking. */
	wakingNs: number;
	/** What of that is not counted anywhere yet. */
	openNs: number;
};

/** Most that a waking is believed to cost. */
const mostNs = 15_000;

/** Chance gives a thread fewer records than its CPU time: what so many standard deviations explain is not believed. */
const doubt = 0.5;

/** Periods of CPU time beyond which the past counts half, so that it fades when a thread takes up other work. */
const longestPast = 2000;

export function newWakings(): Wakings {
	return {
		usedNs: 0, recordedNs: 0, turns: 0, wakingNs: 0, openNs: 0,
	};
}

/**
CPU nanoseconds of `usedNs`, which a thread has used in so many turns, that are taken for waking and stay open: as much
as is missing until all that was taken for it is what the thread has used beyond its records.
*/
export function addWaking(wakings: Wakings, usedNs: number, turns: number, periodNs: number): number {
	wakings.usedNs += usedNs;
	wakings.turns += turns;
	const chanceNs = doubt * Math.sqrt((wakings.recordedNs + periodNs) * periodNs);
	const beyondNs = wakings.usedNs - wakings.recordedNs - chanceNs;
	const believedNs = Math.min(beyondNs, mostNs * wakings.turns);
	const wakingNs = Math.max(0, Math.min(believedNs - wakings.wakingNs, usedNs));
	wakings.wakingNs += wakingNs;
	wakings.openNs += wakingNs;
	if (wakings.usedNs > longestPast * periodNs) {
		wakings.usedNs /= 2;
		wakings.recordedNs /= 2;
		wakings.turns /= 2;
		wakings.wakingNs /= 2;
	}

	return wakingNs;
}
