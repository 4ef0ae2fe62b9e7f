import type {Trend} from '../../query/past/trend.js';

/** A trend of half as many steps: of each two the higher one. */
export function halved(trend: Trend): Trend {
	return trend.filter((_, index) => index % 2 === 1).map((value, index) => Math.max(value, trend[index * 2]));
}

/** A trend as one character a step; `levels` from nothing to all. */
export function sparkline(trend: Trend, levels: string): string {
	const characters = [...levels];
	return trend.map(value => characters[value <= 0 ? 0 : Math.max(1, Math.min(characters.length - 1, Math.ceil(value * (characters.length - 1))))]).join('');
}
