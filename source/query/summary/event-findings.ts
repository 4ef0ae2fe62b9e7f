import {unattributed} from '../../model/frame.js';
import {observationsOf} from '../../model/schema.js';
import type {Counters, Dictionary, Snapshot, TargetVitals} from '../../model/snapshot.js';
import {safe, type Printable} from '../../util/printable.js';
import {sumUpTo} from '../../util/sum.js';
import {locationNameOrEmpty} from '../columns/column.js';
import {formatBytes, formatCount} from '../columns/format.js';
import {maxLocationCells, shortName} from '../columns/names.js';
import {allocatedInWindow, exceptionsInWindow, makerOf} from '../counters/allocated.js';
import {appLine} from '../counters/attribution.js';
import {locationName, locationOfFrame} from '../counters/location.js';
import {allStatesMask} from '../counters/scope.js';
import {eventsMs, eventsPerS} from '../counters/share.js';
import type {Finding, Location, Query} from '../types/query.js';

/** Exceptions a second from which they are a finding: their stack traces cost some percent of a core. */
const manyExceptionsPerS = 1000;

/** Collections that stop the program for this part of the time make a finding of what it allocates. */
const muchPausedPercent = 5;

/** Fewer events may be from one moment. */
const leastEvents = 20;

type Window = readonly [snapshot: Snapshot, since: Snapshot | undefined, query: Query];

/** Returns the finding that the program makes many exceptions, with the class and line of most. */
export function exceptionsFinding(...[snapshot, since, query]: Window): Finding | undefined {
	const {dictionary} = snapshot;
	const exceptions = exceptionsInWindow(snapshot, since, {stateMask: allStatesMask, threads: undefined});
	const {perS, sum, events} = rateOf(exceptions, eventsMs(snapshot, since));
	if (perS < manyExceptionsPerS || events < leastEvents) {
		return undefined;
	}

	const classOf = (node: number) => dictionary.strings[dictionary.frameClass[dictionary.nodeFrame[node]]];
	const most = siteOfMost(exceptions, node => {
		const maker = makerOf(dictionary, node);
		return maker === node ? undefined : {className: classOf(node), ...lineOf(dictionary, maker, query)};
	});
	const rounded = Number(perS.toPrecision(2));
	const percent = most ? Math.round(100 * most.amount / sum) : 0;
	const where = most
		? safe`, ${percent}% ${simpleName(most.site.className)} at ${shortName(most.site.at, maxLocationCells)}`
		: safe``;
	return {
		id: 'exceptions',
		text: safe`The program makes ${formatCount(rounded)} exceptions a second${where}.`,
		figures: {
			perS: rounded,
			...(most ? {class: most.site.className, at: locationNameOrEmpty(most.site.at), percent} : {}),
		},
		...(most ? {line: most.site.row} : {}),
	};
}

/** Returns the finding of what the program allocates, and where most, if collections cost much: `isCollecting`. */
export function allocationFinding(
	[snapshot, since, query]: Window,
	isCollecting: boolean,
	{gcPercent = 0, recentGcPercent = 0, minuteGcPercent = 0}: TargetVitals = {},
): Finding | undefined {
	if (!isCollecting && Math.max(gcPercent, recentGcPercent, minuteGcPercent) < muchPausedPercent) {
		return undefined;
	}

	const {dictionary} = snapshot;
	const allocated = allocatedInWindow(snapshot, since, {stateMask: allStatesMask, threads: undefined});
	const {perS, sum, events} = rateOf(allocated, eventsMs(snapshot, since));
	if (perS === 0 || events < leastEvents) {
		return undefined;
	}

	const isKnown = (node: number) =>
		dictionary.strings[dictionary.frameClass[dictionary.nodeFrame[node]]] !== unattributed.className;
	const most = siteOfMost(allocated, node => isKnown(node) ? lineOf(dictionary, node, query) : undefined);
	const percent = most ? Math.round(100 * most.amount / sum) : 0;
	const where = most ? safe`, ${percent}% at ${shortName(most.site.at, maxLocationCells)}` : safe``;
	return {
		id: 'allocation',
		text: safe`The program allocates ${formatBytes(perS)}/s${where}.`,
		figures: {
			bytesPerS: Math.round(perS),
			...(most ? {at: locationNameOrEmpty(most.site.at), percent} : {}),
		},
		...(most ? {line: most.site.row} : {}),
	};
}

function rateOf({count, cpuNs, squaredUs}: Counters, overMs: number) {
	const sum = sumUpTo(count, index => cpuNs[index]);
	// Squares are of thousands.
	const events = observationsOf(sum / 1000, sumUpTo(count, index => squaredUs[index]));
	return {perS: eventsPerS(sum, overMs), sum, events};
}

type Site = {
	/** The line of own code or, without any, `row`. */
	readonly at: Location;
	/** The line that made the events itself: a row of Lines. */
	readonly row: Location;
	readonly className?: Printable;
};

function lineOf(dictionary: Dictionary, node: number, query: Query): Site {
	const row = locationOfFrame(dictionary, dictionary.nodeFrame[node], 'line');
	return {at: appLine(dictionary, node, query)?.at ?? row, row};
}

/** Returns the site with the greatest amount; `siteOf` gives that of a stack's node, or undefined if it is unknown. */
function siteOfMost<S extends Site>(
	{count, node, cpuNs}: Counters,
	siteOf: (node: number) => S | undefined,
): {readonly site: S; readonly amount: number} | undefined {
	const sites = new Map<string, {readonly site: S; amount: number}>();
	for (let index = 0; index < count; index++) {
		const site = siteOf(node[index]);
		if (site) {
			const key = `${site.className ?? ''} ${locationName(site.at)}`;
			const known = sites.get(key) ?? {site, amount: 0};
			known.amount += cpuNs[index];
			sites.set(key, known);
		}
	}

	return [...sites.values()].toSorted((a, b) => b.amount - a.amount).at(0);
}

function simpleName(className: Printable): Printable {
	return className.slice(className.lastIndexOf('.') + 1);
}
