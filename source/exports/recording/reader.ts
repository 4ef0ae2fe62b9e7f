import {
	fromNames, makeArrays, namesOf, newArray, units, type Columns,
} from '../../model/column-types.js';
import {
	bounds, list, record, valueOrNone, targetOf, text, type Document, type Sizes,
} from '../../model/saved-values.js';
import {
	contentionColumns, counterColumns, sessionFigures, threadNumbers, type RecordArrays,
} from '../../model/schema.js';
import type {Snapshot, TargetVitals} from '../../model/snapshot.js';
import {printable} from '../../model/text.js';
import {
	changing, type Changing, type Counts, type Region,
} from '../../query/past/deltas.js';
import {fromNothing, lookedAt} from '../../query/past/look-back.js';
import {emptyRing, type Ring, type RingWindow} from '../../query/past/ring.js';
import {
	maxJsonBytes, readBody, type Beside, type Looked,
} from '../../query/past/window-body.js';
import {UserError} from '../../runtime/errors.js';
import {
	ExcessError, maxContention, maxSamples, maxThreads, tooMany,
} from '../pprof/limits.js';
import {
	firstLine, headLength, headOf, isRecording, isWhole, maxMembers, memberKinds, partsOf, signature, unpacked, type MemberHead,
} from './members.js';
import {ReadNames} from './names.js';

/** An opened recording, whose windows are unpacked on demand. */
export type Recording = {
	readonly ring: Ring;
	/** The moment at its end. */
	readonly last: Looked;
	/** Which parts of the file are unreadable; printable. */
	readonly problem?: string;
};

/** Opens a recording. Throws UserError. */
export function openRecording(bytes: Buffer, name = 'the file'): Recording {
	try {
		return read(bytes);
	} catch (error) {
		throw error instanceof ExcessError
			? new UserError(`cannot open ${name}: it holds too much (${error.message})`, {hint: 'reading it would take too much time or memory'})
			: new UserError(`cannot open ${name}: not a recording that this version can read (${printable((error as Error).message.split('\n')[0])})`, {hint: 'tprof-top record writes them; docs/formats.md describes them'});
	}
}

/** A member whose CRC is right, and its header. */
type Member = MemberHead & {readonly member: Uint8Array};

/** Bound on damaged members, which may claim any size, and on their number. */
const maxDamagedBytes = 128 * 1024 * 1024;
const bytesOfDamaged = 1024;

/** Bound on members that are unpacked on opening. */
const maxUnpackedBytes = 1024 * 1024 * 1024;
const bytesOfUnpacked = 50_000;

/** Finds the intact members, and counts the damaged parts between them and the bytes after the last one. */
function membersIn(bytes: Buffer): {readonly found: readonly Member[]; readonly damaged: number; readonly tornBytes: number} {
	const found: Member[] = [];
	let [damaged, lookedThrough, goodEnd] = [0, 0, firstLine.length];
	for (let at = firstLine.length; at < bytes.length;) {
		const head = headOf(bytes.subarray(at, at + headLength));
		const member = bytes.subarray(at, at + (head?.size ?? 0));
		if (head?.size === member.length && isWhole(member)) {
			// The bytes since the last intact member are damaged.
			damaged += at > goodEnd ? 1 : 0;
			found.push({...head, member});
			at += head.size;
			goodEnd = at;
			// Each index may come with a session.
			if (found.length > 2 * maxMembers) {
				throw tooMany(maxMembers, 'windows');
			}

			continue;
		}

		lookedThrough += member.length + bytesOfDamaged;
		const next = lookedThrough > maxDamagedBytes ? -1 : bytes.indexOf(signature, at + 1);
		at = next === -1 ? bytes.length : next;
	}

	return {found, damaged, tornBytes: bytes.length - goodEnd};
}

function read(bytes: Buffer): Recording {
	if (bytes.toString('latin1', 0, firstLine.length) !== firstLine) {
		throw new RangeError(isRecording(bytes) ? 'its format is of another version' : 'it does not begin as one');
	}

	const {found, damaged, tornBytes} = membersIn(bytes);
	const session = found.find(({kind, unpackedSize}) => kind === memberKinds.session && unpackedSize <= maxJsonBytes);
	if (!session) {
		throw new RangeError('what it is of is damaged or missing');
	}

	const about = record(JSON.parse(Buffer.from(unpacked(session.member)).toString()));
	const names = new ReadNames();
	const layout = {names, ...layoutOf(about)};
	const {ring, unread} = ringOf(found.filter(({kind}) => kind !== memberKinds.session), layout);
	const newest = ring.windows.at(-1) ?? ring.base;
	if (!newest) {
		throw new RangeError('no whole window is in it');
	}

	const last = lastOf(ring, newest, about, layout);
	const gaps = ring.recording!.gaps.length;
	const problem = [
		damaged > 0 ? `${damaged === 1 ? 'a part' : `${damaged} parts`} of the file ${damaged === 1 ? 'is' : 'are'} damaged and left out` : '',
		gaps > 0 && damaged === 0 ? `windows are missing in ${gaps === 1 ? 'one place' : `${gaps} places`}: they were not written` : '',
		unread > 0 ? `${unread === 1 ? '1 window' : `${unread} windows`} cannot be read: no index follows ${unread === 1 ? 'it' : 'them'}` : '',
		tornBytes > 0 ? 'the file is cut off: the window that was being written is missing' : '',
	].filter(Boolean).join('; ');
	return {ring: {...ring, newest: last.snapshot}, last, ...(problem === '' ? {} : {problem})};
}

function bodyOf({member}: Member): () => Uint8Array {
	return () => partsOf(unpacked(member)).body;
}

type Layout = {readonly names: ReadNames; readonly figures: readonly string[]; readonly columns: readonly Changing[]};

/** Makes a ring of the members, and counts the windows that cannot be read: of a run without a gap, if no index is in it. */
function ringOf(members: readonly Member[], {figures, columns, names}: Layout): {readonly ring: Ring; readonly unread: number} {
	const windows: Array<RingWindow & Member> = [];
	const whole = new Map<number, (() => Uint8Array) | undefined>();
	const gaps = new Set<number>();
	let base: RingWindow | undefined;
	/** Windows since the last index, which repeats their names. */
	let pending: Member[] = [];
	let unpackedBytes = 0;
	const windowAt = (member: Member) => ({...member, body: bodyOf(member), bytes: member.size});
	const take = (member: Member) => {
		unpackedBytes += member.unpackedSize + bytesOfUnpacked;
		if (unpackedBytes > maxUnpackedBytes) {
			throw new ExcessError('more than 1 GB to unpack');
		}

		return names.take(partsOf(unpacked(member.member)).names);
	};

	// The first window of a session needs no names before its own.
	if (members[0]?.kind === memberKinds.window && members[0].number === 0 && take(members[0])) {
		whole.set(-1, undefined);
	}

	let [first, next, isKnown] = [0, 0, whole.has(-1)];
	const endRun = () => {
		windows.length = isKnown ? windows.length : first;
	};

	for (const member of members) {
		if (member.number !== next) {
			endRun();
			[first, next, isKnown] = [windows.length, member.number, false];
			gaps.add(first);
		}

		if (member.kind === memberKinds.window) {
			windows.push(windowAt(member));
			pending.push(member);
			next++;
		} else if (member.kind === memberKinds.index && (take(member) || (pending.every(window => take(window)) && take(member)))) {
			if (windows.length === 0 && gaps.size === 0) {
				base = windowAt(member);
			} else if (windows.length === first) {
				// What came before it is missing.
				windows.push(windowAt(member));
			}

			whole.set(windows.length - 1, bodyOf(member));
			isKnown = true;
			pending = [];
		}
	}

	endRun();
	const unnamed = pending.find(window => !take(window));
	const unnamedAt = windows.findIndex(({member}) => member === unnamed?.member);
	windows.length = unnamedAt === -1 ? windows.length : unnamedAt;
	if (!whole.has(-1)) {
		gaps.add(0);
	}

	const isOrdered = windows.every(({atMs, sampledMs}, index) => Number.isFinite(atMs) && Number.isFinite(sampledMs) && atMs >= (windows[index - 1] ?? base ?? {atMs: 0}).atMs && atMs <= 8.64e15);
	if (!isOrdered) {
		throw new RangeError('its windows are in disorder');
	}

	const ring: Ring = {
		...emptyRing, base, windows, recording: {
			figures, columns, whole, gaps: [...gaps].filter(gap => gap < windows.length), check: looked => checked(looked, names),
		},
	};
	const count = (of: readonly Member[]) => of.filter(({kind}) => kind === memberKinds.window).length;
	return {ring, unread: count(members) - count(windows)};
}

function lastOf(ring: Ring, newest: RingWindow, about: Document, {figures, names}: Layout): Looked {
	const {whole} = ring.recording!;
	const end = readBody(newest.body(), figures);
	const {counts} = end;
	for (const [count, most, called] of [[counts.counters, maxSamples, 'samples'], [counts.contention, maxContention, 'waits'], [counts.threads, maxThreads, 'threads']] as const) {
		if (count > most) {
			throw tooMany(most, called);
		}
	}

	const from = Math.max(...whole.keys());
	const moving = fromNothing(counts, ring, whole.get(from));
	for (const window of ring.windows.slice(from + 1)) {
		moving.move(readBody(window.body(), figures).changes, 1);
	}

	const figuresOfNothing = fromNames(namesOf(sessionFigures), () => 0);
	const session = {...figuresOfNothing, engine: text(about.engine), timer: text(about.timer)};
	return lookedAt(moving, {...empty(counts), target: targetOf(record(about.target)), session, dictionary: names.dictionary()}, end, ring);
}

/** Returns empty records, for columns that the file lacks. */
function empty({counters, contention, threads}: Counts): Pick<Snapshot, 'counters' | 'contention' | 'threads'> {
	return {
		counters: noneOf(counterColumns, counters), contention: noneOf(contentionColumns, contention), threads: {...noneOf(threadNumbers, threads), name: []},
	};
}

function noneOf<C extends Columns>(columns: C, count: number): RecordArrays<C> {
	return {count, ...makeArrays<C, keyof C & string>(columns, namesOf(columns), column => newArray(column, count).fill(units[column.unit].none))};
}

/** Returns the names of the file's figures and its columns. */
function layoutOf(about: Document): Omit<Layout, 'names'> {
	const columns = record(about.columns);
	return {
		figures: list(about.figures).map(name => text(name)),
		columns: (['counters', 'contention', 'threads'] as const satisfies readonly Region[]).flatMap(region => list(columns[region]).map((name): Changing => ({
			region, name: text(name), column: changing.find(known => known.region === region && known.name === name)?.column,
		}))),
	};
}

const regions = {counters: counterColumns, contention: contentionColumns, threads: threadNumbers} as const;

/** Returns the moment with printable texts after checking the bounds of each value. Throws RangeError. */
function checked({snapshot, vitals, said}: Looked, names: ReadNames): Looked {
	const {dictionary, threads, session} = snapshot;
	const sizes: Sizes = {strings: dictionary.strings.length, frames: dictionary.frameCount, nodes: dictionary.nodeCount, threads: threads.count};
	for (const [region, columns] of Object.entries(regions) as Array<[Region, Columns]>) {
		const {count, ...arrays} = snapshot[region];
		for (const [name, {unit, ...column}] of Object.entries(columns)) {
			const [min, max] = bounds[unit](sizes);
			const least = 'isSigned' in column ? -max : min;
			const values = (arrays as unknown as Readonly<Record<string, Float64Array>>)[name];
			for (let index = 0; index < count; index++) {
				if (!(values[index] >= least && values[index] <= max)) {
					throw new RangeError('a number is out of range');
				}
			}
		}
	}

	names.checkStacks(snapshot);
	const figures = Object.fromEntries(namesOf(sessionFigures).map(name => [name, valueOrNone(sessionFigures[name].unit, session[name], sizes)]));
	return {
		snapshot: {...snapshot, session: {...session, ...figures}, threads: {...threads, name: threads.name.map(name => printable(name))}}, vitals: checkedVitals(record(vitals)), said: checkedTexts(record(said)),
	};
}

function checkedVitals(vitals: Document): TargetVitals {
	return Object.fromEntries(Object.entries(vitals).filter(([name, value]) => name === 'isStopped' || (typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER)));
}

function checkedTexts(said: Document): Beside['said'] {
	return Object.fromEntries(Object.entries(said).filter(([, value]) => typeof value === 'string').map(([name, value]) => [name, printable(String(value))]));
}
