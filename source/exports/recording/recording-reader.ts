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
	memberKinds,
	partsOf,
	signature,
	unpacked,
	type MemberHead,
} from './members.js';
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

/** A member whose CRC is right. */
type Member = MemberHead & RingWindow & {readonly member: Uint8Array};

/** Bound on the bytes of damaged members, which may claim any size. Each counts for `bytesOfDamaged` bytes more. */
const maxDamagedBytes = 128 * 1024 * 1024;
const bytesOfDamaged = 1024;

/** Bound on the bytes of members unpacked on opening. Each counts for `bytesOfUnpacked` bytes more. */
const maxUnpackedBytes = 1024 * 1024 * 1024;
const bytesOfUnpacked = 50_000;

/** Finds the intact members, and counts the damaged parts between them and the bytes after the last one. */
function membersIn(bytes: Buffer): {
	readonly found: readonly Member[];
	readonly damaged: number;
	readonly tornBytes: number;
} {
	const found: Member[] = [];
	let [damaged, lookedThrough, goodEnd] = [0, 0, firstLine.length];
	for (let at = firstLine.length; at < bytes.length;) {
		const head = headOf(bytes.subarray(at, at + headLength));
		const member = bytes.subarray(at, at + (head?.size ?? 0));
		if (head?.size === member.length && isWhole(member)) {
			// The bytes since the last intact member are damaged.
			damaged += at > goodEnd ? 1 : 0;
			// The header last: V8 is slow to add to what is spread.
			found.push({member, body: () => partsOf(unpacked(member)).body, bytes: member.length, ...head});
			at += head.size;
			goodEnd = at;
			// Each index may come with a session.
			if (found.length > 2 * maxWindows) {
				throw tooMany(maxWindows, 'windows');
			}

			continue;
		}

		lookedThrough += member.length + bytesOfDamaged;
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

	const {found, damaged, tornBytes} = membersIn(bytes);
	const session = found.find(({kind, unpackedSize}) => kind === memberKinds.session && unpackedSize <= maxJsonBytes);
	if (!session) {
		throw new RangeError('its session data is damaged or missing');
	}

	const about = readSession(Buffer.from(unpacked(session.member)).toString());
	const names = new ReadNames();
	const {ring, unread} = ringOf(found.filter(({kind}) => kind !== memberKinds.session), names);
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
Returns a ring of the members, and how many windows cannot be read: a run of windows between gaps needs an index, unless
it begins with the session.
*/
function ringOf(members: readonly Member[], names: ReadNames): {readonly ring: Ring; readonly unread: number} {
	const windows: Member[] = [];
	const whole = new Map<number, (() => Uint8Array) | undefined>();
	const gaps = new Set<number>();
	let base: RingWindow | undefined;
	/** Windows since the last intact index. Only they have the names that a damaged index would repeat. */
	let pending: Member[] = [];
	let unpackedBytes = 0;
	const take = (member: Member) => {
		unpackedBytes += member.unpackedSize + bytesOfUnpacked;
		if (unpackedBytes > maxUnpackedBytes) {
			throw new ExcessError('more than 1 GB to unpack');
		}

		return names.take(partsOf(unpacked(member.member)).names);
	};

	/** An index may be readable only after the windows since the last one. */
	const takeIndex = (member: Member) => take(member) || (pending.every(window => take(window)) && take(member));

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
			windows.push(member);
			pending.push(member);
			next++;
		} else if (member.kind === memberKinds.index && takeIndex(member)) {
			if (windows.length === 0 && gaps.size === 0) {
				base = member;
			} else if (windows.length === first) {
				// What came before it is missing.
				windows.push(member);
			}

			whole.set(windows.length - 1, member.body);
			isKnown = true;
			pending = [];
		}
	}

	endRun();
	const unnamed = pending.find(window => !take(window));
	if (unnamed) {
		cutBefore(windows, unnamed);
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
	const count = (of: readonly Member[]) => of.filter(({kind}) => kind === memberKinds.window).length;
	return {ring, unread: count(members) - count(windows)};
}

/** Removes a window and all after it. */
function cutBefore(windows: Member[], window: Member): void {
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
