/**
A matcher for names by a glob: `*` any characters, `?` one character, upper and lower case alike; without either it matches names that contain the text.
Takes time in proportion to the lengths of name times glob at worst, whatever either holds.
*/
export function globMatcher(glob: string): (name: string) => boolean {
	const pattern = glob.toLowerCase();
	if (!/[*?]/.test(pattern)) {
		return name => name.toLowerCase().includes(pattern);
	}

	return name => matches(pattern, name.toLowerCase());
}

/** On a mismatch only the last star is moved: an earlier one need not be. */
function matches(pattern: string, text: string): boolean {
	let at = 0;
	let star = -1;
	let resume = 0;
	for (let index = 0; index < text.length; index++) {
		if (at < pattern.length && pattern[at] === '*') {
			star = at++;
			resume = index--;
		} else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === text[index])) {
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
