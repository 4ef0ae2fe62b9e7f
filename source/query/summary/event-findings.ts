import {unattributed} from '../../model/frame.js';
import {threadFlag} from '../../model/sample.js';
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
import {allStatesMask, countersInWindow} from '../counters/scope.js';
import {
	cpuPieces, effectiveSampleSize, eventsMs, eventsPerS, percentOf, sampleTicks, shareError, windowMs,
} from '../counters/share.js';
import {threadKind} from '../counters/thread-table.js';
import type {Finding, Location, Query} from '../types/query.js';

/** Exceptions a second from which they are a finding: their stack traces cost some percent of a core. */
const manyExceptionsPerS = 1000;

/** Collections that stop the program for this part of the time make a finding of what it allocates. */
const muchPausedPercent = 5;

/** Starts of threads a second from which they are a finding; fewer are if the number of threads grows. */
const manyStartsPerS = 50;

/** Threads that have not been there for this part of the time are new in it. */
const newWithin = 0.99;

/** Starts must have been recorded for this part of a window to tell whether its new threads end. */
const leastRecorded = 0.8;

/** Of those started, at least this percentage has ended if all end; none ends if at most the rest has. */
const allEndedPercent = 90;

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

/** Returns the finding that the program starts many threads, or some while their number grows, and where most. */
export function startsFinding([snapshot, since, query]: Window, isGrowing: boolean): Finding | undefined {
	const {perS, events, sites: [most]} = eventSites('starts', snapshot, since, query);
	if ((perS < manyStartsPerS && !isGrowing) || events < leastEvents) {
		return undefined;
	}

	const rounded = Number(perS.toPrecision(2));
	const percent = most ? Math.round(most.percent) : 0;
	const where = most ? safe`, ${percent}% at ${shortName(most.at, maxLocationCells)}` : safe``;
	const endedPercent = percentEnded(snapshot, since, perS * eventsMs(snapshot, since) / 1000);
	return {
		id: 'starts',
		text: safe`The program starts ${formatCount(rounded)} threads a second${where}${endText(endedPercent)}.`,
		figures: {
			perS: rounded,
			...(most ? {at: locationNameOrEmpty(most.at), percent} : {}),
			...(endedPercent === undefined ? {} : {endedPercent}),
		},
		...(most ? {line: most.row} : {}),
	};
}

/** Returns the percentage of threads started in a window that have ended; undefined if starts were partly recorded. */
function percentEnded(snapshot: Snapshot, since: Snapshot | undefined, started: number): number | undefined {
	const recorded = eventsMs(snapshot, since) / windowMs(snapshot, since);
	if (recorded < leastRecorded) {
		return undefined;
	}

	const {threads} = snapshot;
	const lived = new Float64Array(threads.count);
	const {count, thread, ticks} = countersInWindow(snapshot, since, {stateMask: allStatesMask, threads: undefined});
	for (let counter = 0; counter < count; counter++) {
		lived[thread[counter]] += ticks[counter];
	}

	// Recording begins a little later than the session.
	const mostTicks = newWithin * Math.min(1, recorded) * sampleTicks(snapshot, since);
	const alive = lived.filter((ticksOfThread, index) =>
		threads.alive[index] === 1 && ticksOfThread < mostTicks
		&& threadKind(threads.flags[index]) === 'java' && (threads.flags[index] & threadFlag.virtual) === 0).length;
	return Math.round(100 * Math.max(0, 1 - (alive / started)));
}

function endText(endedPercent: number | undefined): Printable {
	if (endedPercent === undefined) {
		return safe``;
	}

	const some = endedPercent < allEndedPercent ? safe`; ${endedPercent}% have ended` : safe`; all end`;
	return endedPercent <= 100 - allEndedPercent ? safe`; none ends` : some;
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
