import {type JvmListing, listJvms} from './list.js';

/**
The JVMs that a text means: the one with that pid, otherwise those whose main class or jar has exactly that name (with
or without its package), otherwise those with the text anywhere in that name, in upper or lower case.
*/
export function findTargets(text: string, jvms: readonly JvmListing[] = listJvms()): JvmListing[] {
	const wanted = text.trim().toLowerCase();
	if (wanted === '') {
		return [];
	}

	const name = (jvm: JvmListing) => jvm.mainClass.toLowerCase();
	const rules: Array<(jvm: JvmListing) => boolean> = [
		jvm => String(jvm.pid) === wanted,
		jvm => name(jvm) === wanted || name(jvm).endsWith(`.${wanted}`),
		jvm => name(jvm).includes(wanted),
	];
	for (const rule of rules) {
		const found = jvms.filter(jvm => rule(jvm));
		if (found.length > 0) {
			return found;
		}
	}

	return [];
}
