import {
	closeSync, fstatSync, openSync, readSync,
} from 'node:fs';
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

/** A recording as it is looked at. Windows are read from the file when they are asked for. */
export type Recording = {
	readonly ring: Ring;
	/** What stood at its end. */
	readonly last: Looked;
	/** What of the file could not be read; printable. */
	readonly problem?: string;
	close(): void;
};

/** Opens a recording. Throws UserError. */
export function openRecording(file: string): Recording {
	const name = printable(file);
	const fd = openSync(file, 'r');
	try {
		return read(fd);
	} catch (error) {
		closeSync(fd);
		if (error instanceof UserError || (error as NodeJS.ErrnoException).syscall) {
			throw error;
		}

		throw error instanceof ExcessError
			? new UserError(`cannot open ${name}: it holds too much (${error.message})`, {hint: 'reading it would take too much time or memory'})
			: new UserError(`cannot open ${name}: not a recording that this version can read (${printable((error as Error).message.split('\n')[0])})`, {hint: 'tprof-top record writes them; docs/formats.md describes them'});
	}
}

/** A member, and where it lies. */
type Placed = MemberHead & {readonly at: number};

/** Bytes of damaged members that are looked through before a file is given up: each may claim to be long. */
const maxDamagedBytes = 256 * 1024 * 1024;

/** Read at a time; longer members are read by themselves. */
const bufferBytes = 4 * 1024 * 1024;

/** Finds the whole members of a file, and the bytes that belong to none. */
class Members {
	readonly found: Placed[] = [];
	damaged = 0;
	tornBytes = 0;
	readonly #fd: number;
	readonly #fileBytes: number;
	readonly #buffer: Buffer;
	#bufferAt = 0;
	#buffered = 0;

	constructor(fd: number) {
		this.#fd = fd;
		this.#fileBytes = fstatSync(fd).size;
		this.#buffer = Buffer.alloc(Math.max(headLength, Math.min(bufferBytes, this.#fileBytes)));
		let lookedThrough = 0;
		let isInDamaged = false;
		for (let at = firstLine.length; at < this.#fileBytes;) {
			const head = headOf(this.#bytes(at, headLength));
			const isGood = head !== undefined && at + head.size <= this.#fileBytes && isWhole(this.#bytes(at, head.size));
			if (isGood) {
				this.found.push({...head, at});
				at += head.size;
				isInDamaged = false;
				continue;
			}

			this.damaged += isInDamaged ? 0 : 1;
			isInDamaged = true;
			lookedThrough += head?.size ?? 0;
			const next = lookedThrough > maxDamagedBytes ? this.#fileBytes : this.#nextSignature(at + 1);
			// What is cut off at the end was being written when the recorder was killed.
			if (next === this.#fileBytes) {
				this.tornBytes = next - at;
				this.damaged--;
			}

			at = next;
		}
	}

	/** A whole member's content. Throws RangeError. */
	content({at, size}: Placed): Uint8Array {
		const member = Buffer.alloc(size);
		if (readSync(this.#fd, member, 0, size, at) < size || !headOf(member) || !isWhole(member)) {
			throw new RangeError('the file has changed while it is open');
		}

		return unpacked(member);
	}

	/** The bytes from there on, fewer at the file's end. Valid until the next call. */
	#bytes(at: number, length: number): Uint8Array {
		if (length > this.#buffer.length) {
			const large = Buffer.alloc(length);
			return large.subarray(0, readSync(this.#fd, large, 0, length, at));
		}

		if (at < this.#bufferAt || at + length > this.#bufferAt + this.#buffered) {
			this.#bufferAt = at;
			this.#buffered = readSync(this.#fd, this.#buffer, 0, this.#buffer.length, at);
		}

		return this.#buffer.subarray(at - this.#bufferAt, Math.min(this.#buffered, at - this.#bufferAt + length));
	}

	#nextSignature(from: number): number {
		for (let at = from; at < this.#fileBytes;) {
			const bytes = Buffer.from(this.#bytes(at, this.#buffer.length));
			const found = bytes.indexOf(signature);
			if (found !== -1) {
				return at + found;
			}

			// Nothing is left where the file has become shorter meanwhile.
			at = bytes.length < signature.length ? this.#fileBytes : at + bytes.length - signature.length + 1;
		}

		return this.#fileBytes;
	}
}

/** Windows that lead from one to the next, by their members, and the members that lead there from nothing, by the window. */
type Stretch = {readonly windows: Placed[]; readonly whole: Map<number, Placed | undefined>; base?: Placed};

function read(fd: number): Recording {
	const line = Buffer.alloc(firstLine.length);
	readSync(fd, line, 0, line.length, 0);
	if (line.toString('latin1') !== firstLine) {
		throw new RangeError(isRecording(line) ? 'its format is of another version' : 'it does not begin as one');
	}

	const members = new Members(fd);
	const [session, ...others] = members.found;
	if (session?.kind !== memberKinds.session || session.unpackedSize > maxJsonBytes) {
		throw new RangeError('its first member is damaged or missing');
	}

	const about = record(JSON.parse(Buffer.from(members.content(session)).toString()));
	const names = new ReadNames();
	const kept = stretchesOf(others, names, members);
	const file: File = {members, names, ...layoutOf(about), read: placed => () => partsOf(members.content(placed)).body};
	const ring = ringOf(kept, file);
	const [newest, damaged] = [ring.windows.at(-1) ?? ring.base, members.damaged];
	if (!newest) {
		throw new RangeError('no whole window is in it');
	}

	const last = lastOf(ring, newest, about, file);
	const problem = [
		damaged > 0 ? `${damaged === 1 ? 'a part' : `${damaged} parts`} of the file ${damaged === 1 ? 'is' : 'are'} damaged and left out` : '',
		members.tornBytes > 0 ? 'the file is cut off: the window that was being written is missing' : '',
	].filter(Boolean).join('; ');
	return {
		ring: {...ring, newest: last.snapshot}, last, ...(problem === '' ? {} : {problem}), close() {
			closeSync(fd);
		},
	};
}

/** The members in stretches; those that nothing leads to are left out. */
function stretchesOf(placed: readonly Placed[], names: ReadNames, members: Members): Stretch[] {
	const stretches: Stretch[] = [];
	/** Windows since the last index, which repeats their names. */
	let pending: Placed[] = [];
	const takePending = () => {
		const isTaken = pending.every(window => names.take(partsOf(members.content(window)).names));
		pending = [];
		return isTaken;
	};

	let next = -1;
	for (const member of placed) {
		let stretch = stretches.at(-1);
		if (member.number !== next) {
			stretch = {windows: [], whole: new Map(member.number === 0 && member.kind === memberKinds.window && stretches.length === 0 ? [[-1, undefined]] : [])};
			stretches.push(stretch);
			next = member.number;
		}

		if (member.kind === memberKinds.index) {
			const taken = () => names.take(partsOf(members.content(member)).names);
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

/** Counters from nothing stand at the end of the last window; at the file's start, and behind what is damaged, for themselves. */
function addIndex(stretch: Stretch, member: Placed, isFirst: boolean): void {
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

type File = {
	readonly members: Members;
	readonly names: ReadNames;
	readonly figures: readonly string[];
	readonly columns: readonly Changing[];
	read(placed: Placed): () => Uint8Array;
};

function ringOf(stretches: readonly Stretch[], {figures, columns, names, read}: File): Ring {
	const windows: RingWindow[] = [];
	const whole = new Map<number, (() => Uint8Array) | undefined>();
	const gaps: number[] = [];
	let base: RingWindow | undefined;
	const windowAt = (placed: Placed): RingWindow => ({
		...placed, body: read(placed), bytes: placed.size, isDeflated: true,
	});

	for (const [index, stretch] of stretches.entries()) {
		const first = windows.length;
		if (index > 0 || !stretch.whole.has(-1)) {
			gaps.push(first);
		}

		base ??= stretch.base && windowAt(stretch.base);
		windows.push(...stretch.windows.map(placed => windowAt(placed)));
		for (const [at, placed] of stretch.whole) {
			whole.set(first + at, placed && read(placed));
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

/** What stands at the end: led to from the nearest moment before it that is whole. */
function lastOf(ring: Ring, newest: RingWindow, about: Document, {figures, names}: File): Looked {
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

/** Records with nothing in them, for columns that the file does not have. */
function empty({counters, contention, threads}: Counts): Pick<Snapshot, 'counters' | 'contention' | 'threads'> {
	return {
		counters: noneOf(counterColumns, counters), contention: noneOf(contentionColumns, contention), threads: {...noneOf(threadNumbers, threads), name: []},
	};
}

function noneOf<C extends Columns>(columns: C, count: number): RecordArrays<C> {
	return {count, ...makeArrays<C, keyof C & string>(columns, namesOf(columns), column => newArray(column, count).fill(units[column.unit].none))};
}

/** Names of figures, and columns, as the file has them. */
function layoutOf(about: Document): Pick<File, 'figures' | 'columns'> {
	const columns = record(about.columns);
	return {
		figures: list(about.figures).map(name => text(name)),
		columns: (['counters', 'contention', 'threads'] as const satisfies readonly Region[]).flatMap(region => list(columns[region]).map((name): Changing => ({
			region, name: text(name), column: changing.find(known => known.region === region && known.name === name)?.column,
		}))),
	};
}

const regions = {counters: counterColumns, contention: contentionColumns, threads: threadNumbers} as const;

/** The moment, if all its values are within their bounds; texts printable. Throws RangeError. */
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
