import {stateCode} from '../../model/thread-state.js';
import {locationName} from '../counters/location.js';
import type {LockInfo, ThreadRow} from '../types/rows.js';
import {initialisedText} from '../locks/columns.js';
import {hotPercent, stateColumn, type Column} from '../columns/column.js';
import {
	formatCount, formatMs, formatPercent, formatStuck,
} from '../columns/format.js';
import {
	nameHeldBy, nameWith, shortName, viaText,
} from '../columns/names.js';
import {byNumber, byText} from '../columns/sort.js';
import {stateCells, stateLetters, stateRole, stateWord} from '../columns/state-cells.js';

/** The columns of the Threads view in their order. The first one is the order of rows when none is asked for. */
export const threadColumns: ReadonlyArray<Column<ThreadRow>> = [
	{
		id: 'cpu', heading: 'CPU%', measureHeadings: {'cpu-ms': 'CPUms'}, title: 'CPU', width: 6, align: 'right', fromColumns: 0,
		description: 'CPU time of the thread, 100 is one core',
		sortFigures: ['self', 'total', 'cpu'],
		value: (row, {unit}) => unit === 'cpu-ms' ? formatMs(row.cpuNs) : formatPercent(row.cpuPercent),
		role: row => row.cpuPercent >= hotPercent ? 'hot' : undefined,
		compare: (a, b) => byNumber(a.cpuNs, b.cpuNs) || byNumber(a.ticks, b.ticks) || byNumber(activeTicks(a), activeTicks(b)) || byNumber(Number(isContending(a)), Number(isContending(b))) || byNumber(a.threadKeys.length, b.threadKeys.length),
	},
	{
		id: 'ticks', heading: 'TICKS', title: 'ticks', width: 6, align: 'right', fromColumns: 90,
		description: 'samples of the thread in the counted states',
		sortFigures: ['ticks', 'total-ticks'],
		value: row => formatCount(row.ticks),
		compare: (a, b) => byNumber(a.ticks, b.ticks),
	},
	{
		id: 'threads', heading: 'THR', title: 'threads', width: 4, align: 'right', fromColumns: 72,
		description: 'threads in the row; more than one for a pool',
		value: row => formatCount(row.threadKeys.length),
		compare: (a, b) => byNumber(a.threadKeys.length, b.threadKeys.length),
	},
	{
		id: 'state', heading: 'STATE', title: 'state', width: 5, align: 'left', fromColumns: 0, ascending: true,
		description: 'state in the newest sample, of the JVM\'s own threads in the window; DEAD for a thread that has ended, mixed for a pool in several',
		value: row => stateText(row),
		role: row => row.state && stateRole(row.state),
		compare: (a, b) => byText(stateText(a), stateText(b)),
	},
	{
		id: 'states', heading: 'STATES', title: 'blocked ticks', width: 8, align: 'left', fromColumns: 80,
		description: 'states of the thread, in proportion: R running, B blocked, w waiting, t timed waiting, . idle; sorts by blocked ticks',
		value: (row, {room}) => stateCells(row.states, Math.min(room, 8)),
		role: () => 'states',
		compare: (a, b) => byNumber(a.states[stateCode.BLOCKED], b.states[stateCode.BLOCKED]),
	},
	{
		id: 'stuck', heading: 'STUCK', title: 'stuck', width: 6, align: 'right', fromColumns: 70,
		description: 'how long it has been where it is without using CPU, or waited for the same monitor; >= since before the first sample; blank for the JVM\'s own threads',
		value: row => row.stuckMs > 0 ? formatStuck(row) : '',
		compare: (a, b) => byNumber(a.stuckMs, b.stuckMs),
	},
	{
		id: 'tid', heading: 'TID', title: 'thread id', width: 8, align: 'right', fromColumns: 120, ascending: true,
		description: 'id of the thread in the operating system',
		value: row => row.nativeId > 0 ? String(row.nativeId) : '',
		compare: (a, b) => byNumber(a.nativeId, b.nativeId),
	},
	{
		id: 'cpu-ms', heading: 'CPU ms', title: 'CPU time', width: 8, align: 'right', fromColumns: 120,
		description: 'CPU time of the thread, milliseconds',
		value: row => formatMs(row.cpuNs),
		compare: (a, b) => byNumber(a.cpuNs, b.cpuNs),
	},
	{
		id: 'kind', heading: 'KIND', title: 'kind', width: 7, align: 'left', fromColumns: 130, ascending: true,
		description: 'daemon, virtual, or carrier: of a virtual thread now',
		value: row => kindText(row),
		role: () => 'dim',
		compare: (a, b) => byText(kindText(a), kindText(b)),
	},
	...stateLetters.map(letter => stateColumn<ThreadRow>(letter, {fromColumns: 190, description: 'samples of the thread in the state'})),
	{
		id: 'name', heading: 'THREAD', title: 'name', width: 22, align: 'left', fromColumns: 0, ascending: true,
		description: 'name of the thread, or of a pool with * for the digits',
		sortFigures: ['name'],
		value: row => row.name,
		compare: (a, b) => byText(a.name, b.name),
	},
	{
		id: 'now', heading: 'NOW AT', title: 'where it is', width: 0, align: 'left', fromColumns: 60, ascending: true,
		description: 'the line it is at now; for a pool, the line most of its threads are at, and how many',
		value: (row, {room, fullNames}) => nowShown(row, room, fullNames),
		compare: (a, b) => byText(nowText(a), nowText(b)),
	},
	{
		id: 'holder', heading: 'WAITS FOR', title: 'waits for', width: 40, align: 'left', fromColumns: 150, ascending: true,
		description: 'what it waits for, which thread holds it, and the line where that thread took it',
		value: (row, {room}) => row.waitsFor ? lockText(row.waitsFor, room) : '',
		role: () => 'blocked',
		compare: (a, b) => byText(a.waitsFor?.ownerName ?? '', b.waitsFor?.ownerName ?? ''),
	},
	{
		id: 'own', heading: 'OWN CODE', title: 'own code', width: 28, align: 'left', fromColumns: 220, ascending: true,
		description: 'the line of the program\'s own code by which it came where it is now, if that is other code',
		value: (row, {room, fullNames}) => row.own ? shortName(row.own, room, fullNames) : '',
		compare: (a, b) => byText(a.own ? locationName(a.own) : '', b.own ? locationName(b.own) : ''),
	},
];

/** A lock in one line of about `room` cells at most: `Pool held by worker-3 at Pool.take:88`. */
export function lockText(lock: LockInfo, room: number): string {
	const simple = lock.kind === 'class-init' ? initialisedText(lock.className) : lock.className.slice(lock.className.lastIndexOf('.') + 1) || lock.kind;
	const held = lock.ownerName === undefined ? simple : `${simple} held by ${lock.ownerName}`;
	const at = lock.ownerLocation ?? lock.ownerNow;
	return lock.ownerName !== undefined && at ? `${held} at ${shortName(at, Math.max(room - held.length - 4, 12))}` : held;
}

function nowShown({now, nowThreads, threadKeys, via, waitsFor}: ThreadRow, room: number, fullNames: boolean): string {
	if (!now) {
		return '';
	}

	const share = nowThreads === undefined ? '' : ` (${nowThreads} of ${threadKeys.length})`;
	const asides = via ? [viaText(via)] : [];
	const left = Math.max(room - share.length, 1);
	return (waitsFor?.ownerName === undefined ? nameWith(now, asides, left, fullNames) : nameHeldBy(now, {holder: waitsFor.ownerName}, asides, left, fullNames)) + share;
}

function nowText({now}: ThreadRow): string {
	return now ? locationName(now) : '';
}

function stateText({alive, state}: ThreadRow): string {
	return alive ? (state ? stateWord(state) : 'mixed') : 'DEAD';
}

/** What kind of a thread it is; empty for a usual one. */
export function kindText({isVirtual, isCarrier, daemon}: Pick<ThreadRow, 'isVirtual' | 'isCarrier' | 'daemon'>): string {
	const kinds = [isVirtual ? 'virtual' : '', isCarrier ? 'carrier' : '', daemon ? 'daemon' : ''];
	return kinds.find(kind => kind !== '') ?? '';
}

function activeTicks({states}: ThreadRow): number {
	return states[stateCode.RUNNABLE] + states[stateCode.BLOCKED];
}

function isContending({waitsFor}: ThreadRow): boolean {
	return waitsFor?.ownerName !== undefined;
}
