import v8 from 'node:v8';

/** What is hot has been compiled by then: functions of the sampler within seconds, of the screen within a minute. */
const afterMs = 120_000;
/**
How much bytecode a function must run before V8 optimizes it, thirty times what it is by itself (--interrupt-budget;
V8 reads it whenever it begins to count anew, for all threads of the process).
*/
const budgetBytes = 2_000_000;

/**
Has V8 optimize no more, after some minutes, than what becomes really hot. What runs once a second takes minutes to
hours to get there by itself, and then costs more to compile, in CPU time and memory, than it saves: over an hour most
of what a session's memory grows by is such code. Returns what calls it off.
*/
export function settleCode(): () => void {
	const timer = setTimeout(() => {
		v8.setFlagsFromString(`--interrupt-budget=${budgetBytes}`);
	}, afterMs).unref();
	return () => {
		clearTimeout(timer);
	};
}
