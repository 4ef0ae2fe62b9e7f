import {cpus, hostname, loadavg} from 'node:os';
import {cpuPressure} from '../jvm/counters/cpu-limits.js';
import type {Role} from '../model/role.js';
import type {TargetVitals} from '../model/snapshot.js';
import {
	clock, dayAndTime, formatBytes, formatCount, formatDuration, plural, sparkline,
} from '../query/columns/format.js';
import type {Finding} from '../query/types/query.js';
import type {ChoiceColumn, ChoiceList} from '../ui/components/choice-table.js';
import type {ChoiceCell, ChoiceRow} from '../ui/state/reduce-chooser.js';
import {fixed, joined, printable, safe, type Printable} from '../util/printable.js';
import type {HostJvm} from './host-monitor.js';

/** The parts of the last minute in the sparkline of a narrow screen and of a wide one. */
const [fewParts, manyParts] = [8, 20];

/** A sparkline is full at this CPU use, percent of a core, or at the highest of the last minute if that is more. */
const fullSparkPercent = 100;

/** From these figures on a cell is coloured: CPU, percent of a core; collections and heap, percent. */
const muchCpuPercent = 25;
const muchGcPercent = 5;
const tooMuchGcPercent = 20;
const muchHeapPercent = 70;
const tooMuchHeapPercent = 85;

/** The heap grows or shrinks if what is left after collections changes by this part of its maximum a minute. */
const growthPercentPerMin = 1;

/** The columns of the sparkline, which says nothing in a table that is printed once. */
export const trendId = 'trend';

const unknown: ChoiceCell = {text: safe`-`, role: 'dim'};

type JvmColumn = ChoiceColumn & {cell(jvm: HostJvm): ChoiceCell};

/** The columns of the table of JVMs. */
export const jvmColumns: readonly JvmColumn[] = [
	{
		id: 'pid', heading: safe`PID`, align: 'right', fromColumns: 0, isText: true,
		description: safe`process id`,
		cell: ({pid}) => ({text: safe`${pid}`}),
	},
	{
		id: 'main', heading: safe`MAIN`, align: 'left', fromColumns: 0, isText: true, maxShare: 0.2,
		description: safe`main class or jar`,
		cell: ({mainClass}) => ({text: mainClass, short: mainClass.replace(/^.*[./](?=[^.]+$)(?!jar$)/, safe``)}),
	},
	trendColumn(fewParts, {fromColumns: 70, belowColumns: 120}),
	trendColumn(manyParts, {fromColumns: 120}),
	{
		id: 'cpu', heading: safe`CPU`, align: 'right', fromColumns: 30,
		description: safe`CPU time in the last second, percent of a core`,
		cell: ({cpu: {percent}}) => percent === undefined
			? unknown
			: {text: safe`${Math.round(percent)}%`, rank: percent, role: roleOf(percent, muchCpuPercent)},
	},
	{
		id: 'heap', heading: safe`HEAP`, align: 'right', fromColumns: 60,
		description: safe`${'heap in use after the last collection, percent of its maximum; '}${
			'↗ grows, ↘ shrinks by a percent a minute'
		}`,
		cell: ({vitals}) => heapCell(vitals),
	},
	{
		id: 'gc', heading: safe`GC`, align: 'right', fromColumns: 60,
		description: safe`time for which collections stopped the program, percent of the last five seconds`,
		cell: ({vitals: {recentGcPercent: percent}}) => percent === undefined
			? unknown
			: {
				text: safe`${Math.round(percent)}%`, rank: percent, role: roleOf(percent, muchGcPercent, tooMuchGcPercent),
			},
	},
	{
		id: 'threads', heading: safe`THR`, align: 'right', fromColumns: 60,
		description: safe`threads of the process`,
		cell: ({vitals: {threadCount: count}}) => count === undefined
			? unknown
			: {text: formatCount(count), rank: count},
	},
	{
		id: 'used', heading: safe`HEAP USED`, align: 'right', fromColumns: 140,
		description: safe`heap in use of its size now, as of the last collection`,
		cell: ({vitals: {heapUsedBytes: used, heapCapacityBytes: capacity}}) => capacity === undefined
			? unknown
			: {text: safe`${used === undefined ? '-' : formatBytes(used)}/${formatBytes(capacity)}`, rank: used},
	},
	{
		id: 'user', heading: safe`USER`, align: 'left', fromColumns: 100, isText: true,
		description: safe`user`,
		cell: ({user}) => ({text: user}),
	},
	{
		id: 'jvm', heading: safe`JVM`, align: 'left', fromColumns: 130, isText: true,
		description: safe`version of Java`,
		cell: ({jvmVersion}) => ({text: jvmVersion || safe`-`}),
	},
	{
		id: 'up', heading: safe`UP SINCE`, align: 'left', fromColumns: 160,
		description: safe`when the JVM started`,
		cell: ({startedAtMs}) => startedAtMs > 0 ? {text: dayAndTime(startedAtMs), rank: startedAtMs} : unknown,
	},
	{
		id: 'container', heading: safe`CONTAINER`, align: 'left', fromColumns: 110, isText: true, maxShare: 0.15,
		description: safe`pod or container`,
		cell: ({container}) => ({text: container}),
	},
	{
		id: 'trouble', heading: safe`TROUBLE`, align: 'left', fromColumns: 0,
		description: safe`${'what is wrong, as the views say it: the first finding, by rare samples that only read; '}${
			'or why the JVM cannot be opened'
		}`,
		cell: ({brief, findings}) => troubleCell(findings, brief),
	},
];

function trendColumn(parts: number, columns: Pick<ChoiceColumn, 'fromColumns' | 'belowColumns'>): JvmColumn {
	return {
		id: trendId, heading: safe`CPU 60 S`, align: 'left', isUnsorted: true, ...columns,
		description: safe`CPU use over the last 60 seconds; its full height is a core, or the most if that is more`,
		cell({cpu}) {
			const percents = cpu.parts(parts).map(percent => percent ?? 0);
			const full = Math.max(fullSparkPercent, ...percents);
			return {text: sparkline(percents.map(percent => percent / full)).padEnd(parts)};
		},
	};
}

function roleOf(figure: number, hotFrom: number, errorFrom = Infinity): Role | undefined {
	if (figure >= hotFrom) {
		return figure >= errorFrom ? 'error' : 'hot';
	}

	return figure < 0.5 ? 'dim' : undefined;
}

function heapCell({heapAfterGcBytes, heapMaxBytes, heapGrowthBytesPerMin: growth = 0}: TargetVitals): ChoiceCell {
	if (heapAfterGcBytes === undefined || !heapMaxBytes) {
		return unknown;
	}

	const percent = 100 * heapAfterGcBytes / heapMaxBytes;
	const change = 100 * growth / heapMaxBytes;
	const direction = change > 0 ? safe`↗` : safe`↘`;
	const arrow = Math.abs(change) < growthPercentPerMin ? safe` ` : direction;
	return {
		text: safe`${Math.round(percent)}%${arrow}`,
		rank: percent,
		role: roleOf(percent, muchHeapPercent, tooMuchHeapPercent),
	};
}

function troubleCell([first]: readonly Finding[], problem: Printable | undefined): ChoiceCell {
	return first
		? {text: safe`! ${first.text}`, rank: severityOf(first), role: first.isAlarm ? 'error' : 'hot'}
		: {text: problem ?? safe``, rank: problem === undefined ? undefined : 0};
}

function severityOf({isAlarm, isAtLimit}: Finding): number {
	return isAlarm ? 3 : (isAtLimit ? 2 : 1);
}

/** Returns the table of JVMs for the screen. `recording`: what is being recorded, if anything. */
export function jvmList(jvms: readonly HostJvm[], recording: Printable | undefined): ChoiceList {
	const columns = jvmColumns.filter(({id}) => id !== 'container' || jvms.some(({container}) => container !== ''));
	const pressure = cpuPressure();
	return {
		title: printable(hostname()),
		facts: [
			...(recording === undefined ? [] : [recording]),
			plural(cpus().length, safe`CPU`),
			safe`load ${fixed(loadavg()[0], 1)}`,
			...(pressure === undefined ? [] : [safe`cpu pressure ${Math.round(pressure)}%`]),
		],
		right: safe`${plural(jvms.length, safe`JVM`)} ${clock(Date.now())}`,
		columns,
		sortedBy: 'cpu',
		none: safe`no JVMs found; one that starts will appear here`,
		hasDetails: true,
		rows: jvms.map(jvm => rowOf(jvm, columns)),
	};
}

function rowOf(jvm: HostJvm, columns: readonly JvmColumn[]): ChoiceRow {
	const problem = jvm.problem && joined([jvm.problem, jvm.hint ?? safe``].filter(Boolean), safe`; `);
	return {
		id: safe`${jvm.pid}`,
		cells: columns.map(column => column.cell(jvm)),
		words: joined([
			// No figures, which change all the time.
			...columns.filter(({isText}) => isText).map(column => column.cell(jvm).text),
			jvm.command,
		], safe` `),
		problem,
		detail: [
			...jvm.findings.map(({text}) => safe`! ${text}`),
			...(problem === undefined ? [] : [problem]),
			factsText(jvm),
		],
	};
}

/** Returns what is known of a JVM beside its figures. */
function factsText({command, user, jvmVersion, startedAtMs, container, vitals}: HostJvm): Printable {
	const {heapUsedBytes: used, heapMaxBytes: max} = vitals;
	return joined([
		command,
		safe`user ${user}`,
		jvmVersion === '' ? safe`` : safe`Java ${jvmVersion}`,
		startedAtMs > 0 ? safe`up ${formatDuration(Date.now() - startedAtMs)}` : safe``,
		used === undefined || max === undefined ? safe`` : safe`heap ${formatBytes(used)} of ${formatBytes(max)}`,
		container === '' ? safe`` : safe`in ${container}`,
	].filter(Boolean), safe`  `);
}
