import {rootNode} from '../model/frame.js';
import type {Facts, Snapshot} from '../model/snapshot.js';
import {stateCount} from '../model/thread-state.js';
import {holdersOf} from './locks/holders.js';
import {attributionOf} from './facts/attribution.js';
import {factsInWindow, scopeOf, type Scope} from './facts/scope.js';
import {byNumber, byText} from './columns/sort.js';
import {stackIndex, type Grouping} from './facts/stack-index.js';
import {sortStacks, stackRows} from './stacks.js';
import {queryLines} from './lines.js';
import type {
	DetailThread, LineDetail, Neighbour, Query, ThreadDetail, VoteRow,
} from './types.js';

/** Rows of each list of a detail: more than a screen shows, few enough to format at once. */
const maxDetailRows = 100;

/**
What is known of one row of the Lines view: `rowKey` is its key under `query.by`. The filter's words do not apply, but
its threads and states do. Empty lists for a row that is not there.
*/
export function queryLineDetail(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query, rowKey: string): LineDetail {
	const {dictionary} = snapshot;
	const scope = scopeOf(snapshot, query);
	const index = stackIndex(dictionary);
	const grouping = index.grouping(query.by);
	const group = grouping.groupOfKey.get(rowKey);
	if (group === undefined) {
		return {
			threads: [], stacks: [], callers: [], callees: [], holders: [],
		};
	}

	const facts = factsInWindow(snapshot, baseline, scope);
	const attributed = attributionOf(dictionary, query);
	const isAttributed = (node: number) => node !== rootNode && grouping.groupOfFrame[dictionary.nodeFrame[attributed[node]]] === group;
	const own = selectFacts(facts, isAttributed);
	const around = own.count > 0 ? own : selectFacts(facts, containing(snapshot, grouping, group));
	return {
		threads: detailThreads(snapshot, around, scope),
		stacks: detailStacks(snapshot, around, scope),
		...neighbours(snapshot, facts, scope, grouping, group),
		holders: holdersOf(snapshot, baseline, scope, isAttributed).slice(0, maxDetailRows),
	};
}

/** What is known of some threads (those of a row of the Threads view). */
export function queryThreadDetail(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query, threadKeys: readonly number[]): ThreadDetail {
	const own = {...query, threadKeys: new Set(threadKeys)};
	const scope = scopeOf(snapshot, own);
	const facts = factsInWindow(snapshot, baseline, scope);
	return {
		threads: detailThreads(snapshot, facts, scope),
		stacks: detailStacks(snapshot, facts, scope),
		callers: [],
		callees: [],
		holders: holdersOf(snapshot, baseline, scope, () => true).slice(0, maxDetailRows),
		lines: queryLines(snapshot, baseline, own).rows.slice(0, maxDetailRows),
	};
}

/**
What is known of a stack of the Stacks view: its threads, and who held them up. Empty lists for one that is not there.
*/
export function queryStackDetail(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query, row: Pick<VoteRow, 'isOf'> | undefined): LineDetail {
	const scope = scopeOf(snapshot, query);
	const isWanted = (node: number) => row?.isOf(node) === true;
	return {
		threads: detailThreads(snapshot, selectFacts(factsInWindow(snapshot, baseline, scope), isWanted), scope),
		stacks: [],
		callers: [],
		callees: [],
		holders: holdersOf(snapshot, baseline, scope, isWanted).slice(0, maxDetailRows),
	};
}

function selectFacts(facts: Facts, isWanted: (node: number) => boolean): Facts {
	const wanted: number[] = [];
	for (let fact = 0; fact < facts.count; fact++) {
		if (isWanted(facts.node[fact])) {
			wanted.push(fact);
		}
	}

	return {
		count: wanted.length,
		thread: Int32Array.from(wanted, fact => facts.thread[fact]),
		node: Int32Array.from(wanted, fact => facts.node[fact]),
		state: Uint8Array.from(wanted, fact => facts.state[fact]),
		ticks: Int32Array.from(wanted, fact => facts.ticks[fact]),
		cpuNs: Float64Array.from(wanted, fact => facts.cpuNs[fact]),
	};
}

/** Whether a stack has a frame of the group: passed on from callers, which have smaller ids. */
function containing({dictionary}: Snapshot, {groupOfFrame}: Grouping, group: number): (node: number) => boolean {
	const contains = new Uint8Array(dictionary.nodeCount);
	for (let node = 1; node < dictionary.nodeCount; node++) {
		contains[node] = groupOfFrame[dictionary.nodeFrame[node]] === group ? 1 : contains[dictionary.nodeParent[node]];
	}

	return node => contains[node] === 1;
}

function detailThreads({threads}: Snapshot, facts: Facts, {countedMask}: Scope): DetailThread[] {
	const rows = new Map<number, {cpuNs: number; ticks: number; states: number[]}>();
	for (let fact = 0; fact < facts.count; fact++) {
		const thread = facts.thread[fact];
		let row = rows.get(thread);
		if (!row) {
			row = {cpuNs: 0, ticks: 0, states: Array.from({length: stateCount}, () => 0)};
			rows.set(thread, row);
		}

		row.cpuNs += facts.cpuNs[fact];
		row.states[facts.state[fact]] += facts.ticks[fact];
		row.ticks += (countedMask & (1 << facts.state[fact])) === 0 ? 0 : facts.ticks[fact];
	}

	return [...rows]
		.map(([thread, row]) => ({key: threads.key[thread], name: threads.name[thread], ...row}))
		.sort((a, b) => hotter(a, b) || byNumber(sum(b.states), sum(a.states)) || byNumber(a.key, b.key))
		.slice(0, maxDetailRows);
}

function detailStacks({dictionary}: Snapshot, facts: Facts, scope: Scope): LineDetail['stacks'] {
	return sortStacks(stackRows(dictionary, facts, scope), scope).slice(0, maxDetailRows);
}

/** Callers and callees by one pass from the callees to the callers, which adds up every subtree. */
function neighbours({dictionary}: Snapshot, facts: Facts, {countedMask}: Scope, {groupOfFrame, outermost, places, keys}: Grouping, group: number): Pick<LineDetail, 'callers' | 'callees'> {
	const {nodeCount, nodeParent, nodeFrame} = dictionary;
	const whole = {ticks: new Float64Array(nodeCount), cpuNs: new Float64Array(nodeCount)};
	for (let fact = 0; fact < facts.count; fact++) {
		const node = facts.node[fact];
		whole.cpuNs[node] += facts.cpuNs[fact];
		whole.ticks[node] += (countedMask & (1 << facts.state[fact])) === 0 ? 0 : facts.ticks[fact];
	}

	// Subtrees without the samples in which the group occurs again further in: what its innermost call led to.
	const inner = {ticks: new Float64Array(whole.ticks), cpuNs: new Float64Array(whole.cpuNs)};
	const callers = new Map<number, {ticks: number; cpuNs: number}>();
	const callees = new Map<number, {ticks: number; cpuNs: number}>();
	for (let node = nodeCount - 1; node > rootNode; node--) {
		const parent = nodeParent[node];
		const isOfGroup = groupOfFrame[nodeFrame[node]] === group;
		if (isOfGroup && outermost[node] === 1 && parent !== rootNode) {
			add(callers, groupOfFrame[nodeFrame[parent]], whole.ticks[node], whole.cpuNs[node]);
		} else if (!isOfGroup && parent !== rootNode && groupOfFrame[nodeFrame[parent]] === group) {
			add(callees, groupOfFrame[nodeFrame[node]], inner.ticks[node], inner.cpuNs[node]);
		}

		whole.ticks[parent] += whole.ticks[node];
		whole.cpuNs[parent] += whole.cpuNs[node];
		if (!isOfGroup) {
			inner.ticks[parent] += inner.ticks[node];
			inner.cpuNs[parent] += inner.cpuNs[node];
		}
	}

	const rows = (sums: typeof callers): Neighbour[] => [...sums]
		.filter(([, {ticks, cpuNs}]) => ticks > 0 || cpuNs > 0)
		.sort(([a, aSums], [b, bSums]) => hotter(aSums, bSums) || byText(keys[a], keys[b]))
		.slice(0, maxDetailRows)
		.map(([neighbour, sums]) => ({...places[neighbour], ...sums}));
	return {callers: rows(callers), callees: rows(callees)};
}

function add(sums: Map<number, {ticks: number; cpuNs: number}>, group: number, ticks: number, cpuNs: number): void {
	const before = sums.get(group);
	sums.set(group, {ticks: (before?.ticks ?? 0) + ticks, cpuNs: (before?.cpuNs ?? 0) + cpuNs});
}

function hotter(a: {ticks: number; cpuNs: number}, b: {ticks: number; cpuNs: number}): number {
	return byNumber(b.cpuNs, a.cpuNs) || byNumber(b.ticks, a.ticks);
}

function sum(figures: readonly number[]): number {
	let total = 0;
	for (const figure of figures) {
		total += figure;
	}

	return total;
}
