/** Line number of a frame whose line is not known, as java.lang.StackTraceElement has it for "Unknown Source". */
export const unknownLine = -1;

/** Line number of a native method's frame, as java.lang.StackTraceElement has it. */
export const nativeLine = -2;

/** Line number of a frame of native code: its class is the library, its method the function, its file the library's path. */
export const nativeCodeLine = -3;

/** The class of frames that stand for time in the kernel. */
export const kernelClass = '[kernel]';

/** The node of the empty stack: the root of every trie of stacks, and the stack of a thread without Java frames. */
export const rootNode = 0;

/** The frame id that stands for "no frame", and the string id of the empty string. */
export const noFrame = 0;

/** The frame id of "(other)", which stands for every frame that a full table had no room for. */
export const otherFrame = 1;

/** Names of the frame that stands for the stack of a running thread that could not be stopped to read it. */
export const unknownStack = Object.freeze({className: '(running)', method: '(stack unknown)'});

/** Names of the frame that stands for native code of which it is not known what Java code called it. */
export const nativeCode = Object.freeze({className: '(running)', method: '(native code)'});

/** Names of the frame that stands for CPU time of which nobody knows where it was used. */
export const unattributed = Object.freeze({className: '(unattributed)', method: '(unattributed)'});

/** Why CPU time may be unattributed, as a clause. A session and a saved file keep the index of one. */
export const unattributedReasons = Object.freeze([
	'',
	'waking up and switching threads, which no timer sees',
	'system calls, not recorded without root',
	'records were lost',
	'threads not observed running',
	'threads whose records were refused',
]);

/** Indexes of the reasons. */
export const unattributedReason = Object.freeze({
	unknown: 0, wakeUps: 1, systemCalls: 2, lost: 3, unobserved: 4, refused: 5,
});

/** Where an engine puts names; ids are dense, start at 1 (0: none) and never change. Strings are made `printable` here. */
export type Interner = {
	/** Id of a string, made printable. Not for names of threads, which may change without end: nothing is given up. */
	internString(text: string): number;
	/** Id of a frame. `line` >= 0, `unknownLine`, `nativeLine` or `nativeCodeLine`. Returns `otherFrame` when the table is full. */
	internFrame(classId: number, methodId: number, fileId: number, line: number): number;
};

/** Id of a frame that stands for something else than a method, such as `unattributed`. */
export function pseudoFrame(interner: Interner, {className, method}: {readonly className: string; readonly method: string}): number {
	return interner.internFrame(interner.internString(className), interner.internString(method), 0, unknownLine);
}
