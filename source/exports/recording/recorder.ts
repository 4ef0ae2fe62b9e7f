import {lstatSync, readdirSync} from 'node:fs';
import {constants, open, rename, stat} from 'node:fs/promises';
import path from 'node:path';
import {printable, safe, type Printable} from '../../util/printable.js';
import {LookBack, windowOrBase} from '../../query/past/look-back.js';
import type {Ring} from '../../query/past/past-ring.js';
import {intervalEnd, indexAt} from '../../query/past/steps.js';
import {windowBody} from '../../query/past/window-body.js';
import {UserError} from '../../runtime/errors.js';
import {
	codeOf, createPartial, giveName, ignoringErrors, removeAll, syncFolder, throwIfTaken, WriteError, writeErrorOf,
} from '../files/write-files.js';
import {copyUpTo, FullError, mergedCopy, BlockFile, type Copy} from './block-file.js';
import {sessionJson} from './moment.js';

/** The first window after each whole minute is followed by an index. */
const indexEveryMs = 60_000;

/**
Writes the windows of a ring to a file of mode 0600 as they come. The file appears with its first window; if killed, it
loses at most the window being written. Windows that could not be written follow later if the ring still has them.
*/
export class Recorder {
	/** Throws UserError if the file exists or cannot be created. */
	static async create(file: string, maxBytes = Infinity): Promise<Recorder> {
		try {
			throwIfTaken(file);
			const {file: partial, handle} = await createPartial(path.dirname(file), temporaryExtension);
			await removeAll([partial]);
			await handle.close();
			await removeAbandoned(path.dirname(file));
			return new Recorder(file, maxBytes);
		} catch (error) {
			throw writeErrorOf(error, file);
		}
	}

	/** Undefined until there is a file. */
	#blocks: BlockFile | undefined;
	/** End of the window before the first one to write. */
	#beforeMs = -Infinity;
	/** End of the last window written. */
	#lastMs = -Infinity;
	#indexAtMs = 0;
	/** A merge, during which windows are still written to the file; resolves to the error, if any. */
	#merging: Promise<unknown> | undefined;
	/** The merged copy, which will replace the file. */
	#merged: {readonly file: string; readonly copy: Copy} | undefined;
	#problem: Printable | undefined;
	#loss: Printable | undefined;
	#wanted: Ring | undefined;
	#writing: Promise<void> | undefined;

	private constructor(readonly file: string, private readonly maxBytes: number) {}

	/** The file's relative path, printable. */
	get name(): Printable {
		return printable(path.relative('', this.file) || this.file);
	}

	/** Number of windows in the file; after `finish`, 0 if the file is gone or replaced. */
	get windows(): number {
		return this.#blocks?.windows ?? 0;
	}

	get bytes(): number {
		return this.#blocks?.size ?? 0;
	}

	/** Why nothing can be written at the moment, or else what is missing. */
	get problem(): Printable | undefined {
		return this.#problem ?? this.#loss;
	}

	/** Writes the ring's new windows; at the first call those from the index `from` on. Never throws. */
	async follow(ring: Ring, from = Math.max(0, ring.windows.length - 1)): Promise<void> {
		if (ring.windows.length === 0) {
			return;
		}

		if (!this.#wanted) {
			this.#beforeMs = windowOrBase(ring, from - 1)?.atMs ?? -Infinity;
		}

		this.#wanted = ring;
		this.#writing ??= this.#write();
		await this.#writing;
	}

	/** Writes the last index and closes the file. Never throws. */
	async finish(): Promise<void> {
		await this.#writing;
		// The file may have been removed since the last window.
		await this.#write();
		await this.#merging;
		await this.#takeMerged();
		const [ring, blocks] = [this.#wanted, this.#blocks];
		if (!ring || !blocks) {
			return;
		}

		try {
			const last = indexAt(ring, this.#lastMs);
			if (this.#problem === undefined && ring.windows[last]?.atMs === this.#lastMs) {
				await this.#index(ring, last, blocks);
			}
		} catch (error) {
			// Without room for the index opening takes longer, but nothing is missing.
			if (!(error instanceof FullError)) {
				this.#fail(error);
			}
		}

		try {
			await blocks.handle.sync();
			if (!await this.#isThere(blocks)) {
				throw new UserError(removed);
			}
		} catch (error) {
			this.#blocks = undefined;
			this.#fail(error);
		}

		await ignoringErrors(async () => blocks.handle.close());
		await syncFolder(path.dirname(this.file));
	}

	async #write(): Promise<void> {
		let ring: Ring | undefined;
		do {
			ring = this.#wanted;
			try {
				if (ring) {
					await this.#writeOrMerge(ring);
				}

				this.#problem = undefined;
			} catch (error) {
				this.#fail(error);
			}
		} while (ring !== this.#wanted);

		this.#writing = undefined;
	}

	/** Writes new windows. Merges older ones when little room is left, and waits for that when none is. */
	async #writeOrMerge(ring: Ring): Promise<void> {
		await this.#takeMerged();
		try {
			await this.#writeNew(ring);
		} catch (error) {
			if (!(error instanceof FullError) || !this.#blocks) {
				throw error;
			}

			const problem = await this.#merge(ring, this.#blocks);
			if (problem) {
				// Later there may be room on the disk, but not in the recording.
				this.#merging = problem instanceof FullError ? this.#merging : undefined;
				throw problem as Error;
			}

			await this.#takeMerged();
			await this.#writeNew(ring);
		}

		if (this.#blocks?.isNearlyFull) {
			void this.#merge(ring, this.#blocks);
		}
	}

	async #writeNew(ring: Ring): Promise<void> {
		if (this.#blocks && !await this.#isThere(this.#blocks)) {
			await this.#blocks.handle.close();
			this.#blocks = undefined;
			await this.#merging;
			await this.#takeMerged();
			this.#merging = undefined;
			this.#loss = safe`${removed}, and begins again`;
		}

		const blocks = this.#blocks ?? await this.#begin(ring);
		let at = this.#atOrBefore(ring, this.#lastMs);
		if ((windowOrBase(ring, at)?.atMs ?? -Infinity) !== this.#lastMs) {
			// The windows in between are no longer in the ring: go on with a whole moment.
			at++;
			blocks.skip();
			await this.#index(ring, at, blocks);
			this.#lastMs = ring.windows[at].atMs;
		}

		for (at++; at < ring.windows.length; at++) {
			const window = ring.windows[at];
			await blocks.window(window, ring.newest!.dictionary);
			this.#lastMs = window.atMs;
			if (intervalEnd(window.atMs, indexEveryMs) !== intervalEnd(this.#indexAtMs, indexEveryMs)) {
				await this.#index(ring, at, blocks);
			}
		}
	}

	/**
	Returns the index of the moment; if the ring no longer has it, sets `#loss` and returns that of the last before.
	*/
	#atOrBefore(ring: Ring, ms: number): number {
		const at = indexAt(ring, ms);
		if ((windowOrBase(ring, at)?.atMs ?? -Infinity) !== ms) {
			this.#loss ??= safe`a part is missing${this.#problem === undefined ? '' : safe`: ${this.#problem}`}`;
		}

		return at;
	}

	/**
	Makes the file with its first window, and an index of the moment before it unless that is the session's start.
	*/
	async #begin(ring: Ring): Promise<BlockFile> {
		const {file, handle} = await createPartial(path.dirname(this.file), temporaryExtension);
		try {
			const blocks = new BlockFile(handle, sessionJson(ring.newest!), this.maxBytes);
			await blocks.begin();
			const before = this.#atOrBefore(ring, this.#beforeMs);
			if (windowOrBase(ring, before)) {
				await this.#index(ring, before, blocks);
			}

			const window = ring.windows[before + 1];
			await blocks.window(window, ring.newest!.dictionary);
			await giveName(file, this.file);
			blocks.handle = await open(this.file, constants.O_RDWR | constants.O_NOFOLLOW);
			this.#blocks = blocks;
			this.#lastMs = window.atMs;
			this.#indexAtMs = 0;
			return blocks;
		} finally {
			await handle.close();
			await removeAll([file]);
		}
	}

	/** Writes an index of the moment at which a window ends. */
	async #index(ring: Ring, at: number, blocks: BlockFile): Promise<void> {
		const moment = new LookBack().at(ring, at)!;
		const window = windowOrBase(ring, at)!;
		await blocks.index(
			{...window, body: () => windowBody(undefined, moment.snapshot, moment)},
			moment.snapshot.dictionary,
		);
		this.#indexAtMs = window.atMs;
	}

	/** Whether the file still has its name. Throws if another program has replaced or truncated it. */
	async #isThere({handle, size}: BlockFile): Promise<boolean> {
		try {
			const [own, named] = [await handle.stat(), await stat(this.file)];
			if (own.ino !== named.ino || own.dev !== named.dev) {
				throw new UserError('another file has taken its name');
			}

			if (own.size < size) {
				throw new UserError('another program has truncated it');
			}

			return true;
		} catch (error) {
			if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) {
				return false;
			}

			throw error;
		}
	}

	/** Copies the recording to another file, with its older windows merged, unless that is under way or has failed. */
	async #merge({newest}: Ring, blocks: BlockFile): Promise<unknown> {
		const merge = async () => {
			try {
				const {file, handle} = await createPartial(path.dirname(this.file), temporaryExtension);
				try {
					this.#merged = {file, copy: await mergedCopy(blocks, handle, newest!.dictionary)};
				} catch (error) {
					await handle.close();
					await removeAll([file]);
					throw error;
				}
			} catch (error) {
				return error;
			}
		};

		this.#merging ??= merge();
		return this.#merging;
	}

	/** If a merge is done, adds what was written since, and puts the result in the recording's place. */
	async #takeMerged(): Promise<void> {
		if (!this.#merged) {
			return;
		}

		const {file, copy} = this.#merged;
		this.#merged = undefined;
		this.#merging = undefined;
		await ignoringErrors(async () => {
			if (copy.from === this.#blocks) {
				await copyUpTo(copy, copy.from.size, this.#wanted!.newest!.dictionary);
				await copy.to.handle.sync();
				if (await this.#isThere(copy.from)) {
					await rename(file, this.file);
					this.#blocks = copy.to;
				}
			}
		});
		await ignoringErrors(async () => (this.#blocks === copy.to ? copy.from : copy.to).handle.close());
		await removeAll([file]);
	}

	#fail(error: unknown): void {
		this.#problem = error instanceof UserError && !(error instanceof WriteError)
			? error.message
			: writeErrorOf(error, this.file).reason;
	}
}

const removed = 'the file was removed';

/** Extension of a recorder's temporary files, and how long after the last write to one its recorder must be dead. */
const temporaryExtension = '.recording';
const abandonedMs = 3_600_000;

/** Removes the temporary files that killed recorders have left in a folder. */
async function removeAbandoned(folder: string): Promise<void> {
	await ignoringErrors(async () => {
		const names = readdirSync(folder).filter(name =>
			name.startsWith('.tprof-') && name.endsWith(temporaryExtension));
		await removeAll(names.map(name => path.join(folder, name)).filter(file =>
			lstatSync(file).mtimeMs < Date.now() - abandonedMs));
	});
}
