import type * as crypto from 'node:crypto';
import {createRequire} from 'node:module';
import {nativeLine} from '../../model/frame.js';
import type {Location} from '../types/rows.js';

/** Loaded with the first fingerprint: not before the first frame of the screen. */
let library: typeof crypto | undefined;

/** A frame as java.lang.StackTraceElement prints it. */
export function frameText({className, method, file, line}: Location): string {
	const source = line === nativeLine ? 'Native Method' : (line >= 0 ? `${file || 'Unknown Source'}:${line}` : file || 'Unknown Source');
	return `${className}.${method}(${source})`;
}

/** A stack as text, innermost frame first: a line for each, after a tab. */
export function stackLines(frames: readonly Location[]): string {
	return frames.map(frame => `\t${frameText(frame)}\n`).join('');
}

/** What a stack is found again by, in every session: the MD5 of its lines, as the votes format prints it. */
export function fingerprintOf(frames: readonly Location[]): string {
	library ??= createRequire(import.meta.url)('node:crypto') as typeof crypto;
	return library.createHash('md5').update(stackLines(frames)).digest('hex');
}
