import {locationName} from '../counters/location.js';
import type {BlockerRow, Location} from '../types/rows.js';
import type {Column} from '../columns/column.js';
import {formatCount, formatDuration, formatStuck} from '../columns/format.js';
import {shortName} from '../columns/names.js';
import {byNumber, byText} from '../columns/sort.js';

/** The columns of the Blockers view in their order. */
export const blockerColumns: ReadonlyArray<Column<BlockerRow>> = [
	{
		id: 'waiting', heading: 'WAIT', title: 'waiters', width: 4, align: 'right', fromColumns: 0,
		description: 'threads that wait for the lock now',
		sortFigures: ['self', 'ticks'],
		value: row => formatCount(row.waitingNow),
		role: row => row.waitingNow > 0 ? 'blocked' : undefined,
		// What cannot end by itself comes first.
		compare: (a, b) => byNumber(Number(a.isDeadlocked), Number(b.isDeadlocked)) || byNumber(a.waitingNow, b.waitingNow) || byNumber(a.longestMs, b.longestMs) || byNumber(a.waitedMs, b.waitedMs),
	},
	{
		id: 'longest', heading: 'LONGEST', title: 'longest wait', width: 7, align: 'right', fromColumns: 64,
		description: 'how long the longest of them has waited; >= since before the first sample',
		value: row => row.longestMs > 0 ? formatStuck({stuckMs: row.longestMs, stuckAtLeast: row.longestAtLeast}) : '',
		compare: (a, b) => byNumber(a.longestMs, b.longestMs),
	},
	{
		id: 'waited', heading: 'WAITED', title: 'waiting time', width: 6, align: 'right', fromColumns: 50,
		description: 'waiting time of all threads in the window together, by samples',
		sortFigures: ['total', 'total-ticks', 'cpu'],
		value: row => row.waitedMs > 0 ? formatDuration(row.waitedMs) : '',
		compare: (a, b) => byNumber(a.waitedMs, b.waitedMs),
	},
	{
		id: 'holder', heading: 'HELD BY', title: 'holder', width: 20, align: 'left', fromColumns: 0, ascending: true,
		description: 'the thread that holds it; further in, threads that wait for the one above and hold others up themselves; ? not known; of a lock that is held for reading how often, and the first of its readers',
		sortFigures: ['name'],
		value: row => `${'  '.repeat(Math.min(row.depth, maxIndent))}${row.isDeadlocked ? '!' : ''}${holderText(row)}`,
		role: row => row.isDeadlocked ? 'blocked' : undefined,
		compare: (a, b) => byText(a.holderName, b.holderName),
	},
	{
		id: 'lock', heading: 'LOCK', title: 'lock', width: 14, align: 'left', fromColumns: 72, ascending: true,
		description: 'class of the lock, of a monitor\'s object, or of what is being initialised',
		value: row => row.kind === 'class-init' ? initialisedText(row.lockClass) : lockName(row.lockClass) || row.kind,
		compare: (a, b) => byText(a.lockClass, b.lockClass),
	},
	{
		id: 'took', heading: 'TOOK IT AT', title: 'where it was taken', width: 32, align: 'left', fromColumns: 120, ascending: true,
		description: 'the line where the holder took the lock, where that is known (monitors)',
		value: (row, {room, fullNames}) => nameOf(row.tookAt, room, fullNames),
		compare: (a, b) => byText(textOf(a.tookAt), textOf(b.tookAt)),
	},
	{
		id: 'now', heading: 'HOLDER IS AT', title: 'where the holder is', width: 0, align: 'left', fromColumns: 0, ascending: true,
		description: 'the program\'s line at which the holder is now',
		value: (row, {room, fullNames}) => nameOf(row.nowAt, room, fullNames),
		compare: (a, b) => byText(textOf(a.nowAt), textOf(b.nowAt)),
	},
	{
		id: 'waiters-at', heading: 'WAITERS ARE AT', title: 'where they wait', width: 32, align: 'left', fromColumns: 160, ascending: true,
		description: 'the program\'s line at which the one that waits longest asks for the lock',
		value: (row, {room, fullNames}) => nameOf(row.waiters[0]?.at, room, fullNames),
		compare: (a, b) => byText(textOf(a.waiters[0]?.at), textOf(b.waiters[0]?.at)),
	},
];

/** Who holds a lock: `worker-3`, `3 readers, first: worker-3` where it is held for reading, `?` where that is not known. */
export function holderText({holder, holderName, readers}: BlockerRow): string {
	const count = readers === 1 ? '1 reader' : `${readers} readers`;
	return readers === 0 ? (holder < 0 ? '?' : holderName) : (holder < 0 ? count : `${count}, first: ${holderName}`);
}

/** Levels of a chain that are drawn; deeper ones stand as deep as the last. */
const maxIndent = 5;

/** What threads wait for that need a class which another thread initialises. */
export function initialisedText(className: string): string {
	return `class init${className === '' ? '' : ` of ${lockName(className)}`}`;
}

/** A lock's class as people call it: `ReentrantLock`, `Object`, `Depot` for one that is declared in another. */
export function lockName(className: string): string {
	return publicName(className).replace(/^.*[.$](?=\D)/, '');
}

/** The class that a program names, where the lock's is one inside it. */
export function publicName(className: string): string {
	return className.replace(/\$(?:Nonfair|Fair)?Sync$/, '');
}

function nameOf(location: Location | undefined, room: number, fullNames: boolean): string {
	return location ? shortName(location, room, fullNames) : '';
}

function textOf(location: Location | undefined): string {
	return location ? locationName(location) : '';
}
