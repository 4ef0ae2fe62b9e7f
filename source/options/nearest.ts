/** A word may have one typing mistake for this many of its letters; a shorter word may have one too. */
const lettersPerEdit = 3;

/** Returns the only word that begins with `word`, else the one with the fewest edits; undefined if none is close. */
export function nearest(word: string, words: readonly string[]): string | undefined {
	const completions = word.length > 1 ? words.filter(candidate => candidate.startsWith(word)) : [];
	if (completions.length === 1) {
		return completions[0];
	}

	const [best] = words
		.map(candidate => ({candidate, edits: editDistance(word, candidate)}))
		.filter(({candidate, edits}) =>
			edits <= Math.max(1, Math.floor(Math.min(word.length, candidate.length) / lettersPerEdit)))
		.sort((a, b) => a.edits - b.edits);
	return best?.candidate;
}

/**
Returns the number of letters to insert, delete, replace or swap with the next (optimal string alignment distance).
*/
function editDistance(a: string, b: string): number {
	let [beforeLast, last]: number[][] = [[], Array.from({length: b.length + 1}, (_, index) => index)];
	for (let i = 1; i <= a.length; i++) {
		const row = [i];
		for (let j = 1; j <= b.length; j++) {
			const isSame = a[i - 1] === b[j - 1];
			row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (isSame ? 0 : 1));
			if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
				row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
			}
		}

		[beforeLast, last] = [last, row];
	}

	return last[b.length];
}
