import type {Snapshot} from '../../model/snapshot.js';
import {sortRows} from '../../query/columns/sort.js';
import {locationName} from '../../query/counters/location.js';
import {scopeOf} from '../../query/counters/scope.js';
import {percentOf, sampleTicks, shareError, z} from '../../query/counters/share.js';
import {filtered, filterOf, type FilterFields} from '../../query/filter/filter.js';
import {countedLines, type CountedLines, type LineRow} from '../../query/counted-lines.js';
import {sampledMs, windowMs} from '../../query/counters/cpu-time.js';
import type {Baseline, Query} from '../../query/types/query.js';
import {
	changeColumns, type ChangeFigures, type ChangeRow, type ChangeTable,
} from './columns.js';

/** Returns what each location uses per second in the window, less what it used in the baseline; no rows without one. */
export function queryChanges(snapshot: Snapshot, since: Snapshot | undefined, query: Query): ChangeTable {
	const {baseline} = query;
	const begin = baseline && beginOf(baseline, snapshot, since);
	if (!baseline || begin === snapshot) {
		return {rows: [], allRows: 0};
	}

	const windowQuery: Query = {...query, filter: '', baseline: undefined};
	// Thread keys of another session mean other threads.
	const baselineQuery = isOfSession(baseline, snapshot) ? windowQuery : {...windowQuery, threadKeys: undefined};
	const now = new Side(snapshot, begin, windowQuery);
	const was = new Side(baseline.snapshot, baseline.since, baselineQuery);
	const rows: ChangeRow[] = [];
	for (const key of new Set([...now.rows.keys(), ...was.rows.keys()])) {
		const location = (now.rows.get(key) ?? was.rows.get(key))!;
		const row = changeOf(location, now.figures(key, now.ticksPerS), was.figures(key, now.ticksPerS));
		if (row.kind !== undefined) {
			rows.push({...row, kind: row.kind});
		}
	}

	return {rows: sortRows(filtered(rows, filterOf(query.filter), filterFields), changeColumns, query.sort), allRows: rows.length};
}

/** Returns where the window begins that is compared with a baseline: at `snapshot` itself without samples since. */
export function beginOf(baseline: Baseline, snapshot: Snapshot, since: Snapshot | undefined): Snapshot | undefined {
	const end = baseline.snapshot;
	const isWithin = isOfSession(baseline, snapshot) && end.session.samples > (since?.session.samples ?? 0) && end.session.samples <= snapshot.session.samples;
	return isWithin ? (end.session.samples === snapshot.session.samples ? snapshot : end) : since;
}

function isOfSession({snapshot: {dictionary}}: Baseline, snapshot: Snapshot): boolean {
	return dictionary.strings === snapshot.dictionary.strings;
}

/** One of the two windows compared: the current one, or the baseline. */
class Side {
	readonly rows: ReadonlyMap<string, LineRow>;
	/** Ticks of a thread per second of sampling; 1 for a profile that does not state how many there were. */
	readonly ticksPerS: number;
	readonly #table: CountedLines;
	readonly #sampledMs: number;
	readonly #ticks: number;

	constructor(snapshot: Snapshot, since: Snapshot | undefined, query: Query) {
		// What is a row on one side must be one on the other.
		this.#table = countedLines(snapshot, since, query, {...scopeOf(snapshot, query), allWork: true});
		this.rows = new Map(this.#table.rows.map(row => [row.key, row]));
		this.#sampledMs = sampledMs(snapshot, since);
		const seconds = windowMs(snapshot, since) / 1000;
		this.#ticks = sampleTicks(snapshot, since) || seconds;
		this.ticksPerS = seconds > 0 ? this.#ticks / seconds : 0;
	}

	/** Returns a location's figures, ticks scaled to `threadTicksPerS`: a different sampling rate is not a change. */
	figures(key: string, threadTicksPerS: number): ChangeFigures {
		const row = this.rows.get(key);
		const {wholeCpuNs, cpuSamples, ticksPerObservation} = this.#table;
		const [cpuNs, ticks] = [row?.selfCpuNs ?? 0, row?.selfTicks ?? 0];
		// A nanosecond per millisecond is a thousandth of a millisecond per second.
		const msPerS = (ns: number) => this.#sampledMs > 0 ? ns / this.#sampledMs / 1000 : 0;
		const perS = (count: number) => this.#ticks > 0 ? count / this.#ticks * threadTicksPerS : 0;
		const percent = percentOf(cpuNs, wholeCpuNs);
		return {
			cpuMsPerS: msPerS(cpuNs),
			cpuError: msPerS(wholeCpuNs) * shareError(percent, row?.cpuSamples ?? cpuSamples) / 100,
			ticksPerS: perS(ticks),
			ticksError: perS(ticksPerObservation * countError(ticks / ticksPerObservation)),
			cpuPercent: percent,
		};
	}
}

/** Returns half the width of the 95 % interval of a number of random events (the score interval of a Poisson count). */
function countError(count: number): number {
	return z * Math.sqrt(count + (z * z / 4));
}

function changeOf({className, method, file, line, key}: LineRow, now: ChangeFigures, was: ChangeFigures): Omit<ChangeRow, 'kind'> & {readonly kind: ChangeRow['kind'] | undefined} {
	const [cpuChange, ticksChange] = [now.cpuMsPerS - was.cpuMsPerS, now.ticksPerS - was.ticksPerS];
	const [cpuError, ticksError] = [Math.hypot(now.cpuError, was.cpuError), Math.hypot(now.ticksError, was.ticksError)];
	const [isInWindow, isInBaseline] = [now, was].map(({cpuMsPerS, ticksPerS}) => cpuMsPerS > 0 || ticksPerS > 0);
	return {
		className, method, file, line, key, now, was, cpuChange, ticksChange, cpuError, ticksError,
		kind: isInWindow ? (isInBaseline ? 'both' : 'new') : (isInBaseline ? 'gone' : undefined),
		isNoise: Math.abs(cpuChange) <= cpuError && Math.abs(ticksChange) <= ticksError,
	};
}

const filterFields: FilterFields<ChangeRow> = {text: locationName, percent: row => row.now.cpuPercent, cpuMs: row => row.now.cpuMsPerS, ticks: row => row.now.ticksPerS};
