import {unattributed} from '../../model/frame.js';
import {observationsOf, type EventKind} from '../../model/schema.js';
import type {Dictionary, Snapshot, TargetVitals} from '../../model/snapshot.js';
import {safe, type Printable} from '../../util/printable.js';
import {getOrCreate} from '../../util/get-or-create.js';
import {sumUpTo} from '../../util/sum.js';
import {locationNameOrEmpty} from '../columns/column.js';
import {formatBytes, formatCount} from '../columns/format.js';
import {maxLocationCells, shortName} from '../columns/names.js';
import {eventsByCause, measuredInWindow} from '../counters/allocated.js';
import {appLine} from '../counters/attribution.js';
import {locationName, locationOfFrame} from '../counters/location.js';
import {allStatesMask} from '../counters/scope.js';
import {cpuPieces, effectiveSampleSize, eventsMs, eventsPerS, percentOf, shareError} from '../counters/share.js';
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
	const {perS, events, sites: [most]} = eventSites('exceptions', snapshot, since, query);
	if (perS < manyExceptionsPerS || events < leastEvents) {
		return undefined;
	}

	const rounded = Number(perS.toPrecision(2));
	const percent = most ? Math.round(most.percent) : 0;
	const className = most?.className ?? safe``;
	const where = most
		? safe`, ${percent}% ${simpleName(className)} at ${shortName(most.at, maxLocationCells)}`
		: safe``;
	return {
		id: 'exceptions',
		text: safe`The program makes ${formatCount(rounded)} exceptions a second${where}.`,
		figures: {
			perS: rounded,
			...(most ? {class: className, at: locationNameOrEmpty(most.at), percent} : {}),
		},
		...(most ? {line: most.row} : {}),
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

	const {perS, events, sites: [most]} = eventSites('alloc', snapshot, since, query);
	if (perS === 0 || events < leastEvents) {
		return undefined;
	}

	const percent = most ? Math.round(most.percent) : 0;
	const where = most ? safe`, ${percent}% at ${shortName(most.at, maxLocationCells)}` : safe``;
	return {
		id: 'allocation',
		text: safe`The program allocates ${formatBytes(perS)}/s${where}.`,
		figures: {
			bytesPerS: Math.round(perS),
			...(most ? {at: locationNameOrEmpty(most.at), percent} : {}),
		},
		...(most ? {line: most.row} : {}),
	};
}

/** Where events of a kind came from. */
type Site = {
	/** The line of own code or, without any, `row`. */
	readonly at: Location;
	/** The line that caused the events itself: a row of Lines. */
	readonly row: Location;
	/** The class of exceptions. */
	readonly className?: Printable;
};

/** A site with its share of all events of its kind, and half the width of the share's 95 % interval. */
type SiteFigures = Site & {readonly percent: number; readonly error: number; readonly perS: number};

/** What all events of a kind count for a second, how many that rests on, and where they came from, the most first. */
type EventSites = {readonly perS: number; readonly events: number; readonly sites: readonly SiteFigures[]};

/** Returns the sites of a window's events of a kind, exceptions by class too; without those whose line is unknown. */
export function eventSites(kind: EventKind, ...[snapshot, since, query]: Window): EventSites {
	const {dictionary} = snapshot;
	const whole = {stateMask: allStatesMask, threads: undefined, unit: kind};
	const {node: cause} = eventsByCause(kind, snapshot, since, whole);
	const {count, node, cpuNs, squaredUs} = measuredInWindow(snapshot, since, whole);
	const sums = new Map<string, Site & {amount: number; squares: number}>();
	for (let index = 0; index < count; index++) {
		const site = siteOf(dictionary, {cause: cause[index], node: node[index]}, query);
		if (site) {
			const key = `${site.className ?? ''} ${locationName(site.at)}`;
			const sum = getOrCreate(sums, key, () => ({...site, amount: 0, squares: 0}));
			sum.amount += cpuNs[index];
			sum.squares += squaredUs[index];
		}
	}

	const [amount, squares] = [cpuNs, squaredUs].map(each => sumUpTo(count, index => each[index]));
	const all = cpuPieces(amount, squares);
	const overMs = eventsMs(snapshot, since);
	const sorted = [...sums.values()].toSorted((a, b) => b.amount - a.amount);
	const sites = sorted.map(({amount: part, ...site}): SiteFigures => {
		const percent = percentOf(part, amount);
		const error = shareError(percent, effectiveSampleSize(cpuPieces(part, site.squares), all));
		return {...site, percent, error, perS: eventsPerS(part, overMs)};
	});
	return {perS: eventsPerS(amount, overMs), events: observationsOf(all.sum, squares), sites};
}

/** Returns the site of the events of a stack, whose cause has another node if the stack begins with their class. */
function siteOf(
	dictionary: Dictionary,
	{cause, node}: {readonly cause: number; readonly node: number},
	query: Query,
): Site | undefined {
	const {strings, frameClass, nodeFrame} = dictionary;
	const classOf = (at: number) => strings[frameClass[nodeFrame[at]]];
	if (classOf(cause) === unattributed.className) {
		return undefined;
	}

	const row = locationOfFrame(dictionary, nodeFrame[cause], 'line');
	const at = appLine(dictionary, cause, query)?.at ?? row;
	return {at, row, ...(cause === node ? {} : {className: classOf(node)})};
}

function simpleName(className: Printable): Printable {
	return className.slice(className.lastIndexOf('.') + 1);
}
