import type {Printable} from '../util/printable.js';

/** Kinds of states: the task waits, a thread runs it, or it has ended. */
export const stateKinds = ['waiting', 'running', 'end'] as const;

export type TaskState = {
	readonly id: string;
	readonly title: Printable;
	readonly kind: typeof stateKinds[number];
};

/** A method whose entry or exit moves a task to another state. */
export type ProbePoint = {
	/** With dots between packages, $ before inner classes. */
	readonly className: Printable;
	readonly method: Printable;
	/** The method's descriptor in the class file; undefined: every method of that name that has the `source`. */
	readonly descriptor?: string;
	readonly at: 'entry' | 'exit';
	/**
	The object that is or leads to the task: `this`, the result, the thread's current task, or a parameter's index.
	*/
	readonly source: 'this' | 'result' | 'current' | number;
	/** Fields that lead from the object of `source` to the task. */
	readonly path?: string;
	/** Index of the state that the task enters, and of those that it may come from (undefined: any). */
	readonly to: number;
	readonly from?: readonly number[];
	/** Whether a task in none of the `from` states is a new one, even if its object was a task before. */
	readonly isNew: boolean;
	/** Whether overriding methods count too. */
	readonly withSubclasses: boolean;
	/** Whether the point counts only if the method returns true. */
	readonly needsTrue: boolean;
	/** The point counts only if a parameter has one of these values: names of constants of the class, or numbers. */
	readonly number?: {readonly parameter: number; readonly values: readonly string[]};
	/** Whether some versions of the program lack the method: no warning then. */
	readonly isOptional: boolean;
};

export const counterRoots = ['static', 'worker', 'instance'] as const;

/** A number read by static fields or methods, of each thread that runs tasks, or of each `this` at a point. */
export type ProbeCounter = {
	readonly name: Printable;
	readonly root: typeof counterRoots[number];
	readonly className: string;
	readonly path: string;
};

/** A validated probe file. Strings are printable. */
export type Probe = {
	readonly name: Printable;
	readonly about: Printable;
	readonly states: readonly TaskState[];
	readonly points: readonly ProbePoint[];
	/** Paths from a task of a class to the object that it runs, whose class is the task's kind. */
	readonly kinds: ReadonlyArray<{readonly className: string; readonly path: string}>;
	/** Globs of classes whose objects are not tasks. */
	readonly exclude: readonly string[];
	readonly counters: readonly ProbeCounter[];
};

/** The probes in probes/, the default first. */
export const shippedProbes: readonly string[] = ['executors', 'virtual-threads', 'aeminium'];
