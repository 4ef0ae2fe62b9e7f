import {joined, safe, type Printable} from '../../util/printable.js';
import {decimals} from '../../query/columns/format.js';
import {shortName} from '../../query/columns/names.js';
import {queryLineDetail} from '../../query/detail.js';
import {csvOf, frameOf, csvFieldsOfLocation, rowsAsJson} from '../common/file-fields.js';
import {groupingKey, keyOrOption} from '../common/opening-keys.js';
import type {View} from '../common/view.js';
import {
	comparedFrom, coreOf, queryChanges, changeColumns, rate, signed, type ChangeFigures, type ChangeRow,
} from './changes.js';

const baselineKey = safe`${'m makes what is on the screen the baseline, and this view then shows the change; '}${
	'or start with --compare FILE'
}`;

export const changesView: View<ChangeRow> = {
	id: 'changes',
	title: 'Changes',
	comparesWithBaseline: true,
	columns: changeColumns,
	sort: {column: safe`cpu-change`, reverse: false},
	keys: [groupingKey],
	about: 'What each line, method or class uses more or less than in the baseline that m set, or in --compare FILE. '
		+ 'CPU% is of a core, ticks are per second. Rows whose change is not more than its sampling error are dim.',
	hints:
		() => [{key: 'enter', title: 'stacks and callers', short: 'stacks'}, {
			key: 'm',
			title: 'new baseline',
			short: 'baseline',
		}, {key: 'D', title: 'back', short: 'back'}],
	query: queryChanges,
	isDim: row => row.isNoise,
	remark: ({baseline, by}) =>
		joined(
			[baseline ? safe`against ${baseline.title}` : safe``, by === 'line' ? safe`` : safe`by ${by}`].filter(Boolean),
			safe`, `,
		),
	emptyHints: [{key: 'm', title: 'set the baseline', short: 'baseline'}, {key: 'D', title: 'back', short: 'back'}, {
		key: 'tab',
		title: 'next view',
		short: 'view',
	}],
	emptyText: (_, query) => query.filter === ''
		? (query.baseline
			? safe`nothing has been sampled since the baseline was set`
			: safe`nothing to compare with: ${keyOrOption(query, baselineKey, safe`--compare FILE names the baseline`)}`)
		: undefined,
	locationOf: row => row,
	detail: (snapshot, since, query, key) =>
		queryLineDetail(snapshot, query.baseline ? comparedFrom(query.baseline, snapshot, since) : since, query, key),
	titleLines: (row, width) => [
		{text: shortName(row, width, true), role: 'title'},
		{text: changeText(safe`% of a core`, coresOf(row))},
		{text: changeText(safe` ticks/s`, [row.ticksChange, row.ticksError, row.now.ticksPerS, row.was.ticksPerS])},
		row.isNoise ? {text: safe`neither change is more than its sampling error: both may be chance`} : undefined,
		{text: safe`below: samples since the baseline`},
	],
	files: {
		csv: csvOf(changeColumns, {
			...csvFieldsOfLocation,
			change: row => row.kind,
			noise: row => Number(row.isNoise),
			cpu_change: 'cpu-change',
			cpu_error: 'cpu-error',
			cpu_now: 'cpu-now',
			cpu_was: 'cpu-was',
			ticks_change: 'ticks-change',
			ticks_error: 'ticks-error',
			ticks_now: 'ticks-now',
			ticks_was: 'ticks-was',
			percent_now: 'share-now',
			percent_was: 'share-was',
		}),
		json: (snapshot, since, query, top) =>
			rowsAsJson(queryChanges(snapshot, since, query).rows.slice(0, top), row => ({
				...frameOf(row),
				change: row.kind,
				noise: row.isNoise,
				cpuMsPerS: {
					change: decimals(row.cpuChange, 3),
					error: decimals(row.cpuError, 3),
					...pairOf(row, figures => figures.cpuMsPerS),
				},
				ticksPerS: {
					change: decimals(row.ticksChange, 3),
					error: decimals(row.ticksError, 3),
					...pairOf(row, figures => figures.ticksPerS),
				},
				cpuPercent: pairOf(row, figures => figures.cpuPercent),
			})),
	},
};

function coresOf({cpuChange, cpuError, now, was}: ChangeRow): readonly number[] {
	return [cpuChange, cpuError, now.cpuMsPerS, was.cpuMsPerS].map(msPerS => coreOf(msPerS));
}

function changeText(unit: Printable, [change, error, now, was]: readonly number[]): Printable {
	const certainty = Number.isNaN(error) ? safe`(error unknown)` : safe`+/- ${rate(error)}`;
	return safe`${signed(change)}${unit} ${certainty}: ${rate(now)} now, ${rate(was)} in the baseline`;
}

function pairOf({now, was}: ChangeRow, of: (figures: ChangeFigures) => number) {
	return {now: decimals(of(now), 3), was: decimals(of(was), 3)};
}
