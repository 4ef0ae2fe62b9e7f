import type {TargetVitals} from '../../model/snapshot.js';
import {safe, type Printable} from '../../util/printable.js';
import {formatDuration} from '../columns/format.js';

/** How much of something is in use, the most that may be, and by how much the former grows (see `Growth`). */
export type Growing = {
	readonly used: number;
	readonly max?: number;
	/** Over the last minute, and over several minutes. Undefined while it is unknown. */
	readonly growthPerMin?: number;
	readonly steadyPerMin?: number;
};

/**
A figure rises or falls if half a minute changes what is in use, or what is left of the limit, by this part of it, and a
minute by this part of the limit.
*/
const muchGrowth = 0.05;
const muchGrowthOfMax = 0.01;

export type Trend = 'flat' | 'rising' | 'falling';

/** Returns how a figure has changed in the last minute; undefined if unknown. */
export function trendOf({used, max = 0, growthPerMin}: Growing): Trend | undefined {
	if (growthPerMin === undefined) {
		return undefined;
	}

	const base = max > used ? Math.min(used, max - used) : used;
	const change = Math.abs(growthPerMin);
	const isFlat = change === 0 || change / 2 < muchGrowth * base || change < muchGrowthOfMax * max;
	return isFlat ? 'flat' : (growthPerMin > 0 ? 'rising' : 'falling');
}

/** Returns when a figure that rises reaches its limit at this pace, milliseconds; undefined if it does not. */
export function fullInMs(growing: Growing): number | undefined {
	const {used, max, growthPerMin = 0} = growing;
	return max && trendOf(growing) === 'rising' ? Math.max(0, max - used) / growthPerMin * 60_000 : undefined;
}

/**
Growth over several minutes matters if ten minutes add this part of what is in use, in a JVM that is this old, as every
program that starts grows; and if the limit is reached within this time.
*/
const muchSteadyGrowth = 0.05;
const steadyFromMs = 300_000;
const steadySoonMs = 86_400_000;

/**
Returns by how much a minute a figure has grown over several minutes, and when it reaches its limit, milliseconds;
undefined if it does not grow, or that does not matter.
*/
export function steadyGrowth(
	{used, max = 0, growthPerMin = 0, steadyPerMin = 0}: Growing,
	uptimeMs = 0,
): {readonly perMin: number; readonly inMs?: number} | undefined {
	const inMs = max > 0 && steadyPerMin > 0 ? Math.max(0, max - used) / steadyPerMin * 60_000 : undefined;
	const isMuch = steadyPerMin > 0 && 10 * steadyPerMin >= muchSteadyGrowth * used && (inMs ?? 0) <= steadySoonMs;
	return isMuch && growthPerMin >= 0 && uptimeMs >= steadyFromMs ? {perMin: steadyPerMin, inMs} : undefined;
}

/** Returns the time until a figure reaches its limit, without seconds from ten minutes on. */
export function fullInText(ms: number): Printable {
	return formatDuration(ms >= 600_000 ? Math.round(ms / 60_000) * 60_000 : ms).replace(/^(\d+m)00s$/, safe`$1`);
}

/** The heap in use after collections as a figure that may grow. */
export function heapGrowing(vitals: TargetVitals): Growing {
	return {
		used: vitals.heapAfterGcBytes ?? 0,
		max: vitals.heapMaxBytes,
		growthPerMin: vitals.heapGrowthBytesPerMin,
		steadyPerMin: vitals.heapSteadyGrowthBytesPerMin,
	};
}

export const trendArrows: Readonly<Record<Trend, Printable>> = {flat: safe``, rising: safe`↗`, falling: safe`↘`};
