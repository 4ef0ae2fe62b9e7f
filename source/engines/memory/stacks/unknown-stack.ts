import {type Interner, unknownLine, unknownStack} from '../../../model/frame.js';

/** The id of the frame that stands for an unknown stack. */
export function unknownStackFrame(interner: Interner): number {
	return interner.internFrame(interner.internString(unknownStack.className), interner.internString(unknownStack.method), 0, unknownLine);
}
