import type {Snapshot} from '../../model/snapshot.js';
import {lineColumns} from '../columns/line-columns.js';
import {ownCode} from '../facts/own-code.js';
import {isCounted, scopeOf} from '../facts/scope.js';
import {isOfJvm, threadKind} from '../facts/thread-kind.js';
import {queryLines} from '../lines.js';
import {corePercent, sampledMs, threadCpuNs} from '../summary.js';
import type {LineRow, LineTable, Query} from '../types.js';
import {waitsText} from './waits-text.js';

/** Below this share of a core, in percent, hot lines are not what matters. */
const leastCpuPercent = 1;

/** The JVM's own threads are worth a word above this share of a core, where they use so many times what the program does. */
const muchOfJvmPercent = 50;
const muchOfJvmTimes = 2;

/**
A shorter window says nothing about what a program does, milliseconds: CPU times of threads that were not seen to use any
are read once a second.
*/
const leastMs = 1000;

/** What a row is hidden for: it prints as nothing. */
const leastPercent = 0.05;

/** Who sorts by these looks for lines that others are called from, or for any line. */
const showingAll = ['total', 'total-ticks', 'name'] as const;

/**
What the Lines view shows people: hot lines, without those that used nothing themselves, unless rows are sorted by what
they led to, or by name, or looked for by a filter. Where next to no CPU is used the rows are the lines at which the
program's threads wait, those that are held up first, and `above` says so and who holds them up. Without
`query.atAGlance` it is what `queryLines` gives.
*/
export function queryLinesAtAGlance(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query): LineTable {
	if (!query.atAGlance) {
		return queryLines(snapshot, baseline, query);
	}

	const asked = glanceQuery(snapshot, baseline, query);
	const table = queryLines(snapshot, baseline, asked);
	const isAll = lineColumns.some(({id, sortFigures = []}) => id === query.sort.column && showingAll.some(figure => sortFigures.includes(figure)));
	const rows = query.filter !== '' || isAll ? table.rows : table.rows.filter(row => row.selfTicks > 0 || row.selfPercent >= leastPercent || row.heldUpNow > 0);
	return asked === query
		? {...table, rows, above: jvmText(snapshot, baseline)}
		: {...table, rows: inOrder(rows, query), above: `Next to no CPU is used. ${waitsText(snapshot, asked)}`};
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
	if (overMs < leastMs) {
		return false;
	}

	const scope = scopeOf(snapshot, query);
	let cpuNs = 0;
	for (let thread = 0; thread < snapshot.threads.count; thread++) {
		cpuNs += isCounted(scope, thread) ? threadCpuNs(snapshot, baseline, thread) : 0;
	}

	return corePercent(cpuNs, overMs) < leastCpuPercent;
}

function threadsOfProgram({threads, dictionary}: Snapshot): ReadonlySet<number> {
	const keys = new Set<number>();
	for (let thread = 0; thread < threads.count; thread++) {
		if (!isOfJvm(threads.flags[thread], dictionary.strings[threads.name[thread]])) {
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

/** Where the JVM's own threads use the CPU. */
function jvmText(snapshot: Snapshot, baseline: Snapshot | undefined): string | undefined {
	const {threads, dictionary} = snapshot;
	const overMs = sampledMs(snapshot, baseline);
	let [java, jvm, most] = [0, 0, -1];
	for (let thread = 0; thread < threads.count; thread++) {
		const cpuNs = threadCpuNs(snapshot, baseline, thread);
		const kind = threadKind(threads.flags[thread]);
		java += kind === 'java' ? cpuNs : 0;
		jvm += kind === 'vm' ? cpuNs : 0;
		most = kind === 'vm' && (most < 0 || cpuNs > threadCpuNs(snapshot, baseline, most)) ? thread : most;
	}

	return overMs >= leastMs && corePercent(jvm, overMs) >= muchOfJvmPercent && jvm >= muchOfJvmTimes * java
		? `The JVM itself uses ${Math.round(corePercent(jvm, overMs))}% CPU, the program ${Math.round(corePercent(java, overMs))}%: most in ${dictionary.strings[threads.name[most]]}. Threads has all of them.`
		: undefined;
}
