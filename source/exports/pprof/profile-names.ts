import {StringTable, type FunctionInput, type LocationInput, type MappingInput} from 'pprof-format';
import {getOrCreate} from '../../util/get-or-create.js';

/** Keys of a sample's labels, see docs/formats.md. */
export const labelKey = Object.freeze({thread: 'thread', tid: 'tid', javaId: 'java_thread_id', state: 'state'});

/** Names of functions for samples without frames: of the JVM, of its compilers, and of other threads. */
export const placeholders = Object.freeze({vm: '[JVM]', jit: '[JIT compiler]', other: '[no Java frames]'});

/** The tables of a profile that samples refer to by id. Each entry is added once. */
export class Names {
	readonly strings = new StringTable();
	readonly functions: FunctionInput[] = [];
	readonly locations: LocationInput[] = [];
	readonly mappings: MappingInput[] = [];
	readonly #functionIds = new Map<string, number>();
	readonly #locationIds = new Map<string, number>();
	readonly #mappingIds = new Map<string, number>();

	text(value: string): number {
		return this.strings.dedup(value);
	}

	/** Returns the id of a program's or library's mapping, which has no addresses: functions are known by name. */
	mapping(file: string): number {
		return getOrCreate(this.#mappingIds, file, () =>
			this.mappings.push({
				id: this.mappings.length + 1,
				filename: this.text(file),
				hasFunctions: true,
				hasFilenames: true,
				hasLineNumbers: true,
				hasInlineFrames: true,
			}));
	}

	/** Returns the id of the location of a function's line (0 if unknown) in a mapping (0 for none). */
	location(
		name: string,
		{file = '', line = 0, mappingId = 0}: {
			readonly file?: string;
			readonly line?: number;
			readonly mappingId?: number;
		} = {},
	): number {
		const functionId = getOrCreate(this.#functionIds, `${name}\0${file}`, () =>
			this.functions.push({
				id: this.functions.length + 1,
				name: this.text(name),
				systemName: this.text(name),
				filename: this.text(file),
			}));
		return getOrCreate(
			this.#locationIds,
			`${functionId}:${line}:${mappingId}`,
			() => this.locations.push({id: this.locations.length + 1, mappingId, line: [{functionId, line}]}),
		);
	}
}
