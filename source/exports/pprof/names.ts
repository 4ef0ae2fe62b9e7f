import {StringTable, type FunctionInput, type LocationInput} from 'pprof-format';
import {getOrCreate} from '../../model/get-or-create.js';

/** Keys of the labels of a sample, see docs/formats.md. */
export const labelKey = Object.freeze({
	thread: 'thread', tid: 'tid', javaId: 'java_thread_id', state: 'state',
});

/** Functions that stand for "no Java frames", of the JVM itself, of its compilers and others. */
export const placeholders = Object.freeze({vm: '[JVM]', jit: '[JIT compiler]', other: '[no Java frames]'});

/** Strings, functions and locations of a profile that is written, each once. */
export class Names {
	readonly strings = new StringTable();
	readonly functions: FunctionInput[] = [];
	readonly locations: LocationInput[] = [];
	readonly #mappingId: number;
	readonly #functionIds = new Map<string, number>();
	readonly #locationIds = new Map<string, number>();

	/** `mappingId`: of the program, 0 for none. */
	constructor(mappingId = 0) {
		this.#mappingId = mappingId;
	}

	/** The index of a string. */
	text(value: string): number {
		return this.strings.dedup(value);
	}

	/** The id of the location of a function's line; 0 if that is not known. */
	location(name: string, file = '', line = 0): number {
		const functionId = getOrCreate(this.#functionIds, `${name}\0${file}`, () => this.functions.push({
			id: this.functions.length + 1, name: this.text(name), systemName: this.text(name), filename: this.text(file),
		}));
		return getOrCreate(this.#locationIds, `${functionId}:${line}`, () => this.locations.push({id: this.locations.length + 1, mappingId: this.#mappingId, line: [{functionId, line}]}));
	}
}
