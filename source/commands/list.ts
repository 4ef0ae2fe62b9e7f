import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {joined, printable, safe, type Printable} from '../util/printable.js';
import {engines} from '../engines/engine-registry.js';
import {jsonSchema} from '../exports/common/export-format.js';
import {exportFormats, type ExportFormat} from '../exports/formats/format-registry.js';
import {wrapAt} from '../exports/common/text-table.js';
import {cellWidth, elideEnd, fit} from '../util/cell-width.js';
import {usage} from '../runtime/errors.js';
import {eitherOf} from '../options/option.js';
import {version} from '../util/version.js';
import {decimals, plural} from '../query/columns/format.js';
import {textFor, visibleColumns, type ChoiceColumn} from '../ui/components/choice-table.js';
import type {ChoiceCell} from '../ui/state/reduce-chooser.js';
import {HostMonitor, type HostJvm} from './host-monitor.js';
import {jvmColumns, trendId} from './jvm-table.js';

/** Long enough to find threads that wait for each other, which must last for two seconds. */
const defaultDurationS = 3;

/** A finding must be there in two scans, so there are several. */
const scanEveryMs = 500;

/**
Lists this host's JVMs; if there are any, it measures them for some seconds. Throws UserError (2) if the format cannot
hold a list.
*/
export async function list({id, listing}: ExportFormat, durationS = defaultDurationS): Promise<string> {
	const write = listing && writers[listing];
	if (write === undefined) {
		throw usage(
			`--format ${id} cannot be used for a list of JVMs`,
			`use ${eitherOf(exportFormats.filter(format => format.listing).map(format => format.id))}`,
		);
	}

	const monitor = new HostMonitor({isShort: true});
	try {
		return write(monitor.jvms().length === 0 ? [] : await measured(monitor, durationS));
	} finally {
		await monitor.close();
	}
}

/** Returns the JVMs after some seconds. */
async function measured(monitor: HostMonitor, durationS: number): Promise<readonly HostJvm[]> {
	const {stderr} = process;
	if (stderr.isTTY) {
		stderr.write(`measuring for ${plural(durationS, safe`second`)}...`);
	}

	const endMs = performance.now() + (durationS * 1000);
	let jvms = monitor.jvms();
	for (let leftMs = durationS * 1000; leftMs > 0; leftMs = endMs - performance.now()) {
		await sleep(Math.min(leftMs, scanEveryMs));
		jvms = monitor.jvms();
	}

	if (stderr.isTTY) {
		stderr.write('\r\u001B[K');
	}

	return jvms;
}

const writers: Readonly<Record<NonNullable<ExportFormat['listing']>, (jvms: readonly HostJvm[]) => string>> = {
	table: jvms => listText(jvms, process.stdout.isTTY ? process.stdout.columns : undefined),
	document: listJson,
};

const remarkIndent = safe`    `;

const enginesWithoutSocket = joined(
	engines.filter(({needsAttachSocket}) => !needsAttachSocket).map(({id}) => printable(id)),
	safe` or `,
);

/** Returns the last cell of a row, for which there is more room than on the screen. */
function remark({problem, attachProblem, findings}: HostJvm): Printable {
	if (findings.length > 0) {
		return joined(findings.map(({text}) => safe`! ${text}`), safe` `);
	}

	if (problem) {
		return safe`cannot be profiled: ${problem}`;
	}

	return attachProblem ? safe`with the ${enginesWithoutSocket} engine only: ${attachProblem}` : safe``;
}

/** Returns the table of `tprof-top list`, as wide as the terminal; says why a JVM cannot be profiled. */
export function listText(jvms: readonly HostJvm[], width = Infinity): string {
	const columns = jvmColumns.filter(({id}) =>
		id !== trendId && (id !== 'container' || jvms.some(({container}) => container !== '')));
	const rows = jvms.map(jvm => [
		...columns.slice(0, -1).map(column => column.cell(jvm)),
		{text: remark(jvm)},
	]);
	return rows.length === 0 ? 'no JVMs on this host that this user can see\n' : tableText(columns, rows, width);
}

/**
Returns a table with the columns that fit a width. A last cell that does not fit is below its row.
*/
export function tableText(
	columns: ReadonlyArray<Pick<ChoiceColumn, 'heading' | 'align' | 'fromColumns' | 'belowColumns' | 'maxShare'>>,
	rows: ReadonlyArray<ReadonlyArray<Pick<ChoiceCell, 'text' | 'short'>>>,
	width: number,
): string {
	const visible = visibleColumns(columns, width);
	const most = visible.map(({maxShare = 1 / 2}, at) =>
		at === visible.length - 1 ? Infinity : Math.floor(width * maxShare));
	const headings = visible.map(({heading}) => heading);
	const lines = [
		headings,
		...rows.map(cells => visible.map(({index}, at) => textFor(cells[index], most[at]))),
	];
	const widths = most.map((cells, at) => Math.min(cells, Math.max(...lines.map(line => cellWidth(line[at])))));
	return lines.flatMap(cells => {
		const last = cells.at(-1)!;
		const before = joined(
			cells.slice(0, -1).map((cell, at) => fit(cell, widths[at], visible[at].align)),
			safe`  `,
		);
		const line = safe`${before}  ${last}`.trimEnd();
		return cellWidth(line) <= width
			? [line]
			: [elideEnd(before.trimEnd(), width), ...wrapAt(safe` `, safe`${remarkIndent}${last}`, width, remarkIndent)];
	}).map(line => `${line}\n`).join('');
}

/** Returns the list as JSON; docs/formats.md describes it. */
export function listJson(jvms: readonly HostJvm[]): string {
	const rows = jvms.map(({
		pid,
		user,
		jvmVersion,
		vm,
		mainClass,
		command,
		startedAtMs,
		cpu: {percent},
		vitals: {heapUsedBytes, heapCapacityBytes, heapMaxBytes, heapAfterGcBytes, recentGcPercent, threadCount},
		container,
		findings,
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
		cpuPercent: percent === undefined ? null : decimals(percent, 1),
		heapUsedBytes: heapUsedBytes ?? null,
		heapCapacityBytes: heapCapacityBytes ?? null,
		heapMaxBytes: heapMaxBytes ?? null,
		heapAfterGcBytes: heapAfterGcBytes ?? null,
		gcPercent: recentGcPercent === undefined ? null : decimals(recentGcPercent, 1),
		threads: threadCount ?? null,
		container,
		findings: findings.map(({id, text, figures, error = null}) => ({id, sentence: text, figures, error})),
		problem: problem ?? null,
		hint: hint ?? null,
		attachProblem: attachProblem ?? null,
	}));
	const head = {tool: 'tprof-top', version, schema: jsonSchema};
	return `${JSON.stringify(head).slice(0, -1)},"jvms":[${rows.length === 0 ? '' : `\n${rows.join(',\n')}\n`}]}\n`;
}
