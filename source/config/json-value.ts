import {
	parseTree, printParseErrorCode, type Node, type ParseError,
} from 'jsonc-parser';
import {printable} from '../model/text.js';
import type {Fault} from '../options/settings.js';

/** Reads JSON with comments and trailing commas; mistakes go to `faults`. `isWhole`: it is an object, or nothing. */
export function readJson<Result>(text: string, faults: Fault[], read: (root: JsonValue) => Result): {readonly result?: Result; readonly isWhole: boolean} {
	const errors: ParseError[] = [];
	let isWhole = false;
	try {
		const tree = parseTree(text, errors, {allowTrailingComma: true, allowEmptyContent: true});
		// What comes after the first of them is seldom meant.
		for (const {error, offset} of errors.slice(0, 1)) {
			faults.push({line: lineAt(text, offset), text: `not JSON: ${printParseErrorCode(error).replaceAll(/\B[A-Z]/g, letter => ` ${letter.toLowerCase()}`).toLowerCase()}`});
		}

		isWhole = errors.length === 0 && (tree === undefined || tree.type === 'object');
		return {result: tree && read(new JsonValue(tree, text, faults)), isWhole};
	} catch (error) {
		// The parser calls itself for each level.
		faults.push({line: 0, text: error instanceof RangeError ? 'it is nested too deeply' : String(error)});
		return {isWhole};
	}
}

/** A value of a JSON text that is checked: what is wrong with it goes to a list, with its line. */
export class JsonValue {
	readonly #node: Node;
	readonly #text: string;
	readonly #faults: Fault[];

	constructor(node: Node, text: string, faults: Fault[]) {
		this.#node = node;
		this.#text = text;
		this.#faults = faults;
	}

	/** The value itself where it is a text, a number, true, false or null; undefined where it is a list or an object. */
	get plain(): string | number | boolean | null | undefined {
		const {type, value} = this.#node;
		return type === 'object' || type === 'array' ? undefined : value as string | number | boolean | null;
	}

	/** Says what is wrong with it; gives back nothing, as a list. */
	fault(text: string): [] {
		this.#faults.push({line: lineAt(this.#text, this.#node.offset), text: printable(text)});
		return [];
	}

	/** The members of a list; a fault and none where it is something else. */
	items(what: string): readonly JsonValue[] {
		return this.#node.type === 'array'
			? (this.#node.children ?? []).map(node => this.#of(node))
			: this.fault(`${what} must be a list: ["...", "..."]`);
	}

	/** The texts of a list; others are faults and omitted. */
	texts(what: string): string[] {
		return this.items(what).flatMap(item => typeof item.plain === 'string' ? [item.plain] : item.fault(`${what} must be a list of strings`));
	}

	/** Names and values of an object; a fault and none where it is something else. A name that stands there twice is a fault. */
	members(what: string): ReadonlyArray<{readonly name: string; readonly key: JsonValue; readonly value: JsonValue}> {
		if (this.#node.type !== 'object') {
			this.fault(`${what} must be an object: {"name": value, ...}`);
			return [];
		}

		const seen = new Set<string>();
		return (this.#node.children ?? []).flatMap(({children = []}) => {
			const [key, value] = children.map(node => this.#of(node));
			if (!key || !value) {
				return [];
			}

			const name = String(key.plain);
			if (seen.has(name)) {
				key.fault(`"${name}" appears twice`);
				return [];
			}

			seen.add(name);
			return [{name, key, value}];
		});
	}

	#of(node: Node): JsonValue {
		return new JsonValue(node, this.#text, this.#faults);
	}
}

/** The line of a place in a text, from 1. */
function lineAt(text: string, offset: number): number {
	return text.slice(0, offset).split('\n').length;
}
