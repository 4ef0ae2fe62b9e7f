import {expect, test} from 'vitest';
import {csv} from '../../source/exports/formats/csv.js';
import {renderFinalSummary} from '../../source/exports/formats/final-summary.js';
import {text} from '../../source/exports/formats/text.js';
import {headingOf} from '../../source/query/columns/column.js';
import {measureOf} from '../../source/query/counters/scope.js';
import {sampledMs} from '../../source/query/counters/share.js';
import {defaultQuery, type Measure, type Query, type Unit} from '../../source/query/types/query.js';
import {viewOf} from '../../source/views/view-registry.js';
import {picture} from '../helpers/picture.js';
import {screenOf} from '../helpers/session-screen.js';

/** Twenty seconds of a program that uses two percent of a core, most of it at one line. */
const session = {samples: 34, durationMs: 20_000, sampledMs: 20_000};
const quiet = picture(`
	main  | R*34 | Shop.main:1 | Shop.hot:7
	other | R*6  | Shop.main:1 | Shop.cold:9
`, session);
const inCore = 1.7;
const inCpu = 85;

/** The figures of the view's first row in columns, by heading. */
function figures(viewId: string, unit: Unit, columns: readonly string[]): Record<string, string> {
	const view = viewOf(viewId);
	const query: Query = {...defaultQuery, sort: view.sort, unit, method: 'Shop.hot'};
	const overMs = sampledMs(quiet, undefined);
	const context = {measure: measureOf(query, overMs), overMs, fullNames: true, room: 20};
	const row = view.query(quiet, undefined, query).rows.at(viewId === 'tree' || viewId === 'flame' ? -1 : 0)!;
	return Object.fromEntries(columns.map(id => {
		const column = view.columns.find(other => other.id === id)!;
		return [headingOf(column, context.measure), column.value(row, context)];
	}));
}

test.each([
	[
		'lines',
		['self', 'total'],
		{'CPU%': '1.7', TOTAL: '1.7'},
		{SHARE: '85.0', TOTAL: '85.0'},
		{CPUms: '340', TOTms: '340'},
	],
	['stacks', ['share'], {'CPU%': '1.7'}, {SHARE: '85.0'}, {CPUms: '340'}],
	['threads', ['cpu'], {'CPU%': '1.7'}, {SHARE: '85.0'}, {CPUms: '340'}],
	['focus', ['cpu'], {'CPU%': '1.7'}, {SHARE: '100'}, {CPUms: '340'}],
])('%s has percent of a core, and on request the share or milliseconds', (view, columns, core, cpu, ms) => {
	expect(figures(view, 'core', columns)).toEqual(core);
	expect(figures(view, 'cpu', columns)).toEqual(cpu);
	expect(figures(view, 'cpu-ms', columns)).toEqual(ms);
});

test('Tree, and Flame with it, have the totals and the row\'s own time in one unit', () => {
	expect(figures('tree', 'core', ['total', 'self'])).toEqual({'CPU%': '0.3', 'SELF%': '0.3'});
	expect(figures('tree', 'cpu', ['total', 'self'])).toEqual({SHARE: '15.0', SELF: '15.0'});
});

test('the error is in the unit of the figure', () => {
	const errorIn = (unit: Unit) => Number(figures('lines', unit, ['error'])['+/-']);
	expect(errorIn('core')).toBeGreaterThan(0);
	expect(Math.abs((errorIn('core') / inCore) - (errorIn('cpu') / inCpu))).toBeLessThan(0.04);
	expect(Math.abs((errorIn('cpu-ms') / 340) - (errorIn('cpu') / inCpu))).toBeLessThan(0.04);
});

test('a hot line of a program that uses almost nothing is no fire', () => {
	const [self] = viewOf('lines').columns;
	const [row] = viewOf('lines').query(quiet, undefined, defaultQuery).rows;
	const roleIn = (measure: Measure) => self.role!(row, {measure, overMs: 20_000, fullNames: true, room: 20});
	expect((['core', 'cpu', 'cpu-ms', 'ticks', 'waiting'] as const).map(measure => roleIn(measure))).toEqual([
		undefined, undefined, undefined, undefined, undefined,
	]);
});

test('reports, details and the summary at the end have the same unit; files keep their fields', async () => {
	const report = text.write(quiet, undefined, {query: defaultQuery, version: ''}) as string;
	expect(report).toMatch(/^ {2}CPU% [^]*^ {3}1\.7 .*Shop\.hot:7[^]*^ {2}CPU%[^]*^ {3}1\.7 .* main /m);
	expect(renderFinalSummary(quiet, 100)).toContain('  1.7% of a core      340 ms  Shop.hot:7');
	const detail = await screenOf(quiet).text('enter');
	expect(detail).toMatch(/1\.7% of a core \+\/- \d\.\d, 85\.0% of the CPU time, 340 ms CPU/);
	const [heading, hot] = (csv.write(quiet, undefined, {query: defaultQuery, version: ''}) as string).split('\n');
	expect(hot.split(',')[heading.split(',').indexOf('self_percent')]).toBe('85');
});

test('without the length of the window, as in some profiles of other tools, there are only shares', () => {
	const timeless = {...quiet, session: {...quiet.session, sampledMs: 0, durationMs: 0}};
	const report = text.write(timeless, undefined, {query: defaultQuery, version: ''}) as string;
	expect(report).toMatch(/^ SHARE [^]*^ {2}85\.0 .*Shop\.hot:7/m);
});
