/** The states of java.lang.Thread.State, and IDLE for a RUNNABLE thread in a native call that waits. The index is the code. */
export const threadStates = ['NEW', 'RUNNABLE', 'BLOCKED', 'WAITING', 'TIMED_WAITING', 'TERMINATED', 'IDLE'] as const;

export type ThreadState = (typeof threadStates)[number];

/** Number of thread states; the length of every per-state array. */
export const stateCount = threadStates.length;

/** State codes by name, for writers that must not look a name up for every thread. */
export const stateCode = Object.freeze({
	NEW: 0, RUNNABLE: 1, BLOCKED: 2, WAITING: 3, TIMED_WAITING: 4, TERMINATED: 5, IDLE: 6,
}) satisfies Readonly<Record<ThreadState, number>>;
