/** States by code: those of java.lang.Thread.State, and IDLE for a RUNNABLE thread that waits in a native call. */
export const threadStates = ['NEW', 'RUNNABLE', 'BLOCKED', 'WAITING', 'TIMED_WAITING', 'TERMINATED', 'IDLE'] as const;

export type ThreadState = (typeof threadStates)[number];

export const stateCount = threadStates.length;

/** State codes by name. */
export const stateCode = Object.freeze({
	NEW: 0, RUNNABLE: 1, BLOCKED: 2, WAITING: 3, TIMED_WAITING: 4, TERMINATED: 5, IDLE: 6,
}) satisfies Readonly<Record<ThreadState, number>>;
