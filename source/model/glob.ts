/** Splits a comma-separated list of globs, dropping blanks around them and empty ones. */
export function globsOf(list: string): string[] {
	return list.split(',').map(glob => glob.trim()).filter(Boolean);
}

/** Returns a matcher for names that any glob of the list matches, see `globMatcher`. An empty list matches nothing. */
export function globListMatcher(list: string): (name: string) => boolean {
	const matchers = globsOf(list).map(glob => globMatcher(glob));
	return name => matchers.some(isMatch => isMatch(name));
}

/**
Returns a case-insensitive matcher for names; a glob without `*` or `?` matches names that contain it. Takes time
proportional to the length of the name times that of the glob at most.
*/
export function globMatcher(glob: string): (name: string) => boolean {
	const pattern = glob.toLowerCase();
	if (!/[*?]/.test(pattern)) {
		return name => name.toLowerCase().includes(pattern);
	}

	return name => matches(pattern, name.toLowerCase());
}

/** On a mismatch, only the last star needs to match more of the text: earlier ones can stay. */
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
			// A character beyond U+FFFF is two UTF-16 units.
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
