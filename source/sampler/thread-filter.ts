import {globListMatcher} from '../model/glob.js';

/** Whether a thread's name (string id) matches one of a list of globs; each name is looked at once. */
export function threadFilter(globs: string, textOf: (id: number) => string): (name: number) => boolean {
	const matches = globListMatcher(globs);
	const known: Array<boolean | undefined> = [];
	return name => {
		known[name] ??= matches(textOf(name));
		return known[name];
	};
}
