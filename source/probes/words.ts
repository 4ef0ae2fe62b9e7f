import type {JsonValue} from '../config/json-value.js';

/** The name of a class, with $ before inner ones; a fault where it cannot be one. */
export function className(at: JsonValue, text: string): string {
	if (!/^[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)*$/u.test(text) || text.length > 400) {
		at.fault(`not a class: "${text}"; for example com.acme.Pool$Worker`);
	}

	return text;
}

/** Fields, and methods without parameters, with dots between; a fault where it is something else. */
export function fieldPath(value: JsonValue, what: string): string {
	const text = typeof value.plain === 'string' ? value.plain : '';
	if (!isFieldPath(text)) {
		value.fault(`${what} a path of fields and methods without parameters, for example "queue.size()"`);
	}

	return text;
}

export function isFieldPath(text: string): boolean {
	return text.length <= 400 && /^[\p{L}_$][\p{L}\p{N}_$]*(?:\(\))?(?:\.[\p{L}_$][\p{L}\p{N}_$]*(?:\(\))?)*$/u.test(text);
}

/** Members by their names; a fault for those that are not among the known. */
export function knownMembers(value: JsonValue, what: string, known: readonly string[]): Map<string, JsonValue> {
	return new Map(value.members(what).map(({name, key, value: member}) => {
		if (!known.includes(name)) {
			key.fault(`${what} has no "${name}": it has ${known.join(', ')}`);
		}

		return [name, member] as const;
	}));
}
