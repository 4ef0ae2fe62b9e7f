import type {FileHandle} from 'node:fs/promises';
import path from 'node:path';
import {UserError} from '../../runtime/errors.js';
import {piecesOf, type Written} from '../common/export-format.js';
import {createPartial, giveName, ignoringErrors, removeAll, syncFolder, throwIfTaken, writeErrorOf} from './write-files.js';

/**
A file of reports that grows under a temporary name and gets its own at the end, never replacing another file. If we are
killed, the temporary file has the reports so far. Methods throw UserError.
*/
export class GrowingFile {
	/** Creates the temporary file; throws if the final name is taken or impossible, which `finish` checks again. */
	static async create(name: string): Promise<GrowingFile> {
		try {
			throwIfTaken(name);
			const {file, handle} = await createPartial(path.dirname(name));
			return new GrowingFile(name, file, handle);
		} catch (error) {
			throw writeErrorOf(error, name);
		}
	}

	readonly #name: string;
	readonly #partial: string;
	readonly #handle: FileHandle;
	/** Length of the complete reports. */
	#wholeBytes = 0;
	#isClosed = false;

	private constructor(name: string, partial: string, handle: FileHandle) {
		this.#name = name;
		this.#partial = partial;
		this.#handle = handle;
	}

	/** Appends a report. If that fails, no more can be added; earlier reports stay under the temporary name. */
	async append(report: Written): Promise<void> {
		let bytes = 0;
		try {
			for (const piece of piecesOf(report)) {
				await this.#handle.appendFile(piece);
				bytes += Buffer.byteLength(piece);
			}

			this.#wholeBytes += bytes;
		} catch (error) {
			this.#isClosed = true;
			await ignoringErrors(async () => this.#handle.truncate(this.#wholeBytes));
			await ignoringErrors(async () => this.#handle.close());
			throw await this.#failure(error);
		}
	}

	/** Syncs the file and gives it its name; removes it if it has no report. */
	async finish(): Promise<void> {
		if (this.#isClosed) {
			return;
		}

		this.#isClosed = true;
		try {
			await this.#handle.sync();
			await this.#handle.close();
			if (this.#wholeBytes > 0) {
				await giveName(this.#partial, this.#name);
			}
		} catch (error) {
			throw await this.#failure(error);
		}

		await removeAll([this.#partial]);
		await syncFolder(path.dirname(this.#name));
	}

	async #failure(error: unknown): Promise<UserError> {
		const {message, hint} = writeErrorOf(error, this.#name);
		if (this.#wholeBytes === 0) {
			await removeAll([this.#partial]);
			return new UserError(message, {hint});
		}

		return new UserError(message, {hint: `the reports before that are in ${this.#partial}; ${hint}`});
	}
}
