import {pseudoFrame} from '../../../model/frame.js';
import {bounded, getOrCreate} from '../../../util/get-or-create.js';
import {type Jvm} from '../hotspot/jvm.js';
import {klassName} from '../hotspot/methods.js';
import {ifReadable} from '../target/memory-reader.js';

const throwable = 'java.lang.Throwable';
const constructorName = '<init>';

/** Classes whose kind is remembered. */
const maxClasses = 10_000;

/** Maximum superclasses of a class. */
const maxDepth = 1000;

/** Tells the frames that make an exception from those of the program. */
export class ExceptionStacks {
	readonly #jvm: Jvm;
	/** By address of a class and name, as another class may get the address: whether it is an exception's. */
	readonly #isThrowable = new Map<string, boolean>();

	constructor(jvm: Jvm) {
		this.#jvm = jvm;
	}

	/**
	Returns a stack in which one frame, of the class that was made, replaces those of fillInStackTrace and of
	exceptions' constructors. `frames`: innermost first. The class is that of the outermost of these constructors; if
	there is none, Throwable.
	*/
	fold(frames: Int32Array): Int32Array {
		let at = 0;
		let className = throwable;
		for (; at < frames.length; at++) {
			const method = this.#jvm.methods.ofFrame(frames[at]);
			const isConstructor = method?.name === constructorName;
			if (!method || !(isConstructor || method.name === 'fillInStackTrace') || !this.#isOfThrowable(method)) {
				break;
			}

			className = isConstructor ? method.className : className;
		}

		return Int32Array.of(
			pseudoFrame(this.#jvm.interner, {className, method: constructorName}),
			...frames.subarray(at),
		);
	}

	#isOfThrowable({className, holder}: {readonly className: string; readonly holder: number}): boolean {
		return className === throwable
			|| getOrCreate(bounded(this.#isThrowable, maxClasses), `${holder} ${className}`, () =>
				ifReadable(() => this.#hasThrowableAbove(className, holder), false));
	}

	#hasThrowableAbove(className: string, holder: number): boolean {
		const {vm} = this.#jvm;
		const {reader, layout: {fields}} = vm;
		// The class may have been unloaded since.
		let klass = klassName(vm, holder) === className ? holder : 0;
		for (let depth = 0; klass !== 0 && depth < maxDepth; depth++) {
			if (klassName(vm, klass) === throwable) {
				return true;
			}

			klass = reader.word(klass + fields.klassSuper);
		}

		return false;
	}
}
