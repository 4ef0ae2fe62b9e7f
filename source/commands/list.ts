import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {joined, printable, safe, type Printable} from '../util/printable.js';
import {engines} from '../engines/engine-registry.js';
import {jsonSchema} from '../exports/common/export-format.js';
import {exportFormats, type ExportFormat} from '../exports/formats/format-registry.js';
import {wrapAt} from '../exports/common/text-table.js';
import {cellWidth, elideEnd, pad} from '../util/cell-width.js';
import {usage} from '../runtime/errors.js';
import {eitherOf} from '../options/option.js';
import {version} from '../runtime/bundle.js';
import {CpuShares} from '../jvm/counters/vitals.js';
import {listJvms, type JvmListing} from '../jvm/discovery/list-jvms.js';
import {formatBytes, dayAndTime} from '../query/columns/format.js';
import type {ChoiceColumn, ChoiceList} from '../ui/components/choice-table.js';

/** Lists this host's JVMs; takes a second if there are any. Throws UserError (2) if the format cannot hold a list. */
export async function list({id, listing}: ExportFormat): Promise<string> {
	const write = listing && writers[listing];
	if (write === undefined) {
		throw usage(
			`--format ${id} cannot be used for a list of JVMs`,
			`use ${eitherOf(exportFormats.filter(format => format.listing).map(format => format.id))}`,
		);
	}

	const scan = jvmScanner();
	return write(scan().length === 0 ? [] : await scanAfterASecond(scan));
}

async function scanAfterASecond(scan: () => JvmRow[]): Promise<JvmRow[]> {
	const {stderr} = process;
	if (stderr.isTTY) {
		stderr.write('measuring CPU for a second...');
	}

	await sleep(1000);
	const rows = scan();
	if (stderr.isTTY) {
		stderr.write('\r\u001B[K');
	}

	return rows;
}

const writers: Readonly<Record<NonNullable<ExportFormat['listing']>, (jvms: readonly JvmRow[]) => string>> = {
	table: jvms => listText(jvms, process.stdout.isTTY ? process.stdout.columns : undefined),
	document: listJson,
};

const remarkIndent = safe`    `;

const enginesWithoutSocket = joined(
	engines.filter(({needsAttachSocket}) => !needsAttachSocket).map(({id}) => printable(id)),
	safe` or `,
);

function remark({problem, attachProblem}: JvmRow): Printable {
	if (problem) {
		return safe`  (cannot be profiled: ${problem})`;
	}

	return attachProblem ? safe`  (with the ${enginesWithoutSocket} engine only: ${attachProblem})` : safe``;
}

/** Returns the table of `tprof-top list`, as wide as the terminal; says why a JVM cannot be profiled. */
export function listText(jvms: readonly JvmRow[], width = Infinity): string {
	const rows = jvms.map(jvm => ({
		cells: jvmColumns.map(column => column.cell(jvm)),
		name: jvm.mainClass,
		remark: remark(jvm),
	}));
	return rows.length === 0
		? 'no JVMs on this host that this user can see\n'
		: tableText({columns: jvmColumns, nameHeading: safe`MAIN CLASS`}, rows, width);
}

/** Returns a table with the columns that fit a width. A row's remark is behind it or, if it does not fit, below it. */
export function tableText(
	{columns, nameHeading}: Pick<ChoiceList, 'columns' | 'nameHeading'>,
	rows: ReadonlyArray<{readonly cells: readonly Printable[]; readonly name: Printable; readonly remark?: Printable}>,
	width: number,
): string {
	const lines = [{cells: columns.map(({heading}) => heading), name: nameHeading, remark: safe``}, ...rows];
	const widths = columns.map((_, index) => Math.max(...lines.map(({cells}) => cellWidth(cells[index]))));
	return lines.flatMap(({cells, name, remark = safe``}) => {
		const shown = columns.flatMap(({align, fromColumns}, index) =>
			width >= fromColumns ? [pad(cells[index], widths[index], align)] : []);
		const line = joined([...shown, name], safe`  `).trimEnd();
		if (cellWidth(safe`${line}${remark}`) <= width) {
			return [safe`${line}${remark}`];
		}

		const below = remark === '' ? [] : wrapAt(safe` `, safe`${remarkIndent}${remark.trim()}`, width, remarkIndent);
		return [elideEnd(line, width), ...below];
	}).map(line => `${line}\n`).join('');
}

/** Returns the list as JSON; docs/formats.md describes it. */
export function listJson(jvms: readonly JvmRow[]): string {
	const rows = jvms.map(({
		pid,
		user,
		jvmVersion,
		vm,
		mainClass,
		command,
		startedAtMs,
		cpuPercent,
		heapUsedBytes,
		heapCapacityBytes,
		problem,
		hint,
		attachProblem,
	}) => JSON.stringify({
		pid,
		user,
		mainClass,
		command,
		jvmVersion,
		vm,
		startedAt: startedAtMs > 0 ? new Date(startedAtMs).toISOString() : null,
		cpuPercent: cpuPercent === undefined ? null : Number(cpuPercent.toFixed(1)),
		heapUsedBytes: heapUsedBytes ?? null,
		heapCapacityBytes: heapCapacityBytes ?? null,
		problem: problem ?? null,
		hint: hint ?? null,
		attachProblem: attachProblem ?? null,
	}));
	const head = {tool: 'tprof-top', version, schema: jsonSchema};
	return `${JSON.stringify(head).slice(0, -1)},"jvms":[${rows.length === 0 ? '' : `\n${rows.join(',\n')}\n`}]}\n`;
}

export type JvmRow = JvmListing & {
	/** CPU time since the previous scan, percent of one core; undefined at the first. */
	readonly cpuPercent?: number;
};

type JvmColumn = ChoiceColumn & {
	/** Whether it is a figure: the chooser's filter does not search figures. */
	readonly isFigure?: true;
	cell(row: JvmRow): Printable;
};

export const jvmColumns: readonly JvmColumn[] = [
	{heading: safe`PID`, align: 'right', fromColumns: 0, cell: ({pid}) => safe`${pid}`},
	{
		heading: safe`CPU`, align: 'right', fromColumns: 30, isFigure: true,
		cell: ({cpuPercent}) => cpuPercent === undefined ? safe`-` : safe`${Math.round(cpuPercent)}%`,
	},
	{
		heading: safe`HEAP`,
		align: 'right',
		fromColumns: 60,
		isFigure: true,
		cell: ({heapUsedBytes, heapCapacityBytes}) =>
			heapCapacityBytes === undefined
				? safe`-`
				: safe`${heapUsedBytes === undefined ? '-' : formatBytes(heapUsedBytes)}/${formatBytes(heapCapacityBytes)}`,
	},
	{heading: safe`USER`, align: 'left', fromColumns: 50, cell: ({user}) => user},
	{heading: safe`JVM`, align: 'left', fromColumns: 100, cell: ({jvmVersion}) => jvmVersion || safe`-`},
	{
		heading: safe`UP SINCE`, align: 'left', fromColumns: 110,
		cell: ({startedAtMs}) => startedAtMs > 0 ? dayAndTime(startedAtMs) : safe`-`,
	},
];

/** Returns a function that scans this host's JVMs, with their CPU use since its previous call, the busiest first. */
export function jvmScanner(): () => JvmRow[] {
	const shares = new CpuShares();
	return () => {
		const jvms = listJvms();
		const percents = shares.since(jvms);
		const rows = jvms.map((jvm): JvmRow => ({...jvm, cpuPercent: percents.get(jvm.pid)}));
		// Unknown counts as 0; equally busy JVMs stay in the order of their pids.
		return rows.sort((a, b) => Math.round(b.cpuPercent ?? 0) - Math.round(a.cpuPercent ?? 0));
	};
}
