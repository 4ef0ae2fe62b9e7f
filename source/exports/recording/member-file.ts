import type {FileHandle} from 'node:fs/promises';
import type {Dictionary, Snapshot} from '../../model/snapshot.js';
import {type WindowFigures, together, type RingWindow} from '../../query/past/ring.js';
import {cellOf} from '../../query/past/steps.js';
import {UserError} from '../../runtime/errors.js';
import {ignoringErrors} from '../files/files.js';
import {
	contentOf, firstLine, headLength, headOf, maxWindows, memberKinds, nameCounts, noNames, packed, partsOf, unpacked, type MemberHead, type NameCounts,
} from './members.js';
import {sessionJson} from './moment.js';

/** There is no room for a member. */
export class FullError extends UserError {
	constructor() {
		super('the recording does not fit into --max-size');
	}
}

/** Returns the session member of a recording. */
export function sessionMember(snapshot: Snapshot): Uint8Array {
	const none: WindowFigures = {atMs: 0, cpuNs: 0, sampledMs: 0, blockedTicks: 0, samples: 0};
	return packed(memberKinds.session, 0, none, Buffer.from(sessionJson(snapshot)));
}

/** Writes members to a recording. Methods throw system errors or FullError, and never leave a partial member. */
export class MemberFile {
	size = 0;
	windows = 0;
	/** Windows so far, missing ones too. */
	#number = 0;
	/** Names that are in the file, and in its indexes. */
	#named: NameCounts = noNames;
	#indexed: NameCounts = noNames;

	constructor(public handle: FileHandle, readonly session: Uint8Array, public maxBytes: number) {}

	/** Writes the first line and the session member. */
	async begin(): Promise<void> {
		await this.#append(Buffer.concat([Buffer.from(firstLine), this.session]));
	}

	async window(figures: WindowFigures, body: Uint8Array, dictionary: Dictionary): Promise<void> {
		const names = nameCounts(dictionary);
		await this.#append(packed(memberKinds.window, this.#number, figures, contentOf(dictionary, this.#named, names, body)));
		this.#named = names;
		this.#number++;
		this.windows++;
	}

	/** Writes the session again, as its first copy may be damaged, and an index: the moment at the newest window's end. */
	async index(figures: WindowFigures, body: Uint8Array, dictionary: Dictionary): Promise<void> {
		const names = nameCounts(dictionary);
		await this.#append(this.session);
		await this.#append(packed(memberKinds.index, this.#number, figures, contentOf(dictionary, this.#indexed, names, body)));
		this.#named = names;
		// The names of an index before the first window are in no window: the next index repeats them.
		this.#indexed = this.#number === 0 ? noNames : names;
	}

	/** Marks a gap: windows are missing here. */
	skip(): void {
		this.#number++;
	}

	/** Reads the windows and indexes, and where they begin. */
	async * members(): AsyncGenerator<MemberHead & {readonly at: number; readonly body: Uint8Array}> {
		for (let at = firstLine.length; at < this.size;) {
			const head = headOf(await this.#read(at, headLength))!;
			if (head.kind !== memberKinds.session) {
				yield {...head, at, body: partsOf(unpacked(await this.#read(at, head.size))).body};
			}

			at += head.size;
		}
	}

	async #read(at: number, length: number): Promise<Uint8Array> {
		const bytes = Buffer.alloc(length);
		await this.handle.read(bytes, 0, length, at);
		return bytes;
	}

	async #append(bytes: Uint8Array): Promise<void> {
		if (this.size + bytes.length > this.maxBytes || this.#number >= maxWindows) {
			throw new FullError();
		}

		try {
			for (let done = 0; done < bytes.length;) {
				const {bytesWritten} = await this.handle.write(bytes, done, bytes.length - done, this.size + done);
				done += bytesWritten;
			}
		} catch (error) {
			await ignoringErrors(async () => this.handle.truncate(this.size));
			throw error;
		}

		this.size += bytes.length;
	}
}

/** Ways to merge, tried in turn: the share of the file that is merged, and the length of the merged windows. */
const merges: ReadonlyArray<{readonly share: number; readonly cellMs: number}> = [
	{share: 0.5, cellMs: 10_000}, {share: 0.5, cellMs: 60_000}, {share: 0.5, cellMs: 600_000}, {share: 0.5, cellMs: 3_600_000}, {share: 1, cellMs: 3_600_000},
];

/** Share of the size that a merge must leave free, so that the next one is not soon. */
const leastFree = 0.25;

/** Minimum number of windows between two indexes of the merged part. */
const leastBetween = 20;

/**
Copies a recording into an empty file, the older windows merged into fewer, longer ones. Throws system errors, and
FullError if that makes no room.
*/
export async function merged(from: MemberFile, handle: FileHandle, dictionary: Dictionary): Promise<MemberFile> {
	for (const merge of merges) {
		const to = new MemberFile(handle, from.session, (1 - leastFree) * from.maxBytes);
		try {
			await copyMerged(from, to, dictionary, merge);
			await handle.truncate(to.size);
			to.maxBytes = from.maxBytes;
			return to;
		} catch (error) {
			if (!(error instanceof FullError)) {
				throw error;
			}
		}
	}

	throw new FullError();
}

async function copyMerged(from: MemberFile, to: MemberFile, dictionary: Dictionary, {share, cellMs}: typeof merges[number]): Promise<void> {
	let window: RingWindow | undefined;
	let [sinceIndex, number] = [leastBetween, 0];
	const write = async () => {
		if (window) {
			await to.window(window, window.body(), dictionary);
			window = undefined;
			sinceIndex++;
		}
	};

	await to.begin();
	for await (const member of from.members()) {
		const isOld = member.at < share * from.size;
		if (member.number > number) {
			await write();
			to.skip();
			sinceIndex = leastBetween;
			number = member.number;
		}

		if (member.kind === memberKinds.index) {
			if (!isOld || sinceIndex >= leastBetween) {
				await write();
				await to.index(member, member.body, dictionary);
				sinceIndex = 0;
			}

			continue;
		}

		number++;
		const next: RingWindow = {...member, body: () => member.body, bytes: member.body.length};
		if (window && isOld && cellOf(window.atMs, cellMs) === cellOf(next.atMs, cellMs)) {
			window = together(window, next);
		} else {
			await write();
			window = next;
		}
	}

	await write();
}
