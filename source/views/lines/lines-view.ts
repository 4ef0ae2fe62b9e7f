import {joined, safe, type Printable} from '../../util/printable.js';
import {eventKinds} from '../../model/schema.js';
import {unknownStack} from '../../model/frame.js';
import {jvmWork} from '../../model/jvm-stacks.js';
import {amountText, amountsText} from '../../query/columns/event-columns.js';
import {defaultQuery, isOfEvents} from '../../query/types/query.js';
import {queryLineDetail} from '../../query/detail.js';
import {locationKey, locationName} from '../../query/counters/location.js';
import {locationNameOrEmpty} from '../../query/columns/column.js';
import {
	decimals, formatMs, formatPercent, msOf, partText, plural, stuckInWords,
} from '../../query/columns/format.js';
import {summaryQuery} from '../../query/summary/summary.js';
import {shortName, viaText} from '../../query/columns/names.js';
import type {LineRow} from '../../query/counted-lines.js';
import {csvOf, csvFieldsOfLocation, csvFieldsOfStates} from '../common/file-fields.js';
import {groupingKey, groupingRemarks, keyOrOption, plusAndMinus} from '../common/opening-keys.js';
import type {View} from '../common/view.js';
import {isWithinError, querySummaryLines, lineColumns} from './lines.js';

/** Ids of findings whose `line` is a row. */
const findingsOnLines: ReadonlySet<string> = new Set(['together', 'exceptions', 'allocation', 'starts']);

export const linesView: View<LineRow> = {
	id: 'lines',
	title: 'Lines',
	columns: lineColumns,
	sort: defaultQuery.sort,
	keys: [groupingKey, ...plusAndMinus],
	about: 'Where CPU time goes, and where threads wait: each line, method or class with its CPU time, alone and with '
		+ 'what it calls; if the program uses almost no CPU, its share of the time for which threads wait. '
		+ 'Rows within their sampling error are dim. + opens [jit], [gc], [vm] and [native], the JVM\'s own work.',
	hints(row) {
		const only = {
			key: 't',
			title: row.threadCount === 1 ? 'only its thread' : 'only its threads',
			short: 'threads',
		};
		if (row.isOpen !== undefined) {
			return [
				row.isOpen ? {key: '-', title: 'close', short: 'close'} : {key: '+', title: 'what it works on', short: 'open'},
				{key: 'enter', title: 'threads and stacks', short: 'stacks'},
				only,
			];
		}

		return row.contendingNow > 0
			? [
				row.holder === undefined
					? {key: 'enter', title: 'what they wait for', short: 'lock'}
					: {key: 'enter', title: 'who holds the lock', short: 'holder'},
				only,
				{key: '/', title: 'filter', short: 'filter'},
			]
			: [{key: 'enter', title: 'stacks and callers', short: 'stacks'}, {
				key: 'f',
				title: 'where its time goes',
				short: 'focus',
			}, only];
	},
	query: querySummaryLines,
	emptyText({measure}, query) {
		const hidesIdle = measure === 'waiting' && query.filter === '' && !query.showsWaitsForWork;
		return hidesIdle
			? safe`all threads wait for work; ${keyOrOption(query, safe`i`, safe`--idle`)} shows where`
			: undefined;
	},
	isDim: row => isWithinError(row) && row.contendingNow === 0,
	remark: query => joined(groupingRemarks(query), safe`, `),
	detail: (snapshot, since, query, key) =>
		queryLineDetail(snapshot, since, summaryQuery(snapshot, since, query), key),
	titleLines(row, width, tracer) {
		const stuck = row.stuckMs > 0
			? safe`${row.contendingNow === 1 ? ' for ' : ', longest for '}${stuckInWords(row)}`
			: safe``;
		const others = row.otherHolders > 0 ? safe` and ${plural(row.otherHolders, safe`other`)}` : safe``;
		const holder = row.holder === undefined ? safe`` : safe`, by ${row.holder}${others}`;
		const {unit} = row;
		const totalAmount = isOfEvents(unit) ? amountText(unit, row.totalCpuNs) : safe`${formatMs(row.totalCpuNs)} ms`;
		const total = safe`with what it called ${totalAmount}, ${formatPercent(row.totalPercent)}%`;
		const self = partText(row.selfFigure, row.selfPercent);
		const figures = safe`${self}, ${amountsText(unit, row.selfCpuNs, row.selfTicks)}; ${total}`;
		const isUnknown = row.className === unknownStack.className && row.method === unknownStack.method;
		return [
			{text: shortName(row, width, true), role: 'title'},
			{text: safe`${row.file === '' ? '' : safe`${row.file}  `}${figures}`},
			isUnknown && tracer
				? {text: safe`not stopped for reading: ${tracer} is tracing threads of this JVM`, role: 'error'}
				: undefined,
			...(isOfEvents(unit) ? [] : eventLines(row)),
			row.via && {text: viaText(row.via)},
			row.own && {text: safe`called from ${shortName(row.own, Math.max(20, width - 12), true)}`},
			row.contendingNow > 0
				? {
					text: safe`${plural(row.contendingNow, safe`thread`)} ${row.blockedNow > 0 ? 'blocked' : 'held up'} here now${
						stuck
					}${holder}`,
					role: 'error',
				}
				: undefined,
		];
	},
	files: {
		csv: csvOf(lineColumns, {
			...csvFieldsOfLocation,
			self_percent: 'self',
			error_percent: 'error',
			total_percent: 'total',
			self_ticks: 'ticks',
			total_ticks: 'total-ticks',
			self_cpu_ms: 'cpu',
			total_cpu_ms: row => msOf(row.totalCpuNs),
			threads: 'threads',
			blocked_now: row => row.blockedNow,
			stuck_ms: 'note',
			...csvFieldsOfStates,
			top_threads: 'top-threads',
			held_up_now: row => row.contendingNow,
			holder: row => row.holder ?? '',
			own_at: row => locationNameOrEmpty(row.ownAt),
			via: row => locationNameOrEmpty(row.via),
			low_percent: row => decimals(row.selfInterval.low, 2),
			high_percent: row => decimals(row.selfInterval.high, 2),
			your_code: 'own',
			your_code_others: row => row.otherOwn,
			alloc_bytes: row => Math.round(row.events('alloc')),
			exceptions: row => row.events('exceptions'),
			starts: row => row.events('starts'),
		}),
	},
	keyOfLocation: locationKey,
	isAbout: ({id, line}, row) =>
		(findingsOnLines.has(id) && line !== undefined && locationName(row) === locationName(line))
		|| (id === 'jit' && row.className === jvmWork.jit),
	locationOf: row => row,
};

/** Returns a line for each kind of events that a row has: their share with its error, and the amount. */
function eventLines(row: LineRow): ReadonlyArray<{readonly text: Printable}> {
	return eventKinds.filter(kind => row.events(kind) > 0).map(kind => {
		const share = row.eventShare(kind);
		return {text: safe`${partText(share, share.percent)}, ${amountText(kind, row.events(kind))}`};
	});
}
