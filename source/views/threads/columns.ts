import {safe, type Printable} from '../../util/printable.js';
import type {EventKind} from '../../model/schema.js';
import {stateCode, type ThreadState} from '../../model/thread-state.js';
import type {Location, LockInfo, StateTicks} from '../../query/types/query.js';
import {
	cpuColumn, figureColumn, ownCodeColumn, locationColumn, stateColumn, statesColumn, textColumn, type Column,
} from '../../query/columns/column.js';
import {eventFigures} from '../../query/columns/event-columns.js';
import {formatStuck, formats} from '../../query/columns/format.js';
import {waitText, type Wait} from '../../query/locks/wait-of.js';
import {initializerText, nameHeldBy, nameWith, shortName, viaText} from '../../query/columns/names.js';
import {stateLetters, stateRole, stateWord} from '../../query/columns/state-cells.js';

/** A row of the Threads view: a thread or a folded pool of threads, with its figures of the window. */
export type ThreadRow = {
	readonly key: string;
	/** The thread's name; for a folded pool `*` replaces the digits. */
	readonly name: Printable;
	/** Index in the snapshot's thread table; of the busiest thread for a folded pool. */
	readonly thread: number;
	readonly threadKeys: readonly number[];
	/** Number of threads; virtual ones only while alive. */
	readonly threadCount: number;
	/** How many of them are mounted. */
	readonly mounted: number;
	/** 0 for a folded pool. */
	readonly nativeId: number;
	/** Undefined if unknown: in a profile of another tool. */
	readonly isAlive: boolean | undefined;
	readonly isDaemon: boolean;
	/** Whether the thread, or each one of a pool, is virtual. */
	readonly isVirtual: boolean;
	readonly carrierName?: string;
	/** Whether the thread, or each one of a pool, carries a virtual thread now. */
	readonly isCarrier: boolean;
	readonly isVmInternal: boolean;
	/** Whether it works for the JVM, not for the program: a collector, a compiler, the Reference Handler. */
	readonly isOfJvm: boolean;
	/** Whether it did nothing in the window, as it waits for work or has ended. */
	readonly isWithoutWork: boolean;
	/**
	State in the newest sample; of VM-internal threads over the window. Undefined for a dead thread or a mixed pool.
	*/
	readonly state?: ThreadState;
	/** The same as people see it: IDLE while it waits for work, in whatever way; undefined for a mixed pool. */
	readonly shownState?: ThreadState;
	readonly cpuNs: number;
	/** 100 = one core over the window. */
	readonly cpuPercent: number;
	/** Share of the CPU time of all counted threads, 0..100. */
	readonly sharePercent: number;
	/** What the thread's events of each kind count for, and the same a second; 0 if they are not recorded. */
	readonly events: Readonly<Record<EventKind, number>>;
	readonly eventsPerS: Readonly<Record<EventKind, number>>;
	readonly runDelayNs: number;
	readonly runDelayPercent: number;
	/** Ticks by state, whether counted or not. */
	readonly states: StateTicks;
	/** Ticks in counted states. */
	readonly ticks: number;
	/** The current location; for a pool, that of most of its threads. */
	readonly now?: Location;
	/** Number of the pool's threads at `now`; undefined if all are. */
	readonly nowThreads?: number;
	/** Only with own code first: the library method that its own line called. */
	readonly via?: Location;
	/** Only without own code first: the innermost line of own code, if that is not `now`. */
	readonly own?: Location;
	/** The line with the most CPU time, then counted ticks, in the window; undefined without Java frames. */
	readonly top?: Location;
	/**
	How long it has been at `now` without using CPU, or waited for the same monitor; the longest of a pool; 0 if it
	rests.
	*/
	readonly stuckMs: number;
	readonly stuckAtLeast: boolean;
	/** The lock that it waits for, and its holder; for a folded pool only if all its threads wait for the same. */
	readonly waitsFor?: LockInfo;
	/** What it waits for now, lock or not; for a folded pool only if all its threads wait for the same. */
	readonly wait?: Wait;
};

/** A smaller percentage is shown as zero. */
const leastShownPercent = 0.05;

/** A thread that does not rest and has been at one line for this long may be stuck. */
const leastStuckMs = 1000;

export const threadsViewColumns: ReadonlyArray<Column<ThreadRow>> = [
	cpuColumn('cpu', row => row.sharePercent, row => row.cpuNs, {
		heading: 'CPU%',
		title: 'CPU',
		width: 6,
		fromColumns: 0,
		isHot: true,
		sortKeys: ['self', 'total'],
		description: 'CPU time of the thread, 100 is one core (SHARE: share of the CPU time of all threads)',
		sortBy: [
			// Of threads that use no CPU to speak of, those that are stuck come first.
			row => (row.cpuPercent || row.sharePercent) < leastShownPercent ? 0 : row.cpuNs,
			row => row.stuckMs >= leastStuckMs ? row.stuckMs : 0,
			row => row.cpuNs,
			row => row.ticks,
			row => row.states[stateCode.RUNNABLE] + row.states[stateCode.BLOCKED],
			row => Number(row.waitsFor?.ownerName !== undefined),
			row => row.threadCount,
		],
	}),
	...eventFigures<ThreadRow>({amount: ({events}, kind) => events[kind], perS: (row, kind) => row.eventsPerS[kind]}, {
		alloc: 'bytes that the thread allocated a second, a carrier with its virtual threads',
		exceptions: 'exceptions a second that the thread made with a stack trace',
		starts: 'threads a second that the thread started, without virtual ones',
	}),
	figureColumn('ticks', row => row.ticks, formats.count, {
		heading: 'TICKS', title: 'ticks', width: 6, fromColumns: 90,
		description: 'samples of the thread in the counted states',
	}),
	figureColumn('threads', row => row.threadCount, formats.count, {
		heading: 'THR', title: 'threads', width: 4, fromColumns: 72,
		description: 'threads in the row; more than one for a pool; of virtual threads, those alive now',
	}),
	textColumn('state', row => stateText(row), {
		heading: 'STATE',
		title: 'state',
		width: 5,
		fromColumns: 0,
		description:
			'state in the newest sample; for the JVM\'s own threads, over the window; IDLE for a thread that waits '
			+ 'for work, DEAD for one that has ended, mixed for a pool in several',
		exportValue: row => row.state ?? '',
		role: ({shownState}) => shownState && stateRole(shownState),
	}),
	statesColumn('states', {
		heading: 'STATES', title: 'blocked ticks', fromColumns: 80, sortBy: [row => row.states[stateCode.BLOCKED]],
		description: 'states of the thread, in proportion; sorts by blocked ticks',
	}),
	figureColumn('stuck', row => row.stuckMs, formats.duration, {
		heading: 'STUCK',
		title: 'stuck',
		width: 6,
		fromColumns: 70,
		description:
			'how long it has been where it is without using CPU, or waited for the same monitor; >= since before '
			+ 'the first sample; blank for the JVM\'s own threads, and for those that sleep or wait for work',
		value: row => row.stuckMs > 0 ? formatStuck(row) : safe``,
	}),
	figureColumn('tid', row => row.nativeId, formats.count, {
		heading: 'TID', title: 'thread id', width: 8, fromColumns: 120, ascending: true,
		description: 'id of the thread in the operating system',
		value: row => row.nativeId > 0 ? safe`${row.nativeId}` : safe``,
	}),
	figureColumn('cpu-ms', row => row.cpuNs, formats.cpuMs, {
		heading: 'CPU ms', title: 'CPU time', width: 8, fromColumns: 120,
		description: 'CPU time of the thread, milliseconds',
	}),
	figureColumn('mounted', row => row.mounted, formats.count, {
		heading: 'MNT', title: 'mounted', width: 4, fromColumns: 160,
		description: 'virtual threads of the row that are mounted, that is on a carrier thread, now',
		value: row => row.isVirtual ? safe`${row.mounted}` : safe``,
	}),
	figureColumn('delay', row => row.runDelayPercent, formats.percent, {
		heading: 'DELAY%', title: 'run delay', width: 6, fromColumns: 140,
		description: 'share of the time that it was ready to run and had no CPU',
		isBlank: row => row.runDelayNs <= 0,
	}),
	textColumn('kind', row => kindText(row), {
		heading: 'KIND', title: 'kind', width: 7, fromColumns: 130,
		description: 'daemon, virtual, or carrier (of a virtual thread now)',
		role: () => 'dim',
	}),
	...stateLetters.map(letter =>
		stateColumn<ThreadRow>(letter, {fromColumns: 190, description: 'samples of the thread in the state'})),
	textColumn('name', row => row.name, {
		heading: 'THREAD', title: 'name', width: 22, fromColumns: 0, sortKeys: ['name'],
		description: 'name of the thread, or of a pool with * for the digits',
	}),
	locationColumn('now', row => row.now, {
		heading: 'NOW AT', title: 'where it is', width: 0, fromColumns: 60,
		description: 'the line it is at now; for a pool, the line most of its threads are at, and how many',
		value: (row, {room, fullNames}) => nowText(row, room, fullNames),
	}),
	textColumn('holder', row => row.waitsFor?.ownerName ?? safe``, {
		heading: 'WAITS FOR',
		title: 'waits for',
		width: 40,
		fromColumns: 150,
		description:
			'what it waits for: the peer of a system call, or a lock, which thread holds it, and the line where that thread took it',
		value({waitsFor, wait}, {room}) {
			if (waitsFor && (waitsFor.ownerName !== undefined || !wait)) {
				return lockText(waitsFor, room);
			}

			return wait ? waitText(wait) : safe``;
		},
		role: ({waitsFor}) => waitsFor?.ownerName === undefined ? undefined : 'blocked',
	}),
	ownCodeColumn({
		width: 28,
		fromColumns: 220,
		description: 'for a thread in library code: the line of the program\'s own code that led there',
	}),
];

/** Returns a lock in one line of at most about `room` cells: `Pool held by worker-3 at Pool.take:88`. */
export function lockText(lock: LockInfo, room: number): Printable {
	const simple
		= lock.kind === 'class-init'
			? initializerText(lock.className)
			: lock.className.replace(/^.*\.(?!class$)/, safe``) || lock.kind;
	const held = lock.ownerName === undefined ? simple : safe`${simple} held by ${lock.ownerName}`;
	const at = lock.ownerTookAt ?? lock.ownerIsAt;
	return lock.ownerName !== undefined && at
		? safe`${held} at ${shortName(at, Math.max(room - held.length - 4, 12))}`
		: held;
}

function nowText(
	{now, nowThreads, threadCount, via, waitsFor, wait}: ThreadRow,
	room: number,
	fullNames: boolean,
): Printable {
	if (!now) {
		return safe``;
	}

	const share = nowThreads === undefined ? safe`` : safe` (${nowThreads} of ${threadCount})`;
	const asides = [...(wait?.isForServer ? [waitText(wait)] : []), ...(via ? [viaText(via)] : [])];
	const left = Math.max(room - share.length, 1);
	return safe`${(waitsFor?.ownerName === undefined
		? nameWith(now, asides, left, fullNames)
		: nameHeldBy(now, {holder: waitsFor.ownerName}, asides, left, fullNames))}${share}`;
}

function stateText({isAlive, shownState}: ThreadRow): Printable {
	return isAlive ? (shownState ? stateWord(shownState) : safe`mixed`) : (isAlive === false ? safe`DEAD` : safe``);
}

/** Returns `virtual`, `carrier` or `daemon`; empty for other threads. */
export function kindText(
	{isVirtual, isCarrier, isDaemon}: Pick<ThreadRow, 'isVirtual' | 'isCarrier' | 'isDaemon'>,
): Printable {
	const kinds = [
		isVirtual ? safe`virtual` : safe``,
		isCarrier ? safe`carrier` : safe``,
		isDaemon ? safe`daemon` : safe``,
	];
	return kinds.find(kind => kind !== '') ?? safe``;
}
