/** Splits a comma-separated list of globs; drops empty globs, and blanks around the others. */
export function globsOf(list: string): string[] {
	return list.split(',').map(glob => glob.trim()).filter(Boolean);
}

/** Returns a matcher for names that any glob of the list matches, see `globMatcher`. An empty list matches nothing. */
export function globListMatcher(list: string): (name: string) => boolean {
	const matchers = globsOf(list).map(glob => globMatcher(glob));
	return name => matchers.some(isMatch => isMatch(name));
}

/**
Returns a case-insensitive matcher for names; a glob without `*` or `?` matches names that contain it. The time is
bounded by the length of the name times that of the glob.
*/
export function globMatcher(glob: string): (name: string) => boolean {
	const pattern = glob.toLowerCase();
	if (!/[*?]/.test(pattern)) {
		return name => name.toLowerCase().includes(pattern);
	}

	return name => matches(pattern, name.toLowerCase());
}

/** After a mismatch only the last star matches one more character: for earlier stars, the shortest match is enough. */
function matches(pattern: string, text: string): boolean {
	let [patternAt, textAt] = [0, 0];
	// The last star in the pattern, and the end of what it matches in the text.
	let [star, starEnd] = [-1, 0];
	while (textAt < text.length) {
		const isAny = pattern[patternAt] === '?';
		if (pattern[patternAt] === '*') {
			star = patternAt++;
			starEnd = textAt;
		} else if (isAny || pattern[patternAt] === text[textAt]) {
			patternAt++;
			// A character beyond U+FFFF is two UTF-16 units.
			textAt += isAny && text.codePointAt(textAt)! > 0xFF_FF ? 2 : 1;
		} else if (star >= 0) {
			patternAt = star + 1;
			textAt = ++starEnd;
		} else {
			return false;
		}
	}

	return /^\**$/.test(pattern.slice(patternAt));
}
