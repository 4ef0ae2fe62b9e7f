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

/** A mismatch needs only the last star to match one more character: for earlier ones, the shortest match is enough. */
function matches(pattern: string, text: string): boolean {
	let [at, index] = [0, 0];
	// The last star in the pattern, and the end of what it matches in the text.
	let [star, starEnd] = [-1, 0];
	while (index < text.length) {
		const isAny = pattern[at] === '?';
		if (pattern[at] === '*') {
			star = at++;
			starEnd = index;
		} else if (isAny || pattern[at] === text[index]) {
			at++;
			// A character beyond U+FFFF is two UTF-16 units.
			index += isAny && text.codePointAt(index)! > 0xFF_FF ? 2 : 1;
		} else if (star >= 0) {
			at = star + 1;
			index = ++starEnd;
		} else {
			return false;
		}
	}

	while (pattern[at] === '*') {
		at++;
	}

	return at === pattern.length;
}
