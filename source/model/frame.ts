/** Line number of a frame whose line is unknown, as in java.lang.StackTraceElement ("Unknown Source"). */
export const unknownLine = -1;

/** Line number of a native method's frame, as in java.lang.StackTraceElement. */
export const nativeLine = -2;

/** Line number of a native-code frame. Its class is the library, its method the function, its file the path. */
export const nativeCodeLine = -3;

/** Class name of the frames that represent time in the kernel. */
export const kernelClass = '[kernel]';

/** The id of the empty stack, which is the root of the trie of stacks. */
export const rootNode = 0;

/** The frame id that means "no frame". */
export const noFrame = 0;

/** The frame id of "(other)", which replaces every frame for which the table has no room. */
export const otherFrame = 1;

/** The frame of a running thread that could not be stopped to read its stack. */
export const unknownStack = Object.freeze({className: '(running)', method: '(stack unknown)'});

/** The frame of native code whose Java callers are unknown. */
export const nativeCode = Object.freeze({className: '(running)', method: '(native code)'});

/** The frame of CPU time that could not be attributed to a stack. */
export const unattributed = Object.freeze({className: '(unattributed)', method: '(unattributed)'});

/** Why CPU time may be unattributed, as a clause. Sessions and saved files hold the index, see `unattributedReason`. */
export const unattributedReasons = Object.freeze([
	'',
	'waking up and switching threads, which no timer sees',
	'system calls, not recorded without root',
	'records were lost',
	'threads not observed running',
	'threads whose records were refused',
]);

export const unattributedReason = Object.freeze({
	unknown: 0, wakeUps: 1, systemCalls: 2, lost: 3, unobserved: 4, refused: 5,
});

/** Gives strings and frames their ids, which start at 1 (0: none), leave no gaps and never change. */
export type Interner = {
	/** Returns the id of a string, made `printable`. Not for thread names, which may keep changing: no id is freed. */
	internString(text: string): number;
	/** Returns a frame's id, or `otherFrame` if the table is full. `line` is at least 0, or a constant of this file. */
	internFrame(classId: number, methodId: number, fileId: number, line: number): number;
};

/** Returns the id of a frame that is not a method, such as `unattributed`. */
export function pseudoFrame(
	interner: Interner,
	{className, method}: {readonly className: string; readonly method: string},
): number {
	return interner.internFrame(interner.internString(className), interner.internString(method), 0, unknownLine);
}
