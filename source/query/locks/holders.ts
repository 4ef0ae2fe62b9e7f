import {alignedTo} from '../counters/aligned.js';
import {recordsInWindow} from '../../model/records-in-window.js';
import {contentionColumns} from '../../model/schema.js';
import type {Snapshot} from '../../model/snapshot.js';
import {locationName} from '../counters/location.js';
import {isCounted, type Scope} from '../counters/scope.js';
import {byNumber, byText} from '../columns/sort.js';
import type {Holder, HolderLocation, Location} from '../types/rows.js';
import {lockInfo} from './newest-sample.js';

type Sums = {readonly owner: Pick<Holder, 'kind' | 'className' | 'ownerName' | 'ownerKey'>; ticks: number; readonly took: Map<string, HolderLocation>; readonly now: Map<string, HolderLocation>};

/**
Owners of the locks that samples at the wanted stacks waited for in the window, each with all its places together. Those
who held up most come first.
*/
export function holdersOf(snapshot: Snapshot, since: Snapshot | undefined, scope: Pick<Scope, 'threads'>, isWanted: (node: number) => boolean): Holder[] {
	const all = snapshot.contention;
	const contention = recordsInWindow(contentionColumns, all, alignedTo(snapshot, since)?.contention, index => isCounted(scope, all.thread[index]) && isWanted(all.node[index]));
	const sums = new Map<string, Sums>();
	let ticksOfAll = 0;
	for (let index = 0; index < contention.count; index++) {
		const ticks = contention.ticks[index];
		const {ownerLocation, ownerNow, ...owner} = lockInfo(snapshot, {
			lockKind: contention.lockKind[index],
			lockClass: contention.lockClass[index],
			owner: contention.owner[index],
			ownerFrame: contention.ownerFrame[index],
			ownerNode: contention.ownerNode[index],
		});
		const key = `${contention.owner[index]} ${owner.kind} ${owner.className}`;
		const ownerKey = snapshot.threads.key.at(contention.owner[index]);
		const sum = sums.get(key) ?? {
			owner: {...owner, ...(contention.owner[index] >= 0 && ownerKey !== undefined ? {ownerKey} : {})}, ticks: 0, took: new Map(), now: new Map(),
		};
		sums.set(key, sum);
		sum.ticks += ticks;
		ticksOfAll += ticks;
		add(sum.took, ownerLocation, ticks);
		add(sum.now, ownerNow, ticks);
	}

	return [...sums]
		.sort(([a, aSum], [b, bSum]) => byNumber(bSum.ticks, aSum.ticks) || byText(a, b))
		.map(([, {owner, ticks, took, now}]) => ({
			...owner, ticks, percent: 100 * ticks / ticksOfAll, took: sorted(took), now: sorted(now),
		}));
}

function add(locations: Map<string, HolderLocation>, location: Location | undefined, ticks: number): void {
	if (location) {
		const name = locationName(location);
		locations.set(name, {location, ticks: ticks + (locations.get(name)?.ticks ?? 0)});
	}
}

function sorted(locations: ReadonlyMap<string, HolderLocation>): HolderLocation[] {
	return [...locations].sort(([a, {ticks: aTicks}], [b, {ticks: bTicks}]) => byNumber(bTicks, aTicks) || byText(a, b)).map(([, location]) => location);
}
