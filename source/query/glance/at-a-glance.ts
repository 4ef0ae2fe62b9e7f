import {rootNode} from '../../model/frame.js';
import type {Snapshot} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import {lineColumns} from '../columns/line-columns.js';
import {ownCode} from '../facts/own-code.js';
import {
	factsInWindow, isCounted, scopeOf, type Scope,
} from '../facts/scope.js';
import {isOfJvm} from '../facts/thread-kind.js';
import {queryLines} from '../lines.js';
import {
	corePercent, leastCpuPercent, sampledMs, threadCpuNs,
} from '../summary.js';
import type {LineRow, LineTable, Query} from '../types.js';
import {jvmText} from './jvm-text.js';
import {calledText} from './called-text.js';
import {heldUpBesides, waitsText} from './waits-text.js';

/**
A shorter window does not say that a program uses no CPU, milliseconds: CPU times of threads that were not seen to use
any are read once a second.
*/
const leastMs = 1000;

/** What a row is hidden for: it prints as nothing. */
const leastPercent = 0.05;

/** Who sorts by these looks for lines that others are called from, or for any line. */
const showingAll = ['total', 'total-ticks', 'name'] as const;

/**
What the Lines view shows people: hot lines, without those that used nothing themselves, unless rows are sorted by what
they led to, or by name, or looked for by a filter. Where next to no CPU is used, or in the first second nobody was seen
to use any, the rows are the lines at which the program's threads wait, those that are held up first, and `above` says so
and who holds them up. Without `query.atAGlance` it is what `queryLines` gives.
*/
export function queryLinesAtAGlance(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query): LineTable {
	if (!query.atAGlance) {
		return queryLines(snapshot, baseline, query);
	}

	const asked = glanceQuery(snapshot, baseline, query);
	const table = queryLines(snapshot, baseline, asked);
	const isAll = lineColumns.some(({id, sortFigures = []}) => id === query.sort.column && showingAll.some(figure => sortFigures.includes(figure)));
	const rows = query.filter !== '' || isAll ? table.rows : table.rows.filter(row => row.selfTicks > 0 || row.selfPercent >= leastPercent || row.heldUpNow > 0);
	const jvm = jvmText(snapshot, baseline, query.atAGlance.vitals);
	if (asked === query) {
		const isOrderedByHeat = query.sort.column === lineColumns[0].id && !query.sort.reverse;
		const about = [jvm, heldUpBesides(snapshot, {...query, ownFirst: true}), isOrderedByHeat ? calledText(rows) : undefined].filter(Boolean).join(' ');
		return {...table, rows, above: about === '' ? undefined : about};
	}

	const quiet = sampledMs(snapshot, baseline) < leastMs ? 'No CPU use has been seen so far.' : 'Next to no CPU is used.';
	return {...table, rows: inOrder(rows, query), above: [jvm, quiet, waitsText(snapshot, asked)].filter(Boolean).join(' ')};
}

/** The query that rows at a glance come from: all states of the program's threads where they only wait. */
export function glanceQuery(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query): Query {
	return query.atAGlance?.showsWaits && isQuiet(snapshot, baseline, query)
		? {
			...query, ownFirst: true, unit: query.unit === 'cpu' ? 'ticks' : query.unit, states: ['RUNNABLE', 'BLOCKED', 'WAITING', 'TIMED_WAITING', 'IDLE'], threadKeys: query.threadKeys ?? threadsOfProgram(snapshot),
		}
		: query;
}

function isQuiet(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query): boolean {
	const overMs = sampledMs(snapshot, baseline);
	const scope = scopeOf(snapshot, query);
	if (overMs < leastMs && (snapshot.session.samples === 0 || isAnybodySeenRunning(snapshot, baseline, scope))) {
		return false;
	}

	let cpuNs = 0;
	for (let thread = 0; thread < snapshot.threads.count; thread++) {
		cpuNs += isCounted(scope, thread) ? threadCpuNs(snapshot, baseline, thread) : 0;
	}

	return corePercent(cpuNs, overMs) < leastCpuPercent;
}

/** CPU times are not known yet, but what stands on the stacks is. */
function isAnybodySeenRunning(snapshot: Snapshot, baseline: Snapshot | undefined, scope: Scope): boolean {
	const {threads} = snapshot;
	const facts = factsInWindow(snapshot, baseline, scope);
	for (let fact = 0; fact < facts.count; fact++) {
		const thread = facts.thread[fact];
		if (facts.state[fact] === stateCode.RUNNABLE && facts.node[fact] !== rootNode && !isOfJvm(threads.flags[thread], threads.name[thread])) {
			return true;
		}
	}

	return false;
}

function threadsOfProgram({threads}: Snapshot): ReadonlySet<number> {
	const keys = new Set<number>();
	for (let thread = 0; thread < threads.count; thread++) {
		if (!isOfJvm(threads.flags[thread], threads.name[thread])) {
			keys.add(threads.key[thread]);
		}
	}

	return keys;
}

/** Rows of waits: those at which threads are held up first, and last those without any line of the program's own. */
function inOrder(rows: readonly LineRow[], {app, sort}: Query): LineRow[] {
	const {isOwn} = ownCode(app);
	const rank = (row: LineRow) => row.heldUpNow > 0 ? 0 : (isOwn(row.className) ? 1 : 2);
	return sort.column === lineColumns[0].id && !sort.reverse ? [...rows].sort((a, b) => rank(a) - rank(b)) : [...rows];
}
