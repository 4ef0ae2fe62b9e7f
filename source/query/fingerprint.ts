import {createHash} from 'node:crypto';
import {nativeLine} from '../model/frame.js';
import type {Place} from './types.js';

/** A frame as java.lang.StackTraceElement prints it. */
export function frameText({className, method, file, line}: Place): string {
	const source = line === nativeLine ? 'Native Method' : (line >= 0 ? `${file || 'Unknown Source'}:${line}` : file || 'Unknown Source');
	return `${className}.${method}(${source})`;
}

/** A stack as text, innermost frame first: a line for each, after a tab. */
export function stackLines(frames: readonly Place[]): string {
	return frames.map(frame => `\t${frameText(frame)}\n`).join('');
}

/** What a stack is found again by, in every session: the MD5 of its lines, as the votes format prints it. */
export function fingerprintOf(frames: readonly Place[]): string {
	return createHash('md5').update(stackLines(frames)).digest('hex');
}
