import process from 'node:process';
import {type Jdk, jdks} from '../../test/helpers/jvm.js';

const only = process.env.TPROF_BENCH_ONLY?.split(',') ?? [];
const releases = process.env.TPROF_BENCH_JDKS?.split(',').map(Number);

/** Those of these names that TPROF_BENCH_ONLY asks for ("pool,perf"); all where it names none of them. */
export function wanted<T extends string>(all: readonly T[]): readonly T[] {
	return all.some(name => only.includes(name)) ? all.filter(name => only.includes(name)) : all;
}

/** The JDKs that TPROF_BENCH_JDKS asks for ("17,25"); all without it. */
export function wantedJdks(): Jdk[] {
	return jdks().filter(({release}) => releases?.includes(release) ?? true);
}
