import {safe, type Printable} from '../../util/printable.js';
import {getOrCreate} from '../../util/get-or-create.js';
import {nativeLine} from '../../model/frame.js';
import {lockKindCode, threadFlag} from '../../model/sample.js';
import {featureRelease, type Dictionary, type Snapshot} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import {formatStuck, stuckInWords} from '../columns/format.js';
import {locationNameOrEmpty} from '../columns/column.js';
import {
	initializerText, lockName, maxLocationCells, methodName, nameWith, shortName, viaText,
} from '../columns/names.js';
import {appLine, type AppLine} from '../counters/attribution.js';
import {isKnownLocation, locationKey, locationOfFrame} from '../counters/location.js';
import {ownCode} from '../counters/own-code.js';
import {membersOf, membersOfAll} from '../counters/thread-table.js';
import {framesOf} from '../counters/stack-index.js';
import {cachedByNode, isLibraryReader} from '../counters/waiting-stacks.js';
import {countedThreads, scopeOf} from '../counters/scope.js';
import {mostOf} from '../../util/sum.js';
import {deadlocksOf} from '../locks/deadlocks.js';
import {
	attributedLocation,
	isHeldUpNow,
	isStuckLonger,
	lacksCarrier,
	programLocation,
	restsNow,
	stuckMs,
} from '../locks/newest-sample.js';
import {groupWaits, unknownCall, waitOf} from '../locks/wait-of.js';
import type {Finding, Location, Query} from '../types/query.js';
import {poolFindings} from './pool-findings.js';

/** In a program that uses CPU, contention is reported for this many threads, or for one blocked this long. */
const manyContending = 3;
const longContentionMs = 1000;

/**
Threads that stay at the same line for at least this time wait together; shorter waits may alternate. A wait with a
timeout may be that of a poller, which most often asks again sooner.
*/
const leastTogetherMs = 2000;
const leastTimedTogetherMs = 30_000;

/**
Virtual threads lack a carrier if all carriers have been pinned for this long. Unmounted threads are read about once a
second, so their last reading is from that time.
*/
const leastPinnedMs = 2000;

/** First release in which waiting in synchronized code does not pin a carrier (JEP 491). */
const firstWithUnpinnedMonitors = 24;

/** A class initializer or a connection attempt that takes this long probably never ends. */
const longInitializerMs = 5000;
const longConnectMs = 3000;

/** A server is silent if this many threads have waited for it this long; more with readers of client libraries. */
const longServerMs = 5000;
const manyForServer = 3;
const manyReaders = 10;

/** Returns findings on unusual waits; more of them if the program uses almost no CPU (`isQuiet`). */
export function waitFindings(snapshot: Snapshot, query: Query, isQuiet: boolean): Finding[] {
	const all = countedThreads(snapshot, scopeOf(snapshot, query)).filter(thread =>
		snapshot.threads.alive[thread] === 1);
	const contending = all.filter(thread => isHeldUpNow(snapshot, thread, query));
	const initializer = initializerFinding(snapshot, query, contending);
	const held = initializer ? contending.filter(thread => !isForInitializer(snapshot, thread)) : contending;
	const isReported = isQuiet || membersOfAll(snapshot.threads, held) >= manyContending
		|| held.some(thread => stuckMs(snapshot, thread) >= longContentionMs);
	const findings = [
		pinnedFinding(snapshot, query, all),
		...serverFindings(snapshot, query, all, isQuiet),
		initializer,
		...poolFindings(snapshot, query, all, isQuiet),
		held.length > 0 && isReported ? contentionFinding(snapshot, query, held) : undefined,
	].filter(finding => finding !== undefined);
	const together = isQuiet && findings.length === 0 ? togetherFinding(snapshot, query, all) : undefined;
	return together ? [together] : findings;
}

/**
Returns the finding that virtual threads cannot run because all carriers are pinned by others, which wait. A virtual
thread that waits without being pinned leaves its carrier.
*/
function pinnedFinding(snapshot: Snapshot, query: Query, all: readonly number[]): Finding | undefined {
	const {threads} = snapshot;
	const runnable = all.filter(thread => lacksCarrier(threads, thread));
	const mounted = all.filter(thread => threads.carrier[thread] >= 0 || isCarrierOfPinned(snapshot, thread));
	const {longestMs} = longestOf(snapshot, runnable);
	const arePinned = mounted.length > 0 && mounted.every(thread => isPinned(snapshot, thread));
	if (!arePinned || longestMs < leastPinnedMs || hasFreeCarrier(snapshot, all, mounted)) {
		return undefined;
	}

	const waiting = membersOfAll(threads, runnable);
	const several = mounted.length === 2 ? safe`both are` : safe`all ${mounted.length} are`;
	const carriers = mounted.length === 1 ? safe`the only one is` : several;
	const {code, at, part} = pinnedIn(snapshot, query, mounted);
	return {
		id: 'pinned',
		text: safe`${waiting} virtual ${waiting === 1 ? 'thread waits' : 'threads wait'} for a carrier${
			upTo(snapshot, runnable)
		}: ${carriers} pinned in ${code}${at ? safe`, ${part}at ${shortName(at, maxLocationCells)}` : ''}.`,
		figures: {
			threads: waiting,
			carriers: mounted.length,
			longestMs,
			...(at ? {at: locationNameOrEmpty(at)} : {}),
		},
	};
}

/** Returns what pins these threads, and the line that all or most (`part`: how many) of them are at. */
function pinnedIn(
	snapshot: Snapshot,
	query: Query,
	pinned: readonly number[],
): {readonly code: Printable; readonly at?: Location; readonly part: Printable} {
	const {threads, dictionary, target} = snapshot;
	const [first, ...others] = pinned.map(thread => pinOf(dictionary, threads.node[thread], query));
	const hasMonitors = featureRelease(target.jvmVersion) < firstWithUnpinnedMonitors;
	const code = first && others.every(pin => pin?.code === first.code)
		? safe`${first.code}`
		: safe`${hasMonitors ? 'synchronized or native code' : 'native code or a class initializer'}`;
	if (first?.at && others.every(pin => pin?.at && locationKey(pin.at, 'line') === locationKey(first.at!, 'line'))) {
		return {code, at: first.at, part: safe``};
	}

	const most = mostAtOneLine(snapshot, query, pinned);
	return {code, at: most?.location, part: !most || most.count === pinned.length ? safe`` : safe`${most.count} of them `};
}

/** Whether a mounted virtual thread, or its carrier, waits pinned: it has to for long, unless its stack proves it. */
function isPinned(snapshot: Snapshot, thread: number): boolean {
	const {threads, dictionary} = snapshot;
	return threads.state[thread] !== stateCode.RUNNABLE
		&& (stuckMs(snapshot, thread) >= leastPinnedMs || waitsPinned(dictionary, threads.node[thread], {}));
}

/** Whether a thread is the carrier of a pinned virtual thread that is not known itself, as behind native code. */
function isCarrierOfPinned({threads, dictionary}: Snapshot, thread: number): boolean {
	return (threads.flags[thread] & (threadFlag.virtual | threadFlag.carrier)) === 0
		&& waitsPinned(dictionary, threads.node[thread], {});
}

/** Whether the JDK made a virtual thread wait on its carrier, as it is pinned. */
const waitsPinned = cachedByNode((dictionary, node) => framesOf(dictionary, node).some(({className, method}) =>
	className === 'java.lang.VirtualThread' && /^(?:parkOnCarrierThread|doParkOnCarrierThread)$/.test(method)));

/** Code that keeps a virtual thread on its carrier, and the line that calls it, or that it calls. */
type Pin = {readonly code: 'a class initializer' | 'native code'; readonly at?: Location};

/** Returns the code on a stack that pins its thread; undefined if it is not known. */
function pinOf(dictionary: Dictionary, node: number, {app}: Query): Pin | undefined {
	const {isOwn} = ownCode(app);
	const frames = framesOf(dictionary, node);
	const isOwnLine = ({className, line}: Location) => line >= 0 && isOwn(className);
	const index = frames.findIndex(({className, method, line}, depth) =>
		method === '<clinit>' || className === 'jdk.internal.foreign.abi.UpcallStub'
		|| (depth > 0 && line === nativeLine && !className.startsWith('jdk.internal.vm.')));
	if (index === -1) {
		return undefined;
	}

	const inside = frames.slice(0, index).findLast(frame => isOwnLine(frame));
	return frames[index].method === '<clinit>'
		? {code: 'a class initializer', at: isOwnLine(frames[index]) ? frames[index] : inside}
		: {code: 'native code', at: frames.slice(index).find(frame => isOwnLine(frame)) ?? inside};
}

/** Whether a thread of the carriers' pool carries no virtual thread now. */
function hasFreeCarrier({threads}: Snapshot, all: readonly number[], mounted: readonly number[]): boolean {
	const poolOf = (thread: number) => threads.name[thread].replace(/\d+$/, '');
	const carriers = new Set(mounted.map(thread => threads.carrier[thread] >= 0 ? threads.carrier[thread] : thread));
	const pools = new Set([...carriers].map(carrier => poolOf(carrier)));
	return all.some(thread => !carriers.has(thread)
		&& (threads.flags[thread] & (threadFlag.virtual | threadFlag.carrier)) === 0 && pools.has(poolOf(thread)));
}

function serverFindings(snapshot: Snapshot, query: Query, all: readonly number[], isQuiet: boolean): Finding[] {
	const groups = groupWaits(snapshot, all, query).filter(({isForServer}) => isForServer);
	return [...new Set(groups.map(({peer}) => peer))].flatMap((peer): Finding[] => {
		const ofPeer = groups.filter(group => group.peer === peer);
		const waiting = ofPeer.flatMap(({threads}) => threads).toSorted((a, b) =>
			stuckMs(snapshot, b) - stuckMs(snapshot, a));
		const isRefused = ofPeer.some(({kind, longestMs}) => kind === 'connect' && longestMs >= longConnectMs);
		const long = waiting.filter(thread => stuckMs(snapshot, thread) >= (isQuiet ? leastTogetherMs : longServerMs));
		const isSilent
			= membersOfAll(snapshot.threads, long) >= manyReaders
				|| membersOfAll(
					snapshot.threads,
					long.filter(thread => !isLibraryReader(snapshot.dictionary, snapshot.threads.node[thread], query)),
				) >= manyForServer;
		return isRefused || isSilent ? [serverFinding(snapshot, query, {peer, waiting, isRefused})] : [];
	});
}

/** Threads that wait for a server; `isRefused`: it accepts no connection. */
type ServerWait = {readonly peer: Printable; readonly waiting: readonly number[]; readonly isRefused: boolean};

function serverFinding(snapshot: Snapshot, query: Query, {peer, waiting, isRefused}: ServerWait): Finding {
	const {longestMs, figures} = longestOf(snapshot, waiting);
	const node = snapshot.threads.node[waiting[0]];
	const at = appLine(snapshot.dictionary, node, query)?.at ?? programLocation(snapshot, node);
	const count = membersOfAll(snapshot.threads, waiting);
	return {
		id: 'server',
		text: safe`${count === 1 ? '1 thread waits' : safe`${count} threads wait`} for ${peer}${
			isRefused ? ', which accepts no connection' : ''
		}, longest ${formatStuck(figures)}${at ? safe`, at ${shortName(at, maxLocationCells)}` : ''}.`,
		figures: {threads: count, peer, longestMs},
	};
}

function isForInitializer({threads}: Snapshot, thread: number): boolean {
	return threads.lockKind[thread] === lockKindCode['class-init'];
}

function initializerFinding(snapshot: Snapshot, query: Query, contending: readonly number[]): Finding | undefined {
	const {threads, dictionary} = snapshot;
	const waiting = contending.filter(thread => isForInitializer(snapshot, thread));
	const {first, longestMs, figures} = longestOf(snapshot, waiting);
	if (first === undefined || longestMs < longInitializerMs) {
		return undefined;
	}

	const [owner, lockClass] = [threads.lockOwner[first], threads.lockClass[first]];
	const count = membersOfAll(threads, waiting.filter(thread => threads.lockClass[thread] === lockClass));
	const at = owner < 0 ? undefined : holderLocation(snapshot, owner, query);
	const runs = owner < 0
		? safe``
		: safe`: ${threads.name[owner]} runs it${at ? safe`, at ${shortName(at, maxLocationCells)}` : ''}`;
	const className = dictionary.strings[lockClass];
	return {
		id: 'class-init',
		text: safe`${count === 1 ? '1 thread waits' : safe`${count} threads wait`} for ${
			initializerText(className)
		} to end, longest ${formatStuck(figures)}${runs}.`,
		figures: {threads: count, class: className, longestMs, ...(owner < 0 ? {} : {holder: threads.name[owner]})},
	};
}

/** Returns the line that tells most of where a thread is; undefined if that is unknown. */
function holderLocation(snapshot: Snapshot, thread: number, query: Query): Location | undefined {
	const node = snapshot.threads.node[thread];
	const at = appLine(snapshot.dictionary, node, query)?.at ?? attributedLocation(snapshot, node, query);
	return at && isKnownLocation(at) ? at : undefined;
}

/**
Says where the holder of a lock is; if that is in another class than those that ask for the lock, as in a helper, also
the line of such a class from which it was called. If that is unknown, says where it took the lock.
*/
function holderText(snapshot: Snapshot, owner: number, waiting: readonly number[], query: Query): Printable {
	const {threads, dictionary} = snapshot;
	const at = holderLocation(snapshot, owner, query);
	if (!at) {
		const took = waiting.map(thread => threads.lockOwnerFrame[thread]).find(frame => frame > 0);
		return took === undefined
			? safe``
			: safe`, taken at ${shortName(locationOfFrame(dictionary, took, 'line'), maxLocationCells)}`;
	}

	const asking = new Set(waiting.map(thread => appLine(dictionary, threads.node[thread], query)?.at.className));
	const from = asking.has(at.className)
		? undefined
		: framesOf(dictionary, threads.node[owner]).find(({className, line}) => line >= 0 && asking.has(className));
	return safe`, at ${shortName(at, maxLocationCells)}${from ? safe` from ${shortName(from, maxLocationCells)}` : ''}`;
}

function contentionFinding(snapshot: Snapshot, query: Query, contending: readonly number[]): Finding {
	const {threads} = snapshot;
	const holders = new Map<number, number>();
	for (const thread of contending) {
		const owner = threads.lockOwner[thread];
		holders.set(owner, membersOf(threads, thread) + (holders.get(owner) ?? 0));
	}

	const [owner] = mostOf(holders)!;
	return {
		id: 'contention',
		text: contentionText(snapshot, query, contending, holders),
		figures: {
			threads: membersOfAll(threads, contending),
			longestMs: longestOf(snapshot, contending).longestMs,
			...(owner < 0 ? {} : {holder: threads.name[owner]}),
		},
	};
}

/** `holders`: how many threads wait for each holder; -1 is an unknown one. */
// eslint-disable-next-line complexity -- One sentence, by how many wait, for what, and whether the holder is known.
function contentionText(
	snapshot: Snapshot,
	query: Query,
	contending: readonly number[],
	holders: ReadonlyMap<number, number>,
): Printable {
	const {threads, dictionary} = snapshot;
	const [owner, count] = mostOf(holders)!;
	const locks
		= new Set(contending.filter(thread => threads.lockOwner[thread] === owner).map(thread =>
			dictionary.strings[threads.lockClass[thread]]));
	const lock = locks.size === 1 ? lockName([...locks][0]) : safe``;
	const isOne = holders.size === 1 && lock !== '';
	const waiting = membersOfAll(threads, contending);
	const head = safe`${waiting} ${waiting === 1 ? 'thread waits' : 'threads wait'} for ${
		isOne ? lock : (waiting === 1 ? 'a lock' : 'locks')
	}${upTo(snapshot, contending)}`;
	const deadlocked = deadlocksOf(snapshot).flat().length;
	if (deadlocked > 0) {
		const which = waiting === 1 ? safe`it is` : safe`${deadlocked === waiting ? 'all' : deadlocked} of them`;
		return safe`${head}: ${which} in a deadlock.`;
	}

	const what = isOne
		? safe`it`
		: safe`${lock === '' ? 'what' : safe`the ${lock} that`} ${
			holders.size === 1 ? 'they' : safe`${count} of them`
		} wait for`;
	if (owner < 0) {
		return safe`${head}: it is not known who has ${what}${
			query.summary?.canAskForHolders ? ' (L in Blockers asks the JVM)' : ''
		}.`;
	}

	const ended = threads.state[owner] === stateCode.TERMINATED ? ', which has ended,' : '';
	const ofOwner = contending.filter(thread => threads.lockOwner[thread] === owner);
	return safe`${head}: ${threads.name[owner]}${ended} has ${what}${holderText(snapshot, owner, ofOwner, query)}.`;
}

/** Threads at the same line; `count`: how many they are. */
type LocatedThreads = {readonly location: Location; readonly threads: readonly number[]; readonly count: number};

/** Returns the finding on threads at the same own line that wait, but not for work or time; undefined without two. */
function togetherFinding(snapshot: Snapshot, query: Query, all: readonly number[]): Finding | undefined {
	const {isOwn} = ownCode(query.app);
	const {threads} = snapshot;
	const most = mostAtOneLine(
		snapshot,
		query,
		all.filter(thread => {
			// A known system call waits for a peer: servers are reported above, and waiting for clients is normal.
			const isForPeer = threads.waitKind[thread] > 0 && waitOf(snapshot, thread, query)?.kind !== unknownCall;
			const leastMs = threads.state[thread] === stateCode.TIMED_WAITING ? leastTimedTogetherMs : leastTogetherMs;
			const isStuck = stuckMs(snapshot, thread) >= leastMs && !restsNow(snapshot, thread, query) && !isForPeer;
			const location = isStuck ? attributedLocation(snapshot, threads.node[thread], query) : undefined;
			return location && isOwn(location.className);
		}),
	);
	if (!most || most.count < 2) {
		return undefined;
	}

	const {at, where} = togetherAt(snapshot, query, most);
	return {
		id: 'together',
		text: safe`${most.count} threads wait together ${where}${upTo(snapshot, most.threads)}.`,
		figures: {
			threads: most.count,
			at: locationNameOrEmpty(at),
			longestMs: longestOf(snapshot, most.threads).longestMs,
		},
		line: most.location,
	};
}

/** Returns the `appLine` of most threads at the same line, and says where they are. */
function togetherAt(
	snapshot: Snapshot,
	query: Query,
	{location, threads, count}: LocatedThreads,
): {readonly at: Location; readonly where: Printable} {
	const counts = new Map<string, {readonly line: AppLine; count: number}>();
	for (const thread of threads) {
		const line = appLine(snapshot.dictionary, snapshot.threads.node[thread], query) ?? {at: location};
		const place = getOrCreate(counts, locationKey(line.at, 'line'), () => ({line, count: 0}));
		place.count += membersOf(snapshot.threads, thread);
	}

	const [most] = [...counts.values()].toSorted((a, b) => b.count - a.count);
	const {at, via} = most.line;
	const isOnlyLine = most.count === count || via === undefined;
	const where = isOnlyLine
		? safe`at ${nameWith(at, via ? [viaText(via)] : [], maxLocationCells)}`
		: safe`in ${methodName(via)}, ${most.count} of them at ${shortName(at, maxLocationCells)}`;
	return {at, where};
}

/** Returns the line at which most of the threads are, and those that are there; undefined if no line is known. */
function mostAtOneLine(snapshot: Snapshot, query: Query, all: readonly number[]): LocatedThreads | undefined {
	const locations = new Map<string, {readonly location: Location; readonly threads: number[]}>();
	for (const thread of all) {
		const location = attributedLocation(snapshot, snapshot.threads.node[thread], query);
		if (location) {
			const key = locationKey(location, 'line');
			getOrCreate(locations, key, () => ({location, threads: [] as number[]})).threads.push(thread);
		}
	}

	const counts = Array.from(locations.values(), at => [at, membersOfAll(snapshot.threads, at.threads)] as const);
	const [most, count = 0] = mostOf(new Map(counts)) ?? [];
	return most && {...most, count};
}

function longestOf(
	snapshot: Snapshot,
	waiting: readonly number[],
): {readonly first?: number; readonly longestMs: number; readonly figures: Parameters<typeof formatStuck>[0]} {
	const first = waiting.toSorted((a, b) => stuckMs(snapshot, b) - stuckMs(snapshot, a)).at(0);
	const longestMs = first === undefined ? 0 : stuckMs(snapshot, first);
	return {
		first,
		longestMs: Math.round(longestMs),
		figures: {stuckMs: longestMs, stuckAtLeast: first !== undefined && isStuckLonger(snapshot, first)},
	};
}

function upTo(snapshot: Snapshot, waiting: readonly number[]): Printable {
	const {longestMs, figures} = longestOf(snapshot, waiting);
	return longestMs < 1000
		? safe``
		: safe`, ${figures.stuckAtLeast || membersOfAll(snapshot.threads, waiting) === 1 ? 'for' : 'up to'} ${
			stuckInWords(figures)
		}`;
}
