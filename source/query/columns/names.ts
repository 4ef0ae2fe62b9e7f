import {
	cellWidth, cut, cutMiddle, cutStart,
} from '../../model/cell-width.js';
import {nativeCodeLine} from '../../model/frame.js';
import {isJvmWork} from '../../model/jvm-stacks.js';
import {locationName} from '../counters/location.js';
import type {Location} from '../types/query.js';

/* The user's names of packages on the screen, set before anything is drawn. Files and reports have whole names. */

let names: ReadonlyMap<string, string> = new Map();

/** From now on these packages, and all below them, are called so. */
export function namePackages(byPackage: ReadonlyMap<string, string>): void {
	names = byPackage;
}

/** The longest package with a name of its own that a class is in, and that name; undefined when there is none. */
function namedPackageOf(className: string): {readonly length: number; readonly name: string} | undefined {
	if (names.size === 0) {
		return undefined;
	}

	for (let end = className.lastIndexOf('.'); end > 0; end = className.lastIndexOf('.', end - 1)) {
		const name = names.get(className.slice(0, end));
		if (name !== undefined) {
			return {length: end, name};
		}
	}

	return undefined;
}

/**
The name of a location in at most `room` cells, its end kept: `c.a.sort.Bubble.sort:16`, `Bubble.sort:16`,
`…ble.sort:16`. Without `full` all packages but the last are shortened, and those that the user named have these names.
*/
export function shortName(location: Location, room: number, full = false): string {
	const name = locationName(location);
	if (isJvmWork(location.className) || location.line === nativeCodeLine) {
		return shortWork(name, room, full);
	}

	if (full && cellWidth(name) <= room) {
		return name;
	}

	const classStart = location.className.lastIndexOf('.') + 1;
	// What follows the package in the name; a class name that is nothing but a package stays whole.
	const rest = name.slice(classStart);
	const named = full ? undefined : namedPackageOf(location.className);
	const own = named?.name ? [named.name] : [];
	const packages = [...own, ...location.className.slice(named ? named.length + 1 : 0, classStart).split('.').slice(0, -1)];
	const withInitials = (from: number, to: number) => [...packages.map((part, index) => index >= from && index < to ? [...part][0] ?? '' : part), rest].join('.');
	// What the user calls a package is short already, and goes last.
	for (let short = 0; short < (named ? packages.length : 0); short++) {
		const shortened = withInitials(own.length, own.length + short);
		if (cellWidth(shortened) <= room) {
			return shortened;
		}
	}

	for (let short = full ? 1 : Math.max(packages.length - 1, 0); short <= packages.length; short++) {
		const shortened = withInitials(0, short);
		if (cellWidth(shortened) <= room) {
			return shortened;
		}
	}

	return cutStart(rest, room);
}

/** The JVM's own work, or native code; of a method that is compiled the package is shortened: `[jit] C2 c.a.sort.Bubble.sort`. */
function shortWork(name: string, room: number, full: boolean): string {
	const [, compiler, className, method] = /^(\[jit] .*?)(\S+)\.(\S+)$/.exec(name) ?? [];
	return compiler === undefined
		? cut(name, room)
		: compiler + shortName({className, method, file: '', line: -1}, Math.max(1, room - cellWidth(compiler)), full);
}

/** Cells of `Class.method:line`, the package left out. */
function leastCells(location: Location): number {
	return cellWidth(locationName(location).slice(location.className.lastIndexOf('.') + 1));
}

/** Fewer cells say nothing of what stands behind a name. */
const leastAside = 8;

/** A location and what fits beside it once `Class.method:line` is whole: `c.acme.Dao.find:88 via LockSupport.park`. */
export function nameWith(location: Location, asides: readonly string[], room: number, full = false): string {
	const least = leastCells(location);
	let shown = '';
	for (const aside of asides) {
		const left = room - least - cellWidth(shown) - 1;
		shown += left < leastAside ? '' : ` ${cut(aside, left)}`;
	}

	return shortName(location, room - cellWidth(shown), full) + shown;
}

/** Part of a name's room, and cells of it, that a holder has at least. */
const holderPart = 0.45;
const leastHolder = 7;

/** The same with who holds threads up there, who is always named: `Dao.find:88 held by writer +2`, `….find:88 by w…r`. */
export function nameHeldBy(location: Location, {holder, others = 0}: {readonly holder: string; readonly others?: number}, asides: readonly string[], room: number, full = false): string {
	const least = leastCells(location);
	const more = others > 0 ? ` +${others}` : '';
	const text = ` by ${holder}${more}`;
	if (least + cellWidth(' held') + cellWidth(text) <= room) {
		return nameWith(location, [`held${text}`, ...asides], room, full);
	}

	const cells = Math.max(room - least, Math.floor(room * holderPart));
	const shown = cells < leastHolder ? '' : ` by ${cutMiddle(holder, cells - cellWidth(` by ${more}`))}${more}`;
	return shortName(location, room - cellWidth(shown), full) + shown;
}

/** `via LockSupport.park`: how a line of the program's own code came to stand in another's. */
export function viaText(location: Location): string {
	const {className, method, line} = location;
	return line === nativeCodeLine ? `via ${locationName(location)}` : `via ${[className.slice(className.lastIndexOf('.') + 1), method].filter(Boolean).join('.')}`;
}

/** What threads wait for that need a class which another thread initialises. */
export function initialisedText(className: string): string {
	return className === '' ? 'class init' : `${lockName(className)}.<clinit>`;
}

/** A lock's class as people call it: `ReentrantLock`, `Object`, `Depot` for one that is declared in another. */
export function lockName(className: string): string {
	return publicName(className).replace(/^.*[.$](?=\D)/, '');
}

/** The class that a program names, where the lock's is one inside it. */
export function publicName(className: string): string {
	return className.replace(/\$(?:Nonfair|Fair)?Sync$/, '');
}
