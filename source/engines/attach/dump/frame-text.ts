import {nativeLine, unknownLine} from '../../../model/frame.js';

/** A frame as a dump's line names it; names as printed, not yet printable. */
export type FrameText = {
	className: string;
	method: string;
	/** Empty when not known. */
	file: string;
	/** >= 0, `unknownLine` or `nativeLine`. */
	line: number;
};

/**
Named modules stand before the file, "java.base@17.0.15/Thread.java:840" (JDK 9 and later); the version may be missing.
*/
const module = /^[\w.$]+(?:@[^/]*)?\//;

const fileAndLine = /^(.*):(\d{1,9})$/s;

/**
Reads what stands after "\tat ": "pack.Class.method(File.java:12)", with "(Native Method)", "(Unknown Source)",
"(Redefined)" or a file without a line, each with or without a module in front. Class-file rules let names hold blanks,
parentheses, colons and line feeds, so hostile names can always be read in more than one way; a method's name never
holds a dot (Java Virtual Machine Specification, 4.2.2). Undefined when it is not a frame.
*/
export function readFrame(text: string): FrameText | undefined {
	const open = locationStart(text);
	if (open <= 0) {
		return undefined;
	}

	const dot = text.lastIndexOf('.', open - 1);
	if (dot <= 0) {
		return undefined;
	}

	const frame: FrameText = {className: text.slice(0, dot), method: text.slice(dot + 1, open), file: '', line: unknownLine};
	const location = text.slice(open + 1, -1).replace(module, '');
	if (location === 'Native Method') {
		frame.line = nativeLine;
	} else if (location !== 'Unknown Source' && location !== 'Redefined') {
		const match = fileAndLine.exec(location);
		frame.file = match ? match[1] : location;
		frame.line = match ? Number(match[2]) : unknownLine;
	}

	return frame;
}

/**
Index of the parenthesis that opens the location: the partner of the one at the end where parentheses are balanced, else
the last one; -1 when there is none.
*/
function locationStart(text: string): number {
	if (!text.endsWith(')')) {
		return -1;
	}

	let depth = 0;
	for (let at = text.length - 1; at >= 0; at--) {
		if (text[at] === ')') {
			depth++;
		} else if (text[at] === '(' && --depth === 0) {
			return at;
		}
	}

	return text.lastIndexOf('(');
}
