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
	firstLine, headLength, headOf, isRecording, isWhole, memberKinds, partsOf, signature, unpacked, type MemberHead,
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

/** Bounds the time spent on CRCs of damaged members, each of which may claim any size. */
const maxDamagedBytes = 256 * 1024 * 1024;

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
			continue;
		}

		lookedThrough += member.length;
		const next = lookedThrough > maxDamagedBytes ? -1 : bytes.indexOf(signature, at + 1);
		at = next === -1 ? bytes.length : next;
	}

	return {found, damaged, tornBytes: bytes.length - goodEnd};
}

/** Consecutive windows, and the indexes at their ends, by position in `windows`; -1: at their start, undefined for zeros. */
type Stretch = {readonly windows: Member[]; readonly whole: Map<number, Member | undefined>; base?: Member};

function read(bytes: Buffer): Recording {
	if (bytes.toString('latin1', 0, firstLine.length) !== firstLine) {
		throw new RangeError(isRecording(bytes) ? 'its format is of another version' : 'it does not begin as one');
	}

	const {found: [session, ...others], damaged, tornBytes} = membersIn(bytes);
	if (session?.kind !== memberKinds.session || session.unpackedSize > maxJsonBytes) {
		throw new RangeError('its first member is damaged or missing');
	}

	const about = record(JSON.parse(Buffer.from(unpacked(session.member)).toString()));
	const names = new ReadNames();
	const stretches = stretchesOf(others, names);
	const layout = {names, ...layoutOf(about)};
	const ring = ringOf(stretches, layout);
	const newest = ring.windows.at(-1) ?? ring.base;
	if (!newest) {
		throw new RangeError('no whole window is in it');
	}

	const last = lastOf(ring, newest, about, layout);
	const problem = [
		damaged > 0 ? `${damaged === 1 ? 'a part' : `${damaged} parts`} of the file ${damaged === 1 ? 'is' : 'are'} damaged and left out` : '',
		tornBytes > 0 ? 'the file is cut off: the window that was being written is missing' : '',
	].filter(Boolean).join('; ');
	return {ring: {...ring, newest: last.snapshot}, last, ...(problem === '' ? {} : {problem})};
}

/** Groups the members into stretches without a gap; drops those without an index or start to count from. */
function stretchesOf(members: readonly Member[], names: ReadNames): Stretch[] {
	const stretches: Stretch[] = [];
	/** Windows since the last index, which repeats their names. */
	let pending: Member[] = [];
	const takePending = () => {
		const isTaken = pending.every(window => names.take(namesIn(window)));
		pending = [];
		return isTaken;
	};

	let next = -1;
	for (const member of members) {
		let stretch = stretches.at(-1);
		if (member.number !== next) {
			stretch = {windows: [], whole: new Map(member.number === 0 && member.kind === memberKinds.window && stretches.length === 0 ? [[-1, undefined]] : [])};
			stretches.push(stretch);
			next = member.number;
		}

		if (member.kind === memberKinds.index) {
			const taken = () => names.take(namesIn(member));
			if (taken() || (takePending() && taken())) {
				addIndex(stretch!, member, stretches.length === 1);
				pending = [];
			}
		} else if (member.kind === memberKinds.window) {
			stretch!.windows.push(member);
			pending.push(member);
			next++;
		}
	}

	const last = stretches.at(-1);
	if (!takePending() && last) {
		// Without their names, windows behind the last index say nothing.
		last.windows.length = Math.max(0, ...[...last.whole.keys()].map(index => index + 1));
	}

	return stretches.filter(({whole}) => whole.size > 0);
}

/** Adds an index: to the last window or, after damage, as a window of its own; at the file's start as its base. */
function addIndex(stretch: Stretch, member: Member, isFirst: boolean): void {
	const {windows, whole} = stretch;
	if (windows.length === 0 && isFirst && member.number === 0) {
		stretch.base = member;
		whole.set(-1, member);
		return;
	}

	if (windows.length === 0) {
		windows.push(member);
	}

	whole.set(windows.length - 1, member);
}

function namesIn({member}: Member): Uint8Array {
	return partsOf(unpacked(member)).names;
}

function bodyOf({member}: Member): () => Uint8Array {
	return () => partsOf(unpacked(member)).body;
}

/** What reading bodies takes. */
type Layout = {readonly names: ReadNames; readonly figures: readonly string[]; readonly columns: readonly Changing[]};

function ringOf(stretches: readonly Stretch[], {figures, columns, names}: Layout): Ring {
	const windows: RingWindow[] = [];
	const whole = new Map<number, (() => Uint8Array) | undefined>();
	const gaps: number[] = [];
	let base: RingWindow | undefined;
	const windowAt = (placed: Member): RingWindow => ({
		...placed, body: bodyOf(placed), bytes: placed.size, isDeflated: true,
	});

	for (const [index, stretch] of stretches.entries()) {
		const first = windows.length;
		if (index > 0 || !stretch.whole.has(-1)) {
			gaps.push(first);
		}

		base ??= stretch.base && windowAt(stretch.base);
		windows.push(...stretch.windows.map(placed => windowAt(placed)));
		for (const [at, placed] of stretch.whole) {
			whole.set(first + at, placed && bodyOf(placed));
		}
	}

	const isOrdered = windows.every(({atMs, sampledMs}, index) => Number.isFinite(atMs) && Number.isFinite(sampledMs) && atMs >= (windows[index - 1] ?? base ?? {atMs: 0}).atMs && atMs <= 8.64e15);
	if (!isOrdered) {
		throw new RangeError('its windows are in disorder');
	}

	return {
		...emptyRing, base, windows, recording: {
			figures, columns, whole, gaps, check: looked => checked(looked, names),
		},
	};
}

/** Returns the moment at the end, counted from the nearest index before it. */
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

/** Empty records: what the file lacks columns for stays so. */
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
