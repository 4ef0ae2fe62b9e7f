import type {Snapshot} from '../../model/snapshot.js';
import {stuckInWords} from '../columns/format.js';
import {nameWith, viaText} from '../columns/names.js';
import {viaPlace} from '../facts/attribution.js';
import {ownCode} from '../facts/own-code.js';
import {placeKey} from '../facts/place.js';
import {isCounted, scopeOf} from '../facts/scope.js';
import {deadlocksOf} from '../locks/deadlocks.js';
import {isHeldUpNow} from '../locks/hold-ups.js';
import {attributedPlace, isStuckLonger, stuckMs} from '../now.js';
import {mostOf} from '../standing-now.js';
import type {Place, Query} from '../types.js';

/** Cells of a place in a sentence. */
const placeRoom = 60;

/**
What threads do in the newest sample while next to no CPU is used, in a sentence or two: how many are held up, by whom
most and where that one is; or how many wait together at a line of the program's own.
*/
export function waitsText(snapshot: Snapshot, query: Query): string {
	const all = threadsOf(snapshot, query);
	const heldUp = all.filter(thread => isHeldUpNow(snapshot, thread));
	return heldUp.length === 0
		? togetherText(snapshot, query, all) ?? 'Below: where threads wait.'
		: heldUpText(snapshot, query, heldUp);
}

/** Held up beside threads that use CPU: so many threads for so long, in milliseconds, are worth a word. */
const manyHeldUp = 5;
const longHeldUpMs = 1000;

/** Threads that are held up where others use CPU, in a sentence; undefined where these are not worth one. */
export function heldUpBesides(snapshot: Snapshot, query: Query): string | undefined {
	const heldUp = threadsOf(snapshot, query).filter(thread => isHeldUpNow(snapshot, thread));
	const isLong = heldUp.some(thread => stuckMs(snapshot, thread) >= longHeldUpMs);
	return heldUp.length >= manyHeldUp && isLong ? `${heldUpText(snapshot, query, heldUp).slice(0, -1)}: see Blockers.` : undefined;
}

function threadsOf(snapshot: Snapshot, query: Query): number[] {
	const {threads} = snapshot;
	const scope = scopeOf(snapshot, query);
	const counted: number[] = [];
	for (let thread = 0; thread < threads.count; thread++) {
		if (threads.alive[thread] === 1 && isCounted(scope, thread)) {
			counted.push(thread);
		}
	}

	return counted;
}

function heldUpText(snapshot: Snapshot, query: Query, heldUp: readonly number[]): string {
	const {threads, dictionary} = snapshot;
	const holders = new Map<number, number>();
	for (const thread of heldUp) {
		const owner = threads.lockOwner[thread];
		holders.set(owner, 1 + (holders.get(owner) ?? 0));
	}

	const inCircles = deadlocksOf(snapshot).flat().length;
	if (inCircles > 0) {
		return `${threadsAre(heldUp.length)} held up${longest(snapshot, heldUp)}, ${inCircles === heldUp.length ? 'all' : inCircles} of them in a deadlock.`;
	}

	const [owner, count] = mostOf(holders)!;
	const who = owner < 0 ? 'an unknown thread' : threads.name[owner];
	const place = owner < 0 ? undefined : attributedPlace(snapshot, threads.node[owner], query);
	const via = owner < 0 ? undefined : viaPlace(dictionary, threads.node[owner], query);
	const by = `${holders.size === 1 ? '' : `${count} of them `}by ${who}${place ? `, which is at ${nameWith(place, via ? [viaText(via)] : [], placeRoom)}` : ''}`;
	const ask = owner < 0 && query.atAGlance?.canAskForHolders ? ' (L in Blockers asks the JVM who it is)' : '';
	return `${threadsAre(heldUp.length)} held up${longest(snapshot, heldUp)}, ${by}${ask}.`;
}

/** Threads that stand at the same line of the program's own; undefined where there are no two. */
function togetherText(snapshot: Snapshot, query: Query, all: readonly number[]): string | undefined {
	const {isOwn} = ownCode(query.app);
	const {threads} = snapshot;
	const places = new Map<string, {readonly place: Place; readonly threads: number[]}>();
	for (const thread of all) {
		const place = attributedPlace(snapshot, threads.node[thread], query);
		if (place && isOwn(place.className)) {
			const key = placeKey(place, 'line');
			const at = places.get(key) ?? {place, threads: []};
			places.set(key, at);
			at.threads.push(thread);
		}
	}

	const [most] = mostOf(new Map(Array.from(places.values(), at => [at, at.threads.length] as const))) ?? [];
	if (!most || most.threads.length < 2) {
		return undefined;
	}

	const via = viaPlace(snapshot.dictionary, threads.node[most.threads[0]], query);
	return `${most.threads.length} threads wait together at ${nameWith(most.place, via ? [viaText(via)] : [], placeRoom)}${longest(snapshot, most.threads)}.`;
}

function threadsAre(count: number): string {
	return count === 1 ? '1 thread is' : `${count} threads are`;
}

function longest(snapshot: Snapshot, waiting: readonly number[]): string {
	const [first] = waiting.toSorted((a, b) => stuckMs(snapshot, b) - stuckMs(snapshot, a));
	const figures = {stuckMs: stuckMs(snapshot, first), stuckAtLeast: isStuckLonger(snapshot, first)};
	return figures.stuckMs < 1000 ? '' : `, ${waiting.length === 1 ? 'for' : 'the longest for'} ${stuckInWords(figures)}`;
}
