/** Keys of the labels of a sample, see docs/formats.md. */
export const labelKey = Object.freeze({
	thread: 'thread', tid: 'tid', javaId: 'java_thread_id', state: 'state',
});

/**
Functions that stand for "no Java frames", so that tools show the CPU time of such threads: of the JVM itself, of its
compilers, others.
*/
export const placeholders = Object.freeze({vm: '[JVM]', jit: '[JIT compiler]', other: '[no Java frames]'});

/**
Length of the class name in `class.method`: up to the last dot, as no method's name has a dot (JVM specification,
4.2.2); 0 without a class.
*/
export function classLengthOf(functionName: string): number {
	return Math.max(functionName.lastIndexOf('.'), 0);
}

/** The greatest id of a thread. */
export const maxNativeId = 2_147_483_647;

/** The greatest sum of ticks that is exact. */
export const maxTicks = Number.MAX_SAFE_INTEGER;
