import type {FileHandle} from 'node:fs/promises';
import type {Dictionary} from '../../model/snapshot.js';
import {together, type RingWindow} from '../../query/past/past-ring.js';
import {intervalEnd} from '../../query/past/steps.js';
import {UserError} from '../../runtime/errors.js';
import {ignoringErrors} from '../files/write-files.js';
import {
	contentOf,
	firstLine,
	headLength,
	headOf,
	maxWindows,
	blockKinds,
	nameCounts,
	noNames,
	packed,
	partsOf,
	unpacked,
	type BlockHead,
	type NameCounts,
} from './blocks.js';

/** There is no room for a block. */
export class FullError extends UserError {
	constructor() {
		super('the recording does not fit into --max-size');
	}
}

/** Writes blocks to a recording. Methods throw system errors or FullError, and never leave a partial block. */
export class BlockFile {
	size = 0;
	windows = 0;
	/** Windows so far, missing ones too. */
	#number = 0;
	/** Names that are in the file, and in its indexes. */
	#named: NameCounts = noNames;
	#indexed: NameCounts = noNames;
	readonly #session: Uint8Array;

	/** `session`: what `sessionJson` returns. */
	constructor(public handle: FileHandle, readonly session: string, public maxBytes: number) {
		this.#session = packed(
			blockKinds.session,
			0,
			{atMs: 0, cpuNs: 0, sampledMs: 0, blockedTicks: 0, samples: 0},
			Buffer.from(session),
		);
	}

	/** Whether the room that is left may not be enough for the windows that come while older ones are merged. */
	get isNearlyFull(): boolean {
		return this.maxBytes - this.size < nearlyFull * this.maxBytes;
	}

	/** Writes the first line and the session block. */
	async begin(): Promise<void> {
		await this.#append(Buffer.concat([Buffer.from(firstLine), this.#session]));
	}

	async window(window: RingWindow, dictionary: Dictionary): Promise<void> {
		const names = nameCounts(dictionary);
		await this
			.#append(packed(
				blockKinds.window,
				this.#number,
				window,
				contentOf(dictionary, this.#named, window.body()),
			));
		this.#named = names;
		this.#number++;
		this.windows++;
	}

	/**
	Writes the session again, as its first copy may be damaged, and an index: the moment at the newest window's end.
	*/
	async index(moment: RingWindow, dictionary: Dictionary): Promise<void> {
		const names = nameCounts(dictionary);
		await this.#append(this.#session);
		await this
			.#append(packed(
				blockKinds.index,
				this.#number,
				moment,
				contentOf(dictionary, this.#indexed, moment.body()),
			));
		this.#named = names;
		// The names of an index before the first window are in no window: the next index repeats them.
		this.#indexed = this.#number === 0 ? noNames : names;
	}

	/** Marks a gap: windows are missing here. */
	skip(): void {
		this.#number++;
	}

	/** Reads the windows and indexes between two offsets, and where they begin. */
	async * blocks(from: number, to: number): AsyncGenerator<BlockHead & RingWindow & {readonly at: number}> {
		for (let at = from; at < to;) {
			const head = headOf(await this.#read(at, headLength))!;
			if (head.kind !== blockKinds.session) {
				const {body} = partsOf(unpacked(await this.#read(at, head.size)));
				yield {...head, at, body: () => body, bytes: body.length};
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
const merges: ReadonlyArray<{readonly share: number; readonly spanMs: number}> = [
	{share: 0.5, spanMs: 10_000},
	{share: 0.5, spanMs: 60_000},
	{share: 0.5, spanMs: 600_000},
	{share: 0.5, spanMs: 3_600_000},
	{share: 1, spanMs: 3_600_000},
];

const unmerged = {share: 0, spanMs: 0};

/** Share of the size that a merge must leave free, so that the next one is not soon. */
const leastFree = 0.25;

/** Share of the size that must be free for what is written during a merge. */
const nearlyFull = 0.1;

/** Minimum number of windows between two indexes of the merged part. */
const leastBetween = 20;

/** A recording that is being copied. */
export type Copy = {
	readonly from: BlockFile;
	readonly to: BlockFile;
	/** How far it is copied, and the number of the next window there. */
	at: number;
	number: number;
};

/**
Copies a recording into an empty file, the older windows merged into fewer, longer ones; without what is written to it
meanwhile (`copyUpTo`). Throws system errors, and FullError if that makes no room.
*/
export async function mergedCopy(from: BlockFile, handle: FileHandle, dictionary: Dictionary): Promise<Copy> {
	const {size} = from;
	for (const merge of merges) {
		const to = new BlockFile(handle, from.session, (1 - leastFree) * from.maxBytes);
		const copy = {from, to, at: firstLine.length, number: 0};
		try {
			await to.begin();
			await copyUpTo(copy, size, dictionary, merge);
			await handle.truncate(to.size);
			// Before it replaces the other one, little is left to sync.
			await handle.sync();
			to.maxBytes = from.maxBytes;
			return copy;
		} catch (error) {
			if (!(error instanceof FullError)) {
				throw error;
			}
		}
	}

	throw new FullError();
}

/** Copies what was written to a recording up to an offset, by default as it is. Throws system errors and FullError. */
export async function copyUpTo(
	copy: Copy,
	size: number,
	dictionary: Dictionary,
	{share, spanMs} = unmerged,
): Promise<void> {
	const {from, to} = copy;
	let window: RingWindow | undefined;
	let sinceIndex = leastBetween;
	const write = async () => {
		if (window) {
			await to.window(window, dictionary);
			window = undefined;
			sinceIndex++;
		}
	};

	for await (const block of from.blocks(copy.at, size)) {
		const isOld = block.at < share * size;
		if (block.number > copy.number) {
			await write();
			to.skip();
			sinceIndex = leastBetween;
			copy.number = block.number;
		}

		if (block.kind === blockKinds.window) {
			copy.number++;
			if (window && isOld && intervalEnd(window.atMs, spanMs) === intervalEnd(block.atMs, spanMs)) {
				window = together(window, block);
			} else {
				await write();
				window = block;
			}
		} else if (!isOld || sinceIndex >= leastBetween) {
			await write();
			await to.index(block, dictionary);
			sinceIndex = 0;
		}
	}

	await write();
	copy.at = size;
}
