import {
	fields, meant, type Draft,
} from './fields.js';
import {readJson} from './json-value.js';
import type {Fault, Settings} from './settings.js';

/** Most faults reported: one mistake may lead to many. */
const maxFaults = 20;

/**
What a configuration file says: JSON with comments and commas at ends. What is wrong is omitted and reported with its line;
nothing throws. `isWhole`: whether all of it could be read, so that something can be added.
*/
export function parseSettings(text: string): {readonly settings: Settings; readonly faults: readonly Fault[]; readonly isWhole: boolean} {
	const faults: Fault[] = [];
	const draft: Draft = {
		options: new Map(), columns: {}, colors: new Map(), packages: new Map(), keys: new Map(),
	};
	const {isWhole} = readJson(text, faults, root => {
		for (const {name, key, value} of root.members('the file')) {
			const field = fields.find(candidate => candidate.name === name);
			if (field) {
				field.read(value, draft);
			} else {
				key.fault(`there is no setting "${name}"${meant(name, fields.map(candidate => candidate.name))}`);
			}
		}
	});
	return {settings: draft, faults: faults.slice(0, maxFaults), isWhole};
}
