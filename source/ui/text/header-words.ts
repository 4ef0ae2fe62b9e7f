/** What the words of the header mean, in their order there. */
export const headerWords: ReadonlyArray<{readonly word: string; readonly meaning: string}> = [
	{word: '50/s (asked)', meaning: 'samples a second, and how many were asked for where our own CPU time is the limit (--max-cpu)'},
	{word: 'samples', meaning: 'looks at all threads since the start; while nothing runs, one look counts for up to four'},
	{word: 'late', meaning: 'samples that were taken later than planned'},
	{word: 'failed', meaning: 'samples that could not be taken'},
	{word: 'cut', meaning: 'stacks of which only a part is certain'},
	{word: 'skipped', meaning: 'running threads whose stack could not be read: another tracer holds them, or they did not stop in time'},
	{word: 'cost of target', meaning: 'share of the time for which the target was stopped or interrupted for us (--max-overhead)'},
	{word: 'own', meaning: 'CPU time of tprof-top itself, as a share of a core'},
	{word: 'pause, p99', meaning: 'how long one stop lasts: the median, the 99th percentile, the worst'},
	{word: 'threads', meaning: 'threads of the program, +JVM: those of the JVM itself'},
	{word: 'CPU', meaning: 'CPU time of the process, 100 % is one core'},
	{word: 'jit, vm', meaning: 'the part of it for compiling code, and for the JVM\'s other work such as garbage collection'},
	{word: 'heap, GC', meaning: 'Java heap used and reserved as of the last collection; share of the time that collections stopped the program'},
	{word: 'RUN BLK WAIT', meaning: 'threads now: running or able to, blocked at a monitor, waiting'},
	{word: 'TIMED, idle', meaning: 'waiting with a time limit; RUNNABLE to the JVM, but waiting in a native call (epoll, accept, read)'},
	{word: 'LIVE', meaning: 'sampling, and shown as it comes; otherwise it says what is wrong'},
];
