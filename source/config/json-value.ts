import {parseTree, printParseErrorCode, type Node, type ParseError} from 'jsonc-parser';
import {printable, safe, type Printable} from '../util/printable.js';

/** A mistake in a file, as one printable line of text, and its line number, 0 for the whole file. */
export type Fault = {readonly line: number; readonly text: Printable};

/** Reads JSON with comments and trailing commas; adds mistakes to `faults`. `isEditable`: a valid object, or empty. */
export function readJson<Result>(
	text: string,
	faults: Fault[],
	read: (root: JsonValue) => Result,
): {readonly result?: Result; readonly isEditable: boolean} {
	const errors: ParseError[] = [];
	let isEditable = false;
	try {
		const tree = parseTree(text, errors, {allowTrailingComma: true, allowEmptyContent: true});
		// Only the first, as later errors are mostly consequences of it.
		for (const {error, offset} of errors.slice(0, 1)) {
			faults.push({
				line: lineAt(text, offset),
				text: safe`not JSON: ${
					printable(
						printParseErrorCode(error).replaceAll(/\B[A-Z]/g, letter => ` ${letter.toLowerCase()}`).toLowerCase(),
					)
				}`,
			});
		}

		isEditable = errors.length === 0 && (tree === undefined || tree.type === 'object');
		return {result: tree && read(new JsonValue(tree, text, faults)), isEditable};
	} catch (error) {
		// A RangeError is a stack overflow: the parser is recursive.
		faults.push({line: 0, text: error instanceof RangeError ? safe`it is nested too deeply` : printable(String(error))});
		return {isEditable};
	}
}

type JsonProperty = {readonly name: string; readonly key: JsonValue; readonly value: JsonValue};

/** A value of a JSON text; its checks add mistakes, with their lines, to a list of faults. */
export class JsonValue {
	readonly #node: Node;
	readonly #text: string;
	readonly #faults: Fault[];

	constructor(node: Node, text: string, faults: Fault[]) {
		this.#node = node;
		this.#text = text;
		this.#faults = faults;
	}

	/** The value if it is a string, a number, true, false or null; undefined if it is a list or an object. */
	get plain(): string | number | boolean | null | undefined {
		const {type, value} = this.#node;
		return type === 'object' || type === 'array' ? undefined : value as string | number | boolean | null;
	}

	/** Reports a fault of this value; returns an empty list, for use instead of its items. */
	fault(text: string): [] {
		this.#faults.push({line: lineAt(this.#text, this.#node.offset), text: printable(text)});
		return [];
	}

	/** Returns the items of a list; if it is not a list, reports a fault and returns none. */
	items(what: string): readonly JsonValue[] {
		return this.#node.type === 'array'
			? (this.#node.children ?? []).map(node => this.#of(node))
			: this.fault(`${what} must be a list: ["...", "..."]`);
	}

	/** Returns the strings of a list; omits other items and reports them as faults. */
	texts(what: string): string[] {
		return this.items(what).flatMap(item =>
			typeof item.plain === 'string' ? [item.plain] : item.fault(`${what} must be a list of strings`));
	}

	/** Returns an object's properties. Reports a fault if it is no object, or for a repeated name, which it omits. */
	properties(what: string): readonly JsonProperty[] {
		if (this.#node.type !== 'object') {
			this.fault(`${what} must be an object: {"name": value, ...}`);
			return [];
		}

		const names = new Set<string>();
		return (this.#node.children ?? []).flatMap(({children = []}) => {
			const [key, value] = children.map(node => this.#of(node));
			if (!key || !value) {
				return [];
			}

			const name = String(key.plain);
			if (names.has(name)) {
				key.fault(`"${name}" appears twice`);
				return [];
			}

			names.add(name);
			return [{name, key, value}];
		});
	}

	#of(node: Node): JsonValue {
		return new JsonValue(node, this.#text, this.#faults);
	}
}

function lineAt(text: string, offset: number): number {
	return text.slice(0, offset).split('\n').length;
}
