import {joined, safe, type Printable} from '../../util/printable.js';
import {cellWidth, elideEnd, elideMiddle, elideStart} from '../../util/cell-width.js';
import {nativeCodeLine} from '../../model/frame.js';
import {isJvmWork} from '../../model/jvm-stacks.js';
import {locationName} from '../counters/location.js';
import type {Location} from '../types/query.js';

/** Cells of a location in a sentence. */
export const maxLocationCells = 60;

/** The user's names of packages on the screen, by package. Set before anything is drawn; files have full names. */
let userNames: ReadonlyMap<string, Printable> = new Map();

/** Sets the user's names of packages; each covers the packages below it too. */
export function namePackages(byPackage: ReadonlyMap<string, Printable>): void {
	userNames = byPackage;
}

/** Where code of a line comes from that a compiler has inlined: its source and line, and the line that called it. */
type Inlined = {readonly file?: Printable; readonly line?: number; readonly calledAt?: number};

/** Finds inlined code; set before anything is drawn. */
let inlinedOf: (location: Location) => Inlined | undefined = () => undefined;

/** Sets what finds inlined code, for names on the screen and in text reports. Others have the class file's lines. */
export function nameInlined(find: typeof inlinedOf): void {
	inlinedOf = find;
}

/** Returns a location's name; of inlined code `Orders.pay:13 (inlined Timing.kt:14)`, where line 13 is the call. */
function displayName(location: Location): Printable {
	const inlined = inlinedOf(location);
	if (!inlined) {
		return locationName(location);
	}

	if (inlined.file === undefined) {
		return safe`${locationName(location)} (inlined code)`;
	}

	const {className, method, file} = location;
	const caller = locationName({className, method, file, line: inlined.calledAt ?? -1});
	return safe`${caller} (inlined ${inlined.file}:${inlined.line ?? 0})`;
}

/** Returns the user's name of the innermost named package of a class, and that package's length; undefined if none. */
function namedPackageOf(className: string): {readonly length: number; readonly name: Printable} | undefined {
	for (let end = className.lastIndexOf('.'); end > 0; end = className.lastIndexOf('.', end - 1)) {
		const name = userNames.get(className.slice(0, end));
		if (name !== undefined) {
			return {length: end, name};
		}
	}

	return undefined;
}

/** Returns a location's name in at most `room` cells: `c.a.sort.Bubble.sort:16`, `Bubble.sort:16`, `…ble.sort:16`. */
// eslint-disable-next-line complexity -- A step for each part of a name that may be shortened.
export function shortName(location: Location, room: number, full = false): Printable {
	const name = displayName(location);
	if (isJvmWork(location.className) || location.line === nativeCodeLine) {
		return shortWork(name, room, full);
	}

	if (full && cellWidth(name) <= room) {
		return name;
	}

	// Unless `full`, all packages but the last become initials, and the user's names apply.
	const classStart = location.className.lastIndexOf('.') + 1;
	const rest = name.slice(classStart);
	const named = full ? undefined : namedPackageOf(location.className);
	// An empty name hides the package.
	const usersName = named?.name ? [named.name] : [];
	const packages = [
		...usersName,
		...location.className.slice(named ? named.length + 1 : 0, classStart).split('.').slice(0, -1),
	];
	const withInitials = (from: number, to: number) =>
		joined([
			...packages.map((part, index) => index >= from && index < to ? [...part][0] ?? safe`` : part),
			rest,
		], safe`.`);
	// The user's name is shortened last: it is short already.
	for (let short = 0; short < (named ? packages.length : 0); short++) {
		const shortened = withInitials(usersName.length, usersName.length + short);
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

	return elideStart(rest, room);
}

/** Names the JVM's work or native code. Shortens the package of a compiled method: `[jit] C2 c.a.sort.Bubble.sort`. */
function shortWork(name: Printable, room: number, full: boolean): Printable {
	const [, head] = /^(\[jit] .*?)\S+\.\S+$/.exec(name) ?? [];
	if (head === undefined) {
		return elideEnd(name, room);
	}

	const dot = name.lastIndexOf('.');
	const compiler = name.slice(0, head.length);
	const method: Location = {
		className: name.slice(head.length, dot), method: name.slice(dot + 1), file: safe``, line: -1,
	};
	return safe`${compiler}${shortName(method, Math.max(1, room - cellWidth(compiler)), full)}`;
}

function nameCells(location: Location): number {
	return cellWidth(displayName(location).slice(location.className.lastIndexOf('.') + 1));
}

const minAsideCells = 8;

/** Returns a location's name with the asides that fit after `Class.method:line`: `c.acme.Dao.find:88 via Lock.park`. */
export function nameWith(location: Location, asides: readonly Printable[], room: number, full = false): Printable {
	const least = nameCells(location);
	let shown = safe``;
	for (const aside of asides) {
		const left = room - least - cellWidth(shown) - 1;
		shown = left < minAsideCells ? shown : safe`${shown} ${elideEnd(aside, left)}`;
	}

	return safe`${shortName(location, room - cellWidth(shown), full)}${shown}`;
}

/** The fraction of the room reserved for the holder, and its minimum width, cells. */
const minHolderPart = 0.45;
const minHolderCells = 7;

/** As `nameWith`, but always with the lock's holder: `Dao.find:88 held by writer +2`, `….find:88 by w…r`. */
export function nameHeldBy(
	location: Location,
	{holder, others = 0}: {readonly holder: Printable; readonly others?: number},
	asides: readonly Printable[],
	room: number,
	full = false,
): Printable {
	const least = nameCells(location);
	const more = others > 0 ? safe` +${others}` : safe``;
	const text = safe` by ${holder}${more}`;
	if (least + cellWidth(safe` held`) + cellWidth(text) <= room) {
		return nameWith(location, [safe`held${text}`, ...asides], room, full);
	}

	const cells = Math.max(room - least, Math.floor(room * minHolderPart));
	const shown = cells < minHolderCells
		? safe``
		: safe` by ${elideMiddle(holder, cells - cellWidth(safe` by ${more}`))}${more}`;
	return safe`${shortName(location, room - cellWidth(shown), full)}${shown}`;
}

/** Returns `via LockSupport.park`, for a location that own code called. */
export function viaText(location: Location): Printable {
	return safe`via ${methodName(location)}`;
}

/** Returns a method without its package: `LockSupport.park`; native code as `libzip.so!inflate`. */
export function methodName(location: Location): Printable {
	const {className, method, line} = location;
	const simpleClass = className.slice(className.lastIndexOf('.') + 1);
	return line === nativeCodeLine ? locationName(location) : joined([simpleClass, method].filter(Boolean), safe`.`);
}

/** Names the class initializer that a thread waits for: `Depot.<clinit>`. */
export function initializerText(className: Printable): Printable {
	return className === '' ? safe`class init` : safe`${lockName(className)}.<clinit>`;
}

/** Returns the simple name of a lock's class, without outer classes: `ReentrantLock`, `Depot`, `Depot.class`. */
export function lockName(className: Printable): Printable {
	return publicName(className).replace(/^.*[.$](?=\D)(?!class$)/, safe``);
}

/** Returns the public class of a java.util.concurrent lock whose parked threads wait for its inner `Sync`. */
export function publicName(className: Printable): Printable {
	return className.replace(/\$(?:Nonfair|Fair)?Sync$/, safe``);
}
