/** Keys of the labels of a sample, see docs/formats.md. */
export const labelKey = Object.freeze({
	thread: 'thread', tid: 'tid', javaId: 'java_thread_id', state: 'state',
});

/**
Functions that stand for "no Java frames", so that tools show the CPU time of such threads: of the JVM itself, of its
compilers, others.
*/
export const placeholders = Object.freeze({vm: '[JVM]', jit: '[JIT compiler]', other: '[no Java frames]'});
