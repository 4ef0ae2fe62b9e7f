/** What a task in a state does: it waits, a thread runs it, or it is over. */
export const stateKinds = ['waiting', 'running', 'end'] as const;

export type TaskState = {
	readonly id: string;
	/** What people read. */
	readonly title: string;
	readonly kind: typeof stateKinds[number];
};

/** A method at whose start or end a task goes to another state. */
export type ProbePoint = {
	/** With dots between packages, $ before inner classes. */
	readonly className: string;
	readonly method: string;
	/** As in the class file; undefined: every method of that name that has such a task. */
	readonly descriptor?: string;
	readonly at: 'entry' | 'exit';
	/** The task: the object itself, a parameter by its number, what is returned, or the one that the thread runs. */
	readonly source: 'this' | 'result' | 'current' | number;
	/** Fields from there to the task. */
	readonly path?: string;
	/** Index of the state that it goes to. */
	readonly to: number;
	/** Indexes of the states that it may come from; undefined: any. */
	readonly from?: readonly number[];
	/** A task that is in none of these is a new one, even if the object is known. */
	readonly isNew: boolean;
	/** Methods that override it count too. */
	readonly withSubclasses: boolean;
	/** Only where the method returns true. */
	readonly needsTrue: boolean;
	/** Only where a parameter is one of these: constants of the class by name, or numbers. */
	readonly number?: {readonly parameter: number; readonly values: readonly string[]};
	/** Other versions of the program do without it. */
	readonly isOptional: boolean;
};

export const counterRoots = ['static', 'worker', 'instance'] as const;

/** A number that the program keeps: read from a class's static members, each thread that runs tasks, or each object that a point saw. */
export type ProbeCounter = {readonly name: string; readonly root: typeof counterRoots[number]; readonly className: string; readonly path: string};

/** What a probe file says, checked. Strings are printable. */
export type Probe = {
	readonly name: string;
	readonly about: string;
	readonly states: readonly TaskState[];
	readonly points: readonly ProbePoint[];
	/** From a task of a class to what it runs, whose class is the task's kind. */
	readonly kinds: ReadonlyArray<{readonly className: string; readonly path: string}>;
	/** Classes whose objects are not tasks; * and ? as in file names. */
	readonly exclude: readonly string[];
	readonly counters: readonly ProbeCounter[];
};

/** The probes that come along, the usual one first; a file of that name in probes/ each. */
export const shippedProbes: readonly string[] = ['executors', 'virtual-threads', 'aeminium'];
