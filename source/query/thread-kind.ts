import {threadFlag} from '../model/sample.js';

/** Whose CPU time a thread uses: the program's, the JIT compilers', or the JVM's own (collectors and others). */
export type ThreadKind = 'java' | 'jit' | 'vm';

/** From the bits of a thread's flags. */
export function threadKind(flags: number): ThreadKind {
	return (flags & threadFlag.compiler) === 0 ? ((flags & threadFlag.vmInternal) === 0 ? 'java' : 'vm') : 'jit';
}
