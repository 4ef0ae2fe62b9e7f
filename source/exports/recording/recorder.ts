import {
	constants, open, rename, stat, type FileHandle,
} from 'node:fs/promises';
import path from 'node:path';
import {printable} from '../../model/text.js';
import {LookBack} from '../../query/past/look-back.js';
import type {Ring, RingWindow} from '../../query/past/ring.js';
import {cellOf} from '../../query/past/steps.js';
import {readBody, windowBody, type Looked} from '../../query/past/window-body.js';
import {UserError} from '../../runtime/errors.js';
import {
	codeOf, createPartial, removeAll, syncFolder, WriteError, writeErrorOf,
} from '../files/files.js';
import {compact, MemberFile} from './member-file.js';

/** The first window after each whole minute is followed by an index. */
const indexMs = 60_000;

type RecorderOptions = {
	readonly version: string;
	/** Undefined: no limit. */
	readonly maxBytes?: number;
};

/**
Writes the windows of a ring to a file of mode 0600 as they come. If killed, it loses at most the window being written.
Later errors are in `problem`; windows that could not be written follow later if the ring still has them.
*/
export class Recorder {
	/** Creates the file, which must not exist. Throws UserError. */
	static async create(file: string, options: RecorderOptions): Promise<Recorder> {
		try {
			return new Recorder(file, await created(file), options);
		} catch (error) {
			throw writeErrorOf(error, file);
		}
	}

	/** Why nothing can be written at the moment. */
	problem: string | undefined;
	/** Number of windows in the file. */
	windows = 0;
	readonly #options: RecorderOptions;
	readonly #lookBack = new LookBack();
	#members: MemberFile;
	#isBegun = false;
	/** The last window of the ring that is in the file. */
	#last: RingWindow | undefined;
	#indexMs = 0;
	#wanted: Ring | undefined;
	#writing: Promise<void> | undefined;

	private constructor(readonly file: string, handle: FileHandle, options: RecorderOptions) {
		this.#members = new MemberFile(handle);
		this.#options = options;
	}

	get bytes(): number {
		return this.#members.size;
	}

	/** Writes the ring's new windows; at the first call those from the index `from` on. Never throws. */
	async follow(ring: Ring, from = Math.max(0, ring.windows.length - 1)): Promise<void> {
		if (!this.#isBegun && ring.windows.length > 0) {
			this.#last ??= ring.windows[from - 1] ?? ring.base;
		}

		this.#wanted = ring;
		this.#writing ??= this.#write();
		await this.#writing;
	}

	/** Writes the last index and closes the file; removes it if it has no window. Never throws. */
	async finish(): Promise<void> {
		await this.#writing;
		const {handle} = this.#members;
		try {
			const ring = this.#wanted;
			if (ring && this.#last && this.#isBegun) {
				await this.#index(ring, this.#last);
			}

			await handle.truncate(this.#members.size);
			await handle.sync();
			if (this.windows === 0 && await this.#isThere()) {
				await removeAll([this.file]);
			}
		} catch (error) {
			this.#fail(error);
		}

		await handle.close();
		await syncFolder(path.dirname(this.file));
	}

	async #write(): Promise<void> {
		for (let ring: Ring | undefined; ring !== this.#wanted;) {
			ring = this.#wanted!;
			try {
				await this.#writeNew(ring);
				this.problem = undefined;
			} catch (error) {
				this.#fail(error);
			}
		}

		this.#writing = undefined;
	}

	async #writeNew(ring: Ring): Promise<void> {
		if (!await this.#isThere()) {
			await this.#beginAgain();
		}

		const {windows, newest} = ring;
		if (!newest || windows.length === 0) {
			return;
		}

		let at = this.#last === undefined || this.#last === ring.base ? -1 : windows.lastIndexOf(this.#last);
		const isLost = at === -1 && this.#last !== undefined && this.#last !== ring.base;
		if (!this.#isBegun) {
			this.#members = new MemberFile(this.#members.handle);
			await this.#members.begin(newest, this.#options.version);
			if (this.#last && !isLost) {
				await this.#index(ring, this.#last);
			}

			this.#isBegun = true;
		}

		if (isLost) {
			// The ring no longer has the windows in between.
			at = windows.length - 1;
			this.#members.skip();
			await this.#index(ring, windows[at]);
			this.#last = windows[at];
			this.windows++;
		}

		for (const window of windows.slice(at + 1)) {
			await this.#members.window(window, window.body(), newest.dictionary);
			this.#last = window;
			this.windows++;
			if (cellOf(window.atMs, indexMs) !== cellOf(this.#indexMs, indexMs)) {
				await this.#index(ring, window);
			}
		}

		const {maxBytes = Infinity} = this.#options;
		if (this.#members.size > maxBytes) {
			await this.#compact(ring, maxBytes);
		}
	}

	/** Writes an index of the moment at which a window ends. */
	async #index(ring: Ring, window: RingWindow): Promise<void> {
		const {windows, base, newest} = ring;
		const at = window === base ? -1 : windows.lastIndexOf(window);
		let looked: Looked;
		if (at === windows.length - 1 && newest) {
			const {vitals, said} = readBody(window.body());
			looked = {snapshot: newest, vitals, said};
		} else {
			looked = this.#lookBack.at(ring, at)!;
		}

		await this.#members.index(window, windowBody(undefined, looked.snapshot, looked), looked.snapshot.dictionary);
		this.#indexMs = window.atMs;
	}

	/** Whether the file still has its name. Throws if another file has it. */
	async #isThere(): Promise<boolean> {
		try {
			const [own, {ino, dev}] = [await this.#members.handle.stat(), await stat(this.file)];
			if (own.ino !== ino || own.dev !== dev) {
				throw new UserError('another file has taken its name');
			}

			return true;
		} catch (error) {
			if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) {
				return false;
			}

			throw error;
		}
	}

	/** Starts a new file after the old one was removed. */
	async #beginAgain(): Promise<void> {
		const handle = await created(this.file);
		await this.#members.handle.close();
		this.#members = new MemberFile(handle);
		this.#isBegun = false;
	}

	/** Merges the windows of the older half in a new file, which replaces the old one. */
	async #compact(ring: Ring, maxBytes: number): Promise<void> {
		const {file, handle} = await createPartial(path.dirname(this.file));
		try {
			const members = new MemberFile(handle);
			await compact(this.#members, members, ring.newest!, this.#options.version);
			if (members.size > maxBytes) {
				throw new UserError('what there is takes more than --max-size');
			}

			await this.#isThere();
			await rename(file, this.file);
			await this.#members.handle.close();
			this.#members = members;
		} catch (error) {
			await handle.close();
			await removeAll([file]);
			throw error;
		}
	}

	#fail(error: unknown): void {
		this.problem = error instanceof UserError && !(error instanceof WriteError) ? error.message : writeErrorOf(error, this.file).reason;
	}
}

async function created(file: string): Promise<FileHandle> {
	return open(file, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
}

/** Returns a recording's name for messages. */
export function nameOf({file}: Pick<Recorder, 'file'>): string {
	return printable(path.relative('', file) || file);
}
