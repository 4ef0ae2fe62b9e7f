import {type Interner, unknownLine} from '../../model/frame.js';

/** Names of the frame that stands for the stack of a thread that runs and could not be stopped in time to read it, so that its CPU time has a place. No class has such a name. */
export const unknownStack = Object.freeze({className: '(running)', method: '(stack unknown)'});

/** The id of that frame. */
export function unknownStackFrame(interner: Interner): number {
	return interner.internFrame(interner.internString(unknownStack.className), interner.internString(unknownStack.method), 0, unknownLine);
}
