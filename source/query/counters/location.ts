import {safe, type Printable} from '../../util/printable.js';
import {kernelClass, nativeCodeLine, nativeLine} from '../../model/frame.js';
import {isJvmWork} from '../../model/jvm-stacks.js';
import type {Dictionary} from '../../model/snapshot.js';
import type {GroupBy, Location} from '../types/query.js';

/** Returns the line, method or class of a frame. */
export function locationOfFrame(dictionary: Dictionary, frame: number, by: GroupBy): Location {
	const {strings, frameClass, frameMethod, frameFile, frameLine} = dictionary;
	return {
		className: strings[frameClass[frame]],
		method: by === 'class' ? safe`` : strings[frameMethod[frame]],
		file: strings[frameFile[frame]],
		line: by === 'line' ? frameLine[frame] : -1,
	};
}

/**
Returns `package.Class.method:line` without unknown parts; for other code `[gc] G1 Conc`, `libzip.so!inflate_fast`.
*/
export function locationName(location: Location): Printable {
	const {className, method, line} = location;
	if (isJvmWork(className) || line === nativeCodeLine) {
		return method
			? safe`${className}${line === nativeCodeLine && className !== kernelClass ? '!' : ' '}${method}`
			: className;
	}

	// Of a pseudo-frame such as (unattributed), class and method are the same text.
	const name = className && method && !(className === method && method.startsWith('('))
		? safe`${className}.${method}`
		: className || method;
	return line >= 0 ? safe`${name}:${line}` : (line === nativeLine ? safe`${name}(native)` : name);
}

/** Whether a location is code, not a pseudo-frame such as (stack unknown). */
export function isKnownLocation({className, method}: Location): boolean {
	return !className.startsWith('(') && (className !== '' || method !== '');
}

/** Returns the key of a location in its grouping, which is the same in every session. */
export function locationKey(location: Location, by: GroupBy): Printable {
	const {className, method, line} = location;
	return by === 'class'
		? className
		: (by === 'method' ? safe`${className}.${method}` : safe`${className}.${method}:${line}`);
}

/** A row with a location, whose fields it looks up on demand. */
export abstract class LocatedRow implements Location {
	get className(): Printable {
		return this.location.className;
	}

	get method(): Printable {
		return this.location.method;
	}

	get file(): Printable {
		return this.location.file;
	}

	get line(): number {
		return this.location.line;
	}

	protected abstract get location(): Location;
}
