import {maxDateMs} from '../../model/saved-values.js';
import {joined, printable, safe, type Printable} from '../../util/printable.js';
import {momentAt} from '../../query/past/look-back.js';
import {emptyRing, type Ring, type RingWindow} from '../../query/past/past-ring.js';
import {maxJsonBytes, readBody, type PastMoment} from '../../query/past/window-body.js';
import {UserError} from '../../runtime/errors.js';
import {ExcessError, tooMany} from '../common/limits.js';
import {
	firstLine,
	headLength,
	headOf,
	isRecording,
	isWhole,
	maxWindows,
	blockKinds,
	partsOf,
	signature,
	unpacked,
	type BlockHead,
} from './blocks.js';
import {checkCounts, checked, readSession} from './moment.js';
import {ReadNames} from './recorded-names.js';

/** An opened recording, whose windows are unpacked on demand. */
export type Recording = {
	readonly ring: Ring;
	/** The moment at its end. */
	readonly last: PastMoment;
	/** Which parts of the file are unreadable; printable. */
	readonly problem?: Printable;
};

/** Opens a recording. Throws UserError. */
export function openRecording(bytes: Buffer, name = 'the file'): Recording {
	try {
		return read(bytes);
	} catch (error) {
		throw error instanceof ExcessError
			? new UserError(`cannot open ${name}: it holds too much (${error.message})`, {
				hint: 'reading it would take too much time or memory',
			})
			: new UserError(
				`cannot open ${name}: not a recording that this version can read (${printable((error as Error).message.split('\n')[0])})`,
				{hint: 'tprof-top record writes them; docs/formats.md describes them'},
			);
	}
}

/** A block whose CRC is right. */
type Block = BlockHead & RingWindow & {readonly block: Uint8Array};

/** Bound on the bytes of damaged blocks, which may claim any size. Each counts for `bytesOfDamaged` bytes more. */
const maxDamagedBytes = 128 * 1024 * 1024;
const bytesOfDamaged = 1024;

/** Bound on the bytes of blocks unpacked on opening. Each counts for `bytesOfUnpacked` bytes more. */
const maxUnpackedBytes = 1024 * 1024 * 1024;
const bytesOfUnpacked = 50_000;

/** Finds the intact blocks, and counts the damaged parts between them and the bytes after the last one. */
function blocksIn(bytes: Buffer): {
	readonly found: readonly Block[];
	readonly damaged: number;
	readonly tornBytes: number;
} {
	const found: Block[] = [];
	let [damaged, lookedThrough, goodEnd] = [0, 0, firstLine.length];
	for (let at = firstLine.length; at < bytes.length;) {
		const head = headOf(bytes.subarray(at, at + headLength));
		const block = bytes.subarray(at, at + (head?.size ?? 0));
		if (head?.size === block.length && isWhole(block)) {
			// The bytes since the last intact block are damaged.
			damaged += at > goodEnd ? 1 : 0;
			// The header last: V8 is slow to add to what is spread.
			found.push({block, body: () => partsOf(unpacked(block)).body, bytes: block.length, ...head});
			at += head.size;
			goodEnd = at;
			// Each index may come with a session.
			if (found.length > 2 * maxWindows) {
				throw tooMany(maxWindows, 'windows');
			}

			continue;
		}

		lookedThrough += block.length + bytesOfDamaged;
		const next = lookedThrough > maxDamagedBytes ? -1 : bytes.indexOf(signature, at + 1);
		at = next === -1 ? bytes.length : next;
	}

	return {found, damaged, tornBytes: bytes.length - goodEnd};
}

/** Numbers of what is missing. */
type Missing = {
	readonly damaged: number;
	readonly gaps: number;
	readonly unread: number;
	readonly tornBytes: number;
};

/** Returns what is missing in words; empty if nothing is. */
function problemText({damaged, gaps, unread, tornBytes}: Missing): Printable {
	return joined([
		damaged > 0
			? safe`${damaged === 1 ? safe`a part` : safe`${damaged} parts`} of the file ${
				damaged === 1 ? 'is' : 'are'
			} damaged and left out`
			: safe``,
		gaps > 0 && damaged === 0
			? safe`windows are missing in ${gaps === 1 ? safe`one place` : safe`${gaps} places`}: they were not written`
			: safe``,
		unread > 0
			? safe`${unread === 1 ? safe`1 window` : safe`${unread} windows`} cannot be read: no index follows ${
				unread === 1 ? 'it' : 'them'
			}`
			: safe``,
		tornBytes > 0 ? safe`the file is cut off: the window that was being written is missing` : safe``,
	].filter(Boolean), safe`; `);
}

function read(bytes: Buffer): Recording {
	if (bytes.toString('latin1', 0, firstLine.length) !== firstLine) {
		throw new RangeError(isRecording(bytes) ? 'its format is of another version' : 'it does not begin like one');
	}

	const {found, damaged, tornBytes} = blocksIn(bytes);
	const session = found.find(({kind, unpackedSize}) => kind === blockKinds.session && unpackedSize <= maxJsonBytes);
	if (!session) {
		throw new RangeError('its session data is damaged or missing');
	}

	const about = readSession(Buffer.from(unpacked(session.block)).toString());
	const names = new ReadNames();
	const {ring, unread} = ringOf(found.filter(({kind}) => kind !== blockKinds.session), names);
	const newest = ring.windows.at(-1);
	if (!newest) {
		throw new RangeError('it has no complete window');
	}

	const {counts} = readBody(newest.body());
	checkCounts(counts);
	const last = momentAt(ring, ring.windows.length - 1, {...about, dictionary: names.dictionary()}, counts);
	const problem = problemText({damaged, gaps: ring.recording!.gaps.length, unread, tornBytes});
	return {ring: {...ring, newest: last.snapshot}, last, ...(problem === '' ? {} : {problem})};
}

/**
Returns a ring of the blocks, and how many windows cannot be read: a run of windows between gaps needs an index, unless
it begins with the session.
*/
function ringOf(blocks: readonly Block[], names: ReadNames): {readonly ring: Ring; readonly unread: number} {
	const windows: Block[] = [];
	const whole = new Map<number, (() => Uint8Array) | undefined>();
	const gaps = new Set<number>();
	let base: RingWindow | undefined;
	/** Windows since the last intact index. Only they have the names that a damaged index would repeat. */
	let pending: Block[] = [];
	let unpackedBytes = 0;
	const take = (block: Block) => {
		unpackedBytes += block.unpackedSize + bytesOfUnpacked;
		if (unpackedBytes > maxUnpackedBytes) {
			throw new ExcessError('more than 1 GB to unpack');
		}

		return names.take(partsOf(unpacked(block.block)).names);
	};

	/** An index may be readable only after the windows since the last one. */
	const takeIndex = (block: Block) => take(block) || (pending.every(window => take(window)) && take(block));

	// The first window of a session needs no names before its own.
	if (blocks[0]?.kind === blockKinds.window && blocks[0].number === 0 && take(blocks[0])) {
		whole.set(-1, undefined);
	}

	let [first, next, isKnown] = [0, 0, whole.has(-1)];
	const endRun = () => {
		windows.length = isKnown ? windows.length : first;
	};

	for (const block of blocks) {
		if (block.number !== next) {
			endRun();
			[first, next, isKnown] = [windows.length, block.number, false];
			gaps.add(first);
		}

		if (block.kind === blockKinds.window) {
			windows.push(block);
			pending.push(block);
			next++;
		} else if (block.kind === blockKinds.index && takeIndex(block)) {
			if (windows.length === 0 && gaps.size === 0) {
				base = block;
			} else if (windows.length === first) {
				// What came before it is missing.
				windows.push(block);
			}

			whole.set(windows.length - 1, block.body);
			isKnown = true;
			pending = [];
		}
	}

	endRun();
	const unnamed = pending.find(window => !take(window));
	if (unnamed) {
		dropFrom(windows, unnamed);
	}

	if (!whole.has(-1)) {
		gaps.add(0);
	}

	checkOrder(windows, base);
	const ring: Ring = {
		...emptyRing, base, windows, recording: {
			whole, gaps: [...gaps].filter(gap => gap < windows.length), check: moment => checked(moment, names),
		},
	};
	const count = (of: readonly Block[]) => of.filter(({kind}) => kind === blockKinds.window).length;
	return {ring, unread: count(blocks) - count(windows)};
}

/** Removes a window and all after it. */
function dropFrom(windows: Block[], window: Block): void {
	const at = windows.indexOf(window);
	windows.splice(at === -1 ? windows.length : at);
}

/** Throws RangeError if a window is before the one before it, or at no time. */
function checkOrder(windows: readonly RingWindow[], base: RingWindow | undefined): void {
	const isOrdered = windows.every(({atMs, sampledMs}, index) =>
		Number.isFinite(atMs) && Number.isFinite(sampledMs) && atMs >= (windows[index - 1] ?? base ?? {atMs: 0}).atMs
		&& atMs <= maxDateMs);
	if (!isOrdered) {
		throw new RangeError('its windows are in disorder');
	}
}
