/** One or two typing mistakes; in a short word, one. */
const lettersPerSlip = 3;

/** The word that was meant: one that it begins, else the one with the fewest slips; undefined if nothing is close. */
export function nearest(word: string, words: readonly string[]): string | undefined {
	const begun = word.length > 1 ? words.filter(candidate => candidate.startsWith(word)) : [];
	if (begun.length === 1) {
		return begun[0];
	}

	const [best] = words
		.map(candidate => ({candidate, slips: slipsBetween(word, candidate)}))
		.filter(({candidate, slips}) => slips <= Math.max(1, Math.floor(Math.min(word.length, candidate.length) / lettersPerSlip)))
		.sort((a, b) => a.slips - b.slips);
	return best?.candidate;
}

/** Edits from one word to the other (optimal string alignment). */
function slipsBetween(a: string, b: string): number {
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
