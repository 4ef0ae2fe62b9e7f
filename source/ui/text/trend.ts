import type {Trend} from '../../query/past/steps.js';

/** A trend of half as many steps: of each two the higher one. */
export function halved(trend: Trend): Trend {
	return trend.filter((_, index) => index % 2 === 1).map((value, index) => Math.max(value, trend[index * 2]));
}

/** A trend as one character a step; `levels` from nothing to all, a UTF-16 unit each. */
export function sparkline(trend: Trend, levels: string): string {
	const most = levels.length - 1;
	let line = '';
	for (const value of trend) {
		line += levels[value <= 0 ? 0 : Math.max(1, Math.min(most, Math.ceil(value * most)))];
	}

	return line;
}
