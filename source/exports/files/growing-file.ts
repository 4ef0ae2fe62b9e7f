import {type FileHandle, lstat} from 'node:fs/promises';
import path from 'node:path';
import {UserError} from '../../runtime/errors.js';
import {piecesOf, type Written} from '../common/export-format.js';
import {createPartial, giveName, removeAll, settled, syncFolder, codeOf, writeErrorOf} from './files.js';

/**
A file that grows under a temporary name and gets its own at the end, never in place of another. If we are killed, the
temporary file has the reports so far. Methods throw UserError.
*/
export class GrowingFile {
	/** Makes the temporary file; what would keep it from its name at the end is refused now, if it can be seen. */
	static async create(name: string): Promise<GrowingFile> {
		try {
			await refuseTaken(name);
			const {file, handle} = await createPartial(path.dirname(name));
			return new GrowingFile(name, file, handle);
		} catch (error) {
			throw writeErrorOf(error, name);
		}
	}

	readonly #name: string;
	readonly #partial: string;
	readonly #handle: FileHandle;
	/** Up to here there are whole reports. */
	#wholeBytes = 0;
	#isOver = false;

	private constructor(name: string, partial: string, handle: FileHandle) {
		this.#name = name;
		this.#partial = partial;
		this.#handle = handle;
	}

	/** Adds a report. When that fails the file is given up: the reports before stay under the temporary name. */
	async append(report: Written): Promise<void> {
		let bytes = 0;
		try {
			for (const piece of piecesOf(report)) {
				await this.#handle.appendFile(piece);
				bytes += Buffer.byteLength(piece);
			}

			this.#wholeBytes += bytes;
		} catch (error) {
			this.#isOver = true;
			await settled(async () => this.#handle.truncate(this.#wholeBytes));
			await settled(async () => this.#handle.close());
			throw await this.#givenUp(error);
		}
	}

	/** Gives the file its name; leaves nothing if there is no report. On return the bytes are on the disk. */
	async finish(): Promise<void> {
		if (this.#isOver) {
			return;
		}

		this.#isOver = true;
		try {
			await this.#handle.sync();
			await this.#handle.close();
			if (this.#wholeBytes > 0) {
				await giveName(this.#partial, this.#name);
			}
		} catch (error) {
			throw await this.#givenUp(error);
		}

		await removeAll([this.#partial]);
		await syncFolder(path.dirname(this.#name));
	}

	async #givenUp(error: unknown): Promise<UserError> {
		const {message, hint} = writeErrorOf(error, this.#name);
		if (this.#wholeBytes === 0) {
			await removeAll([this.#partial]);
			return new UserError(message, {hint});
		}

		return new UserError(message, {hint: `the reports before that are in ${this.#partial}; ${hint}`});
	}
}

/** Throws as creating a file of this name would, if there is one or cannot be one. */
async function refuseTaken(name: string): Promise<void> {
	try {
		await lstat(name);
	} catch (error) {
		if (codeOf(error) === 'ENOENT') {
			return;
		}

		throw error;
	}

	throw Object.assign(new Error('taken'), {code: 'EEXIST'});
}
