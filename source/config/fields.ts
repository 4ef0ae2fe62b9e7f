import type {Role} from '../model/role.js';
import {printable, type Printable} from '../util/printable.js';
import {nearest} from '../options/nearest.js';
import type {Option} from '../options/option.js';
import type {Settings} from '../options/parse.js';
import {optionRows} from '../options/table.js';
import {UserError} from '../runtime/errors.js';
import {keyNamed, keyTable} from '../ui/state/keys.js';
import {styleWords, readStyle, roles} from '../ui/terminal/theme.js';
import {viewOf, views} from '../views/view-registry.js';
import {readJson, type Fault, type JsonValue} from './json-value.js';

/** `Settings` while they are read. */
type Draft = {
	readonly options: Map<string, string>;
	readonly columns: Record<string, readonly string[]>;
	readonly colors: Map<Role, string>;
	readonly packages: Map<string, Printable>;
	readonly keys: Map<string, string | null>;
};

/** A setting of the configuration file; docs/configuration.md describes each. */
type Field = {
	readonly name: string;
	/** Checks a value and adds it to the draft; reports faults at the value. */
	read(value: JsonValue, draft: Draft): void;
};

const maxPackageLength = 256;

export const fields: readonly Field[] = [
	...optionRows.filter(([, {inConfig}]) => inConfig).map(([, option]) => optionField(option)),
	{
		name: 'columns',
		read(value, draft) {
			for (const {name, key, value: list} of value.properties('"columns"')) {
				if (!views.some(({id}) => id === name)) {
					key.fault(`there is no view "${name}"${suggestion(name, views.map(({id}) => id))}`);
					continue;
				}

				const ids = viewOf(name).columns.map(({id}) => id);
				const valid = list.items(`the columns of "${name}"`).flatMap(item => {
					const id = String(item.plain);
					return ids.includes(id) ? [id] : item.fault(`${name} has no column "${id}"${suggestion(id, ids)}`);
				});
				if (valid.length > 0) {
					draft.columns[name] = [...new Set(valid)];
				}
			}
		},
	},
	{
		name: 'colors',
		read(value, draft) {
			for (const {name, key, value: words} of value.properties('"colors"')) {
				const role = roles.find(candidate => candidate === name);
				const style = typeof words.plain === 'string' || typeof words.plain === 'number'
					? readStyle(String(words.plain))
					: undefined;
				if (role === undefined) {
					key.fault(`nothing on the screen is called "${name}"${suggestion(name, roles)}`);
				} else if (!style) {
					words.fault(`what "${name}" looks like must be a text such as "bold red", or a number`);
				} else if ('unknown' in style) {
					words.fault(`"${style.unknown}" is no colour${suggestion(style.unknown, styleWords)}`);
				} else {
					draft.colors.set(role, String(words.plain));
				}
			}
		},
	},
	{
		name: 'packages',
		read(value, draft) {
			for (const {name, key, value: short} of value.properties('"packages"')) {
				if (!/^[^\s.]+(?:\.[^\s.]+)*$/.test(name) || name.length > maxPackageLength) {
					key.fault(`"${name}" is not a package`);
				} else if (
					typeof short.plain !== 'string' || !/^\S*$/.test(short.plain)
					|| short.plain.length > maxPackageLength
				) {
					short.fault(`the short name for "${name}" must be a string without blanks`);
				} else {
					draft.packages.set(name, printable(short.plain.replace(/\.+$/, '')));
				}
			}
		},
	},
	{
		name: 'keys',
		read(value, draft) {
			for (const {name, key, value: other} of value.properties('"keys"')) {
				const pressed = keyNamed(name);
				const meaning = typeof other.plain === 'string' ? keyNamed(other.plain) : other.plain;
				if (pressed === undefined) {
					key.fault(`there is no key "${name}"`);
				} else if (pressed === 'ctrl-c') {
					key.fault('ctrl-c always quits');
				} else if (
					meaning === null
					|| (typeof meaning === 'string' && keyTable.some(({keys}) => keys.includes(meaning)))
				) {
					draft.keys.set(pressed, meaning);
				} else {
					other.fault(typeof other.plain === 'string'
						? `"${other.plain}" is not a key that does anything`
						: `"${name}" must be another key, or null`);
				}
			}
		},
	},
];

/** Returns "; did you mean ...?" if one of the words is close, else an empty string. */
function suggestion(word: string, words: readonly string[]): string {
	const near = nearest(word, words);
	return near === undefined ? '' : `; did you mean "${near}"?`;
}

/** Returns the setting of an option: a switch takes true or false, another option a string, number or list. */
function optionField(option: Option): Field {
	const {name} = option;
	return {
		name,
		read(value, draft) {
			const [text] = option.value === undefined ? switchText(value, name) : valueText(value, name);
			if (text === undefined) {
				return;
			}

			try {
				if (option.value !== undefined) {
					option.read(text, `"${name}"`);
				}

				draft.options.set(name, text);
			} catch (error) {
				value.fault(error instanceof UserError ? error.message : String(error));
			}
		},
	};
}

/** Returns the value of a switch as text, in a list, which is empty after a fault. */
function switchText(value: JsonValue, name: string): readonly string[] {
	return typeof value.plain === 'boolean' ? [String(value.plain)] : value.fault(`"${name}" must be true or false`);
}

/** The same for an option with a value; also empty for an empty list. */
function valueText(value: JsonValue, name: string): readonly string[] {
	const {plain} = value;
	const isList = plain === undefined;
	if (isList) {
		const texts = value.texts(`"${name}"`);
		return texts.length === 0 ? [] : [texts.join(',')];
	}

	return typeof plain === 'string' || typeof plain === 'number'
		? [String(plain)]
		: value.fault(`"${name}" must be a string or a number`);
}

/** Most faults reported: one mistake may lead to many. */
const maxFaults = 20;

/** Parses a configuration file. `isEditable`: settings can be added to it. */
export function parseSettings(text: string): {
	readonly settings: Settings;
	readonly faults: readonly Fault[];
	readonly isEditable: boolean;
} {
	const faults: Fault[] = [];
	const draft: Draft = {options: new Map(), columns: {}, colors: new Map(), packages: new Map(), keys: new Map()};
	const {isEditable} = readJson(text, faults, root => {
		for (const {name, key, value} of root.properties('the file')) {
			const field = fields.find(candidate => candidate.name === name);
			if (field) {
				field.read(value, draft);
			} else {
				key.fault(`there is no setting "${name}"${suggestion(name, fields.map(candidate => candidate.name))}`);
			}
		}
	});
	return {settings: draft, faults: faults.slice(0, maxFaults), isEditable};
}
