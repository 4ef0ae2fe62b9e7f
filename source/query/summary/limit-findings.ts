import type {TargetVitals} from '../../model/snapshot.js';
import {joined, safe} from '../../util/printable.js';
import {decimals} from '../columns/format.js';
import type {Finding} from '../types/query.js';
import {limitsOf, usedPercent} from './target-limits.js';

/** A limit is nearly used up, and used up, from these percentages on. */
const nearlyPercent = 95;
const entirelyPercent = 99;

/** Returns the findings that limits are used up or nearly so, the nearest first. Heap and CPU have their own. */
export function limitFindings(vitals: TargetVitals = {}): Finding[] {
	const near = limitsOf(vitals).filter(limit => !limit.isInHeader && usedPercent(limit) >= nearlyPercent);
	return near.filter(({isCertain}) => isCertain).map((limit): Finding => {
		const {name, subject, used, max, usedText, maxText, more} = limit;
		const isAtLimit = usedPercent(limit) >= entirelyPercent;
		const state = safe`${isAtLimit ? '' : 'nearly '}used up: ${usedText} of ${maxText}`;
		return {
			id: 'limit',
			text: safe`${subject} ${joined([state, ...more], safe`, `)}.`,
			figures: {limit: name, used, max, usedPercent: decimals(usedPercent(limit), 1)},
			...(isAtLimit ? {isAtLimit} : {}),
		};
	});
}
