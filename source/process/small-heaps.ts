import v8 from 'node:v8';

/** What is hot has been compiled by then: functions of the sampler within seconds, of the screen within a minute. */
const afterMs = 120_000;
/**
How much bytecode a function must run before V8 optimizes it, thirty times what it is by itself (--interrupt-budget;
V8 reads it whenever it begins to count anew, for all threads of the process).
*/
const budgetBytes = 2_000_000;

/**
Has V8 collect early and give back what it does not need (--optimize-for-size), in all threads that start from now on
and in this one. Our garbage comes slowly, and V8 would keep a third more memory than is in use, for a tenth of a
percent of a core less.
*/
export function keepHeapsSmall(): void {
	v8.setFlagsFromString('--optimize-for-size');
}

/**
Has V8 optimize no more, after some minutes, than what becomes really hot. What runs once a second takes minutes to
hours to get there by itself, and then costs more to compile, in CPU time and memory, than it saves. Returns what calls
it off.
*/
export function settleCode(): () => void {
	const timer = setTimeout(() => {
		v8.setFlagsFromString(`--interrupt-budget=${budgetBytes}`);
	}, afterMs).unref();
	return () => {
		clearTimeout(timer);
	};
}
