import type {TargetVitals} from '../../model/snapshot.js';
import {joined, safe} from '../../util/printable.js';
import {decimals} from '../columns/format.js';
import type {Finding} from '../types/query.js';
import {fullInText} from './growth-trend.js';
import {growingSteadily, limitsOf, limitsReachedSoon, usedPercent} from './target-limits.js';

/** A limit is nearly used up, and used up, from these percentages on. */
const nearlyPercent = 95;
const entirelyPercent = 99;

/** Returns the findings that limits are used up or nearly so, the nearest first. Heap and CPU have their own. */
export function limitFindings(vitals: TargetVitals = {}): Finding[] {
	const near = limitsOf(vitals).filter(limit => !limit.isInHeader && usedPercent(limit) >= nearlyPercent);
	return near.filter(({isCertain}) => isCertain).map((limit): Finding => {
		const {name, subject, isPlural, used, max, usedText, maxText, more} = limit;
		const isAtLimit = usedPercent(limit) >= entirelyPercent;
		const state = safe`${isPlural ? 'are' : 'is'} ${isAtLimit ? '' : 'nearly '}used up: ${usedText} of ${maxText}`;
		return {
			id: 'limit',
			text: safe`${subject} ${joined([state, ...more], safe`, `)}.`,
			figures: {limit: name, used, max, usedPercent: decimals(usedPercent(limit), 1)},
			...(isAtLimit ? {isAtLimit} : {}),
		};
	});
}

/** What grows is a finding from this percentage of its limit on: what is bounded below mostly stops growing earlier. */
const growingPercent = 50;

/**
Returns the findings that something grows and soon reaches its limit, the first one first, or has grown for minutes.
Threads have their own. Growth of the heap over a minute is no finding: what only a collection of the old generation
frees grows until then.
*/
export function growthFindings(vitals: TargetVitals = {}): Finding[] {
	const soon = fastGrowthFindings(vitals);
	const known = new Set(soon.map(({figures: {limit}}) => limit));
	return [...soon, ...steadyGrowthFindings(vitals).filter(({figures: {limit}}) => !known.has(limit))];
}

const afterOld = ' after collections, also of the old generation';

/** Returns the findings that something has grown for minutes, also far below its limit. */
function steadyGrowthFindings(vitals: TargetVitals): Finding[] {
	return growingSteadily(vitals).filter(({used, max = Infinity}) => usedPercent({used, max}) < nearlyPercent)
		.map(({name, subject, isPlural, used, max, text, usedText, perMin, more, inMs}): Finding => {
			const full = inMs === undefined ? safe`` : safe`, full in ${fullInText(inMs)}`;
			const ofMax = max === undefined ? safe`` : safe` of ${text(max)}`;
			return {
				id: 'growth',
				text: safe`${subject} ${isPlural ? 'grow' : 'grows'} steadily, ${text(Math.round(perMin))}/min${full}: ${
					joined([safe`${usedText}${ofMax} in use${name === 'heap' ? afterOld : ''}`, ...more], safe`, `)
				}.`,
				figures: {
					limit: name,
					used,
					...(max === undefined ? {} : {max}),
					growthPerMin: Math.round(perMin),
					...(inMs === undefined ? {} : {fullInMs: Math.round(inMs)}),
				},
			};
		});
}

function fastGrowthFindings(vitals: TargetVitals): Finding[] {
	return limitsReachedSoon(vitals).filter(limit => {
		const percent = usedPercent(limit);
		return percent >= growingPercent && percent < nearlyPercent && limit.growthFoundFromMs !== undefined
			&& (vitals.uptimeMs ?? 0) >= limit.growthFoundFromMs;
	}).map((limit): Finding => {
		const {name, subject, isPlural, used, max, usedText, maxText, growthText, growthPerMin = 0, more, inMs} = limit;
		const pace = safe`${isPlural ? 'grow' : 'grows'} ${growthText}, full in ${fullInText(inMs)}`;
		return {
			id: 'growth',
			text: safe`${subject} ${pace}: ${joined([safe`${usedText} of ${maxText} in use`, ...more], safe`, `)}.`,
			figures: {limit: name, used, max, growthPerMin: Math.round(growthPerMin), fullInMs: Math.round(inMs)},
		};
	});
}
