/** The globs of a list: separated by commas, blanks around them do not count, and empty ones are left out. */
export function globsOf(list: string): string[] {
	return list.split(',').map(glob => glob.trim()).filter(Boolean);
}

/** A matcher for names by a list of globs: one of them must match, see `globMatcher`. An empty list matches nothing. */
export function globListMatcher(list: string): (name: string) => boolean {
	const matchers = globsOf(list).map(glob => globMatcher(glob));
	return name => matchers.some(isMatch => isMatch(name));
}

/**
A matcher for names by a glob, ignoring case; without `*` or `?` for names that contain the text. Its time is bounded
by the length of the name times that of the glob.
*/
export function globMatcher(glob: string): (name: string) => boolean {
	const pattern = glob.toLowerCase();
	if (!/[*?]/.test(pattern)) {
		return name => name.toLowerCase().includes(pattern);
	}

	return name => matches(pattern, name.toLowerCase());
}

/** On a mismatch only the last star is moved: earlier ones need not be. */
function matches(pattern: string, text: string): boolean {
	let at = 0;
	let star = -1;
	let resume = 0;
	for (let index = 0; index < text.length; index++) {
		if (at < pattern.length && pattern[at] === '*') {
			star = at++;
			resume = index--;
		} else if (at < pattern.length && pattern[at] === '?') {
			at++;
			// A character beyond 16 bits is two units of the text.
			index += Number(text.codePointAt(index)! > 0xFF_FF);
		} else if (at < pattern.length && pattern[at] === text[index]) {
			at++;
		} else if (star >= 0) {
			at = star + 1;
			index = resume++;
		} else {
			return false;
		}
	}

	while (pattern[at] === '*') {
		at++;
	}

	return at === pattern.length;
}
