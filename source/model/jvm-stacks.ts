import {getOrCreateUpTo} from '../util/get-or-create.js';
import {poolName, type Printable} from '../util/printable.js';
import {unknownLine, type Interner} from './frame.js';

/**
Purposes of threads without Java frames: garbage collection, compilation, other work of the JVM, or a native library's
thread. They are the class names of such a thread's frames; no Java class has such a name.
*/
export const jvmWork = Object.freeze({gc: '[gc]', jit: '[jit]', vm: '[vm]', native: '[native]'});
type JvmWork = (typeof jvmWork)[keyof typeof jvmWork];

const classNames: ReadonlySet<string> = new Set(Object.values(jvmWork));

/** Whether a class name is one of `jvmWork`. */
export function isJvmWork(className: string): boolean {
	return classNames.has(className);
}

/** HotSpot's names of threads that collect garbage, JDK 8 to 28; the serial collector works in the VM Thread. */
const collectors = new RegExp([
	/^(?:GC |G1 |ParGC|Gang worker|Concurrent Mark|CMS |Shen|Epsilon)/,
	/^[XZ](?:Worker|Driver|Director|Stat|Uncommit|Unmapper)/,
].map(({source}) => source).join('|'));

/** Names of compiler threads, and of the JVM's other threads. */
const compilers = /^(?:C[12] Comp|JVMCI)/;
const otherJvmNames = [
	'VM ',
	'JFR ',
	'StringDedup',
	'AsyncLog',
	'Signal Dispatcher',
	'Attach Listener',
	'Service Thread',
	'Monitor Deflation',
	'Notification',
	'Sweeper',
	'Surrogate',
	'Reference Handler',
	'Finalizer',
	'Common-Cleaner',
	'DestroyJavaVM',
	'RuntimeWorker',
];
/** The kernel keeps 15 bytes of a name. JDK 27 sets longer ones to the first seven, two dots and the last six. */
const keptNames = otherJvmNames.flatMap(name => [name.slice(0, 15), `${name.slice(0, 7)}\\.\\.`]);
const otherJvmThreads = new RegExp(`^(?:${keptNames.join('|')})`);

/** Whether a thread of the JVM collects garbage, by its name. */
export function isCollector(name: string): boolean {
	return collectors.test(name);
}

/** Returns the purpose of a thread without Java frames, by its name. */
export function workOf(name: string): JvmWork {
	if (isCollector(name)) {
		return jvmWork.gc;
	}

	if (compilers.test(name)) {
		return jvmWork.jit;
	}

	return otherJvmThreads.test(name) ? jvmWork.vm : jvmWork.native;
}

/** Thread names and compiled methods are unbounded. Stacks beyond this number lack their innermost frame. */
const maxStacks = 2000;

/** Makes the stacks of threads without Java frames: `[gc]` as the outermost frame, details of it as inner ones. */
export class JvmStacks {
	readonly #interner: Interner;
	readonly #stacks = new Map<string, readonly number[]>();

	constructor(interner: Interner) {
		this.#interner = interner;
	}

	/**
	Returns the frames of a thread, innermost first: `[gc] G1 Conc`, `[native] "worker-*"`. Threads whose names differ
	only in numbers share them. `library`: the library that a native thread belongs to.
	*/
	ofThread(name: Printable, library = ''): readonly number[] {
		const work = workOf(name);
		if (work === jvmWork.native) {
			return this.of(work, `${library} "${poolName(name)}"`.trim());
		}

		const [compiler] = name.split(' ', 1);
		return this.of(work, work === jvmWork.jit ? compiler : name.replaceAll(/#\d*|\d+$/g, ''));
	}

	/** Returns the frames of a compilation: `[jit] C2 com.acme.Foo.bar`, called by `[jit] C2`. */
	ofCompilation(compiler: string, method: string): readonly number[] {
		return this.of(jvmWork.jit, `${compiler} ${method}`, compiler);
	}

	/** Returns the frames for these details of the work, innermost first: `[gc] VM Thread`, called by `[gc]`. */
	of(work: JvmWork, ...details: readonly string[]): readonly number[] {
		return getOrCreateUpTo(this.#stacks, `${work} ${details[0]}`, maxStacks, isFull => {
			const methods = [...(isFull ? details.slice(1) : details), ''];
			const [classId, ...methodIds] = [work, ...methods].map(name => this.#interner.internString(name));
			return methodIds.map(methodId => this.#interner.internFrame(classId, methodId, 0, unknownLine));
		});
	}
}
