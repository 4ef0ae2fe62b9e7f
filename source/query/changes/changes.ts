import type {Snapshot} from '../../model/snapshot.js';
import {changeColumns} from '../columns/change-columns.js';
import {sortRows} from '../columns/sort.js';
import {placeName} from '../facts/place.js';
import {scopeOf} from '../facts/scope.js';
import {percentOf, shareError, z} from '../facts/share.js';
import {filterOf} from '../filter/filter.js';
import {countedLines, type CountedLines} from '../lines/counted-lines.js';
import {sampledMs, windowMs} from '../summary.js';
import type {LineRow, Mark, Query} from '../types.js';
import type {ChangeFigures, ChangeRow, ChangeTable} from './change-row.js';

/**
What became of each place (line, method or class, as `query.by` says) since the mark: its CPU time and its ticks per
second in the window, less those in what was marked. A window that began before the mark was set begins there. No rows
without a mark, or before there is a sample after it. The unit has no say.
*/
export function queryChanges(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query): ChangeTable {
	const {mark} = query;
	const since = mark && beginOf(mark, snapshot, baseline);
	if (!mark || since === snapshot) {
		return {rows: [], allRows: 0};
	}

	const plain: Query = {...query, filter: '', mark: undefined};
	// Another JVM's threads have other keys.
	const ofMark = isOfSession(mark, snapshot) ? plain : {...plain, threadKeys: undefined};
	const now = new Side(snapshot, since, plain);
	const was = new Side(mark.snapshot, mark.baseline, ofMark);
	const rows: ChangeRow[] = [];
	for (const key of new Set([...now.rows.keys(), ...was.rows.keys()])) {
		const place = (now.rows.get(key) ?? was.rows.get(key))!;
		const row = changeOf(place, now.figures(key, now.samplesPerS), was.figures(key, now.samplesPerS));
		if (row.kind !== undefined) {
			rows.push({...row, kind: row.kind});
		}
	}

	const {row: matches} = filterOf(query.filter);
	const shown = matches ? rows.filter(row => matches(filterRow(row))) : rows;
	return {rows: sortRows(shown, changeColumns, query.sort), allRows: rows.length};
}

/** Where the window begins that is compared with a mark; the snapshot itself where nothing came after the mark. */
export function beginOf(mark: Mark, snapshot: Snapshot, baseline: Snapshot | undefined): Snapshot | undefined {
	const marked = mark.snapshot;
	const isWithin = isOfSession(mark, snapshot) && marked.session.samples > (baseline?.session.samples ?? 0) && marked.session.samples <= snapshot.session.samples;
	return isWithin ? (marked.session.samples === snapshot.session.samples ? snapshot : marked) : baseline;
}

function isOfSession({snapshot: {dictionary}}: Mark, snapshot: Snapshot): boolean {
	return dictionary.strings === snapshot.dictionary.strings;
}

/** The window, or what was marked. */
class Side {
	readonly rows: ReadonlyMap<string, LineRow>;
	/** Samples per second of sampling; 1 for a profile that does not say how many there were. */
	readonly samplesPerS: number;
	readonly #table: CountedLines;
	readonly #sampledMs: number;
	readonly #samples: number;

	constructor(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query) {
		this.#table = countedLines(snapshot, baseline, query, scopeOf(snapshot, query));
		this.rows = new Map(this.#table.rows.map(row => [row.key, row]));
		this.#sampledMs = sampledMs(snapshot, baseline);
		const seconds = windowMs(snapshot, baseline) / 1000;
		const samples = snapshot.session.samples - (baseline?.session.samples ?? 0);
		this.#samples = samples > 0 ? samples : seconds;
		this.samplesPerS = seconds > 0 ? this.#samples / seconds : 0;
	}

	/**
	Of a place, all zero but for the errors where it has no row. Ticks per second are those of so many samples a second,
	so that another sampling rate is no change.
	*/
	figures(key: string, samplesPerS: number): ChangeFigures {
		const row = this.rows.get(key);
		const {wholeCpuNs, cpuSamples} = this.#table;
		const [cpuNs, ticks] = [row?.selfCpuNs ?? 0, row?.selfTicks ?? 0];
		// A nanosecond per millisecond is a thousandth of a millisecond per second.
		const msPerS = (ns: number) => this.#sampledMs > 0 ? ns / this.#sampledMs / 1000 : 0;
		const perS = (count: number) => this.#samples > 0 ? count / this.#samples * samplesPerS : 0;
		const percent = percentOf(cpuNs, wholeCpuNs);
		return {
			cpuMsPerS: msPerS(cpuNs),
			cpuError: msPerS(wholeCpuNs) * shareError(percent, cpuSamples) / 100,
			ticksPerS: perS(ticks),
			ticksError: perS(countError(ticks)),
			cpuPercent: percent,
		};
	}
}

/** Half width of the 95 % interval of a number of events that come by chance (the score interval of a Poisson count). */
function countError(count: number): number {
	return z * Math.sqrt(count + (z * z / 4));
}

function changeOf({className, method, file, line, key}: LineRow, now: ChangeFigures, was: ChangeFigures): Omit<ChangeRow, 'kind'> & {readonly kind: ChangeRow['kind'] | undefined} {
	const [cpuChange, ticksChange] = [now.cpuMsPerS - was.cpuMsPerS, now.ticksPerS - was.ticksPerS];
	const [cpuError, ticksError] = [Math.hypot(now.cpuError, was.cpuError), Math.hypot(now.ticksError, was.ticksError)];
	const [isNow, wasThere] = [now, was].map(({cpuMsPerS, ticksPerS}) => cpuMsPerS > 0 || ticksPerS > 0);
	return {
		className, method, file, line, key, now, was, cpuChange, ticksChange, cpuError, ticksError,
		kind: isNow ? (wasThere ? 'both' : 'new') : (wasThere ? 'gone' : undefined),
		isNoise: Math.abs(cpuChange) <= cpuError && Math.abs(ticksChange) <= ticksError,
	};
}

function filterRow(row: ChangeRow) {
	return {
		text: placeName(row), percent: row.now.cpuPercent, totalPercent: row.now.cpuPercent, cpuMs: row.now.cpuMsPerS, ticks: row.now.ticksPerS, totalTicks: row.now.ticksPerS, threads: 0, blocked: 0, stuckS: 0,
	};
}
