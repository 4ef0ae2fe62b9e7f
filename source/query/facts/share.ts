/** Two-sided 95 % quantile of the normal distribution. */
export const z = 1.96;

/** A part as a percentage of its whole, 0 to 100; 0 when there is no whole. */
export function percentOf(part: number, whole: number): number {
	return whole > 0 && part > 0 ? Math.min(100, 100 * part / whole) : 0;
}

/**
Half width of the 95 % confidence interval of a share, in percentage points: Wilson's score interval (E. B. Wilson, JASA
22, 1927), which does not shrink to nothing for shares near 0 and 100. `samples` is the effective number of samples, see
`effectiveSamples`; without samples there is nothing to be wrong about, and it is 0.
*/
export function shareError(percent: number, samples: number): number {
	if (!(samples > 0)) {
		return 0;
	}

	const share = percent / 100;
	return 100 * z / (1 + (z * z / samples)) * Math.sqrt((share * (1 - share) / samples) + (z * z / (4 * samples * samples)));
}

/**
Kish's effective sample size (L. Kish, Survey Sampling, 1965): the square of the sum of weights, divided by the sum of
squared weights. Samples that carry CPU time count unequally; many with little and a few with much say no more than the
few. The weight of a single sample is not kept: those of one fact are taken as equal, so the true number is a little
lower if a thread's load changes.
*/
export function effectiveSamples(sumOfWeights: number, sumOfSquares: number): number {
	return sumOfSquares > 0 ? sumOfWeights * sumOfWeights / sumOfSquares : 0;
}
