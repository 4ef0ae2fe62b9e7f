import type {JsonValue} from '../config/json-value.js';
import {counterRoots, type ProbeCounter} from '../model/tasks/probe.js';
import {printable} from '../model/text.js';
import {className, fieldPath, knownMembers} from './words.js';

/** A counter of a probe; undefined where it says none. */
export function readCounter(value: JsonValue): ProbeCounter | undefined {
	const members = knownMembers(value, 'a counter', ['name', ...counterRoots, 'read']);
	const given = counterRoots.filter(root => members.has(root));
	const [root] = given;
	const path = members.get('read');
	const name = members.get('name')?.plain;
	if (given.length !== 1 || !path || typeof name !== 'string') {
		value.fault('a counter has "name", "read" and one of "static", "worker" and "instance" with a class');
		return undefined;
	}

	const type = members.get(root)!;
	return {
		name: printable(name), root, className: className(type, String(type.plain)), path: fieldPath(path, '"read" must be'),
	};
}
