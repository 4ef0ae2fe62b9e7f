/*
A thread is made of parts. Each part alone writes its data, by `set`, which tells the thread two things about them:

whether data that a row shows have changed, from which `RowCache` decides whether the row is used again;
whether they are settled, that is, stay as they are until the thread moves or uses CPU time. If all parts are settled,
the thread is not read again before that.

With 5,000 threads each is asked in every sample, so a thread keeps the answers of its parts.
*/

/** Number of changes of all parts of all threads so far. */
let changeCount = 0;

/** Returns the current moment, for `changedSince`. */
export function currentMoment(): number {
	return changeCount;
}

/** Has parts, and learns from them what changes. */
export abstract class PartOwner {
	#changedAt = 0;
	/** Undefined after a part has changed its answer. */
	#isSettled: boolean | undefined;

	/** Whether everything about the thread stays as last read until it moves or uses CPU time. */
	get isSettled(): boolean {
		this.#isSettled ??= this.parts.every(part => part.isSettled);
		return this.#isSettled;
	}

	protected abstract get parts(): ReadonlyArray<ThreadPart<object>>;

	/** Whether any datum that its row shows has changed since a moment. */
	changedSince(moment: number): boolean {
		return this.#changedAt > moment;
	}

	noteChange(): void {
		this.#changedAt = ++changeCount;
	}

	noteSettled(): void {
		this.#isSettled = undefined;
	}
}

/** Of a part that has no data of its own in a row. */
export const noData = Object.freeze({});

/** A part with the data that a row shows. It notices by itself which values differ from those before. */
export abstract class ThreadPart<Value extends object> {
	readonly #owner: PartOwner;
	#value: Readonly<Value>;
	#isSettled: boolean;

	/** A part that is settled from the start depends on others alone. */
	constructor(owner: PartOwner, value: Readonly<Value>, isSettled = false) {
		this.#owner = owner;
		this.#value = value;
		this.#isSettled = isSettled;
	}

	get isSettled(): boolean {
		return this.#isSettled;
	}

	protected get value(): Readonly<Value> {
		return this.#value;
	}

	protected set(value: Readonly<Value>, isSettled: boolean): void {
		if (!hasSameFields(value, this.#value)) {
			this.#value = value;
			this.#owner.noteChange();
		}

		if (isSettled !== this.#isSettled) {
			this.#isSettled = isSettled;
			this.#owner.noteSettled();
		}
	}
}

function hasSameFields<Value extends object>(a: Value, b: Value): boolean {
	if (a === b) {
		return true;
	}

	for (const name of Object.keys(a) as Array<keyof Value>) {
		if (a[name] !== b[name]) {
			return false;
		}
	}

	return true;
}
