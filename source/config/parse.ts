import {parseTree, printParseErrorCode, type ParseError} from 'jsonc-parser';
import {
	fields, meant, type Draft,
} from './fields.js';
import {JsonValue, lineAt} from './json-value.js';
import type {Fault, Settings} from './settings.js';

/** Faults that are told of; one mistake may lead to many. */
const maxFaults = 20;

/**
What a configuration file says: JSON with comments and commas at ends. What is wrong is left out and told with its line;
nothing throws. `isWhole`: whether all of it could be read, so that something can be added.
*/
export function parseSettings(text: string): {readonly settings: Settings; readonly faults: readonly Fault[]; readonly isWhole: boolean} {
	const faults: Fault[] = [];
	let isWhole = false;
	const draft: Draft = {
		options: new Map(), columns: {}, colors: new Map(), packages: new Map(), keys: new Map(),
	};
	try {
		const errors: ParseError[] = [];
		const tree = parseTree(text, errors, {allowTrailingComma: true, allowEmptyContent: true});
		// What comes after the first of them is seldom meant.
		for (const {error, offset} of errors.slice(0, 1)) {
			faults.push({line: lineAt(text, offset), text: `not JSON: ${printParseErrorCode(error).replaceAll(/\B[A-Z]/g, letter => ` ${letter.toLowerCase()}`).toLowerCase()}`});
		}

		isWhole = errors.length === 0 && (tree === undefined || tree.type === 'object');
		for (const {name, key, value} of tree ? new JsonValue(tree, text, faults).members('the file') : []) {
			const field = fields.find(candidate => candidate.name === name);
			if (field) {
				field.read(value, draft);
			} else {
				key.fault(`there is no setting "${name}"${meant(name, fields.map(candidate => candidate.name))}`);
			}
		}
	} catch (error) {
		// The parser calls itself for each level.
		faults.push({line: 0, text: error instanceof RangeError ? 'it is nested too deeply' : String(error)});
	}

	return {settings: draft, faults: faults.slice(0, maxFaults), isWhole};
}
