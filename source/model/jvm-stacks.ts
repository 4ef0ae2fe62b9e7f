import {unknownLine, type Interner} from './frame.js';

/**
What a thread without Java frames is there for, as the class of the frames that stand for its work: to collect garbage,
to compile, another thread of the JVM, or one of a native library. No Java class has such a name.
*/
export const jvmWork = Object.freeze({gc: '[gc]', jit: '[jit]', vm: '[vm]', native: '[native]'});
type JvmWork = (typeof jvmWork)[keyof typeof jvmWork];

/** Whether a class name is one of `jvmWork`. */
export function isJvmWork(className: string): boolean {
	return Object.values<string>(jvmWork).includes(className);
}

/** Threads that collect garbage, by HotSpot's names for them, JDK 8 to 28; a serial collector works in the VM Thread. */
const collectors = /^(?:GC |G1 |ParGC|Gang worker|Concurrent Mark|CMS |ZWorker|ZDriver|ZDirector|ZStat|ZUncommit|ZUnmapper|X(?:Worker|Driver|Director)|Shenandoah|Epsilon)/;

/** The same of compilers, as the kernel cuts their names too, and of what else belongs to the JVM. */
const compilers = /^(?:C[12] Comp|JVMCI)/;
const others = /^(?:VM |JFR |StringDedup|AsyncLog|Signal Disp|Attach List|Service Thr|Monitor Def|Notificati|Sweeper|Surrogate|Reference H|Finalizer|Common-Cl|DestroyJava)/;

/** Whether a thread of the JVM's is there to collect garbage, by its name. */
export function isCollector(name: string): boolean {
	return collectors.test(name);
}

/** What a thread without Java frames is there for, by its name. */
export function workOf(name: string): JvmWork {
	if (isCollector(name)) {
		return jvmWork.gc;
	}

	return compilers.test(name) ? jvmWork.jit : (others.test(name) ? jvmWork.vm : jvmWork.native);
}

/** Distinct names of work that get frames of their own: threads and generated classes may have any number. */
const nameLimit = 2000;

/** Stacks that stand for the work of threads without Java frames: what it is, below it what it is for. */
export class JvmStacks {
	readonly #interner: Interner;
	readonly #known = new Map<string, readonly number[]>();

	constructor(interner: Interner) {
		this.#interner = interner;
	}

	/**
	Frames of a thread without Java frames, innermost first: `[gc] G1 Conc`, `[native] "worker-*"`. Threads whose names
	differ in numbers have the same. `library`: the one that a native thread belongs to.
	*/
	ofThread(name: string, library = ''): readonly number[] {
		const work = workOf(name);
		const pool = name.replaceAll(/\d+/g, '*');
		return this.of(work, work === jvmWork.native ? `${library} "${pool}"`.trim() : (work === jvmWork.jit ? name.split(' ', 1)[0] : name.replaceAll(/#\d*|\d+$/g, '')));
	}

	/** Frames of other work: `[jit] C2 com.acme.Foo.bar`. */
	of(work: JvmWork, what: string): readonly number[] {
		const key = `${work} ${what}`;
		let frames = this.#known.get(key);
		if (!frames) {
			const classId = this.#interner.internString(work);
			const isFull = this.#known.size >= nameLimit;
			frames = [...(isFull ? [] : [what]), ''].map(method => this.#interner.internFrame(classId, method === '' ? 0 : this.#interner.internString(method), 0, unknownLine));
			if (!isFull) {
				this.#known.set(key, frames);
			}
		}

		return frames;
	}
}
