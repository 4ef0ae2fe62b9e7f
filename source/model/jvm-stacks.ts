import {unknownLine, type Interner} from './frame.js';
import {getOrCreateUpTo} from './get-or-create.js';
import {poolName} from './text.js';

/**
Purpose of a thread without Java frames, used as the class name of its frames: garbage collection, compilation, other
work of the JVM, or a native library's thread. No Java class has such a name.
*/
export const jvmWork = Object.freeze({gc: '[gc]', jit: '[jit]', vm: '[vm]', native: '[native]'});
type JvmWork = (typeof jvmWork)[keyof typeof jvmWork];

const works: ReadonlySet<string> = new Set(Object.values(jvmWork));

/** Whether a class name is one of `jvmWork`. */
export function isJvmWork(className: string): boolean {
	return works.has(className);
}

/** HotSpot's names of threads that collect garbage, JDK 8 to 28; the serial collector works in the VM Thread. */
const collectors = /^(?:GC |G1 |ParGC|Gang worker|Concurrent Mark|CMS |ZWorker|ZDriver|ZDirector|ZStat|ZUncommit|ZUnmapper|X(?:Worker|Driver|Director)|Shenandoah|Epsilon)/;

/** Names of compiler threads and of the JVM's other threads, which the kernel truncates to 15 bytes. */
const compilers = /^(?:C[12] Comp|JVMCI)/;
const others = /^(?:VM |JFR |StringDedup|AsyncLog|Signal Disp|Attach List|Service Thr|Monitor Def|Notificati|Sweeper|Surrogate|Reference H|Finalizer|Common-Cl|DestroyJava)/;

/** Whether a thread of the JVM collects garbage, by its name. */
export function isCollector(name: string): boolean {
	return collectors.test(name);
}

/** Returns the purpose of a thread without Java frames, by its name. */
export function workOf(name: string): JvmWork {
	if (isCollector(name)) {
		return jvmWork.gc;
	}

	return compilers.test(name) ? jvmWork.jit : (others.test(name) ? jvmWork.vm : jvmWork.native);
}

/** Threads and generated classes may have any number of names. */
const maxStacks = 2000;

/** Makes the stacks of threads without Java frames: the purpose, and what it works on as the innermost frame. */
export class JvmStacks {
	readonly #interner: Interner;
	readonly #known = new Map<string, readonly number[]>();

	constructor(interner: Interner) {
		this.#interner = interner;
	}

	/**
	Returns the frames of a thread, innermost first: `[gc] G1 Conc`, `[native] "worker-*"`. Threads whose names differ only
	in numbers share them. `library`: the library that a native thread belongs to.
	*/
	ofThread(name: string, library = ''): readonly number[] {
		const work = workOf(name);
		return this.of(work, work === jvmWork.native ? `${library} "${poolName(name)}"`.trim() : (work === jvmWork.jit ? name.split(' ', 1)[0] : name.replaceAll(/#\d*|\d+$/g, '')));
	}

	/** Returns the frames of a compilation: `[jit] C2 com.acme.Foo.bar`, called by `[jit] C2`. */
	ofCompilation(compiler: string, method: string): readonly number[] {
		return this.of(jvmWork.jit, `${compiler} ${method}`, compiler);
	}

	/** Returns the frames of other work, innermost first: `[gc] VM Thread`. */
	of(work: JvmWork, ...what: readonly string[]): readonly number[] {
		return getOrCreateUpTo(this.#known, `${work} ${what[0]}`, maxStacks, isFull => {
			const classId = this.#interner.internString(work);
			return [...(isFull ? what.slice(1) : what), ''].map(method => this.#interner.internFrame(classId, method === '' ? 0 : this.#interner.internString(method), 0, unknownLine));
		});
	}
}
