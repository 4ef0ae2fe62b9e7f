import {type Jvm} from '../hotspot/jvm.js';
import {slot} from './interpreted.js';
import {type StackCopy} from './stack.js';

/**
Checks the known code that a stack has return addresses of, and the methods of its interpreted frames, in one read each.
A walk would check them too, but one by one.
*/
export function checkStack({code, methods}: Pick<Jvm, 'code' | 'methods'>, stack: StackCopy): void {
	if (!code.hasUnchecked) {
		return;
	}

	const {low, end} = code.bounds;
	const pcs: number[] = [];
	const interpreted: number[] = [];
	for (const place of stack.placesBetween(low, end)) {
		const pc = stack.returnAddress(place);
		pcs.push(pc);
		if (code.known(pc)?.blob.kind === 'interpreter') {
			// Below a return address is the caller's frame pointer.
			interpreted.push(stack.wordOrZero(stack.wordOrZero(place - 8) + slot.method));
		}
	}

	code.check(pcs);
	methods.check(interpreted);
}
