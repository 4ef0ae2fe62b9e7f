import {CpuShares} from '../jvm/counters/vitals.js';
import {listJvms, type JvmListing} from '../jvm/list.js';
import {formatBytes} from '../query/columns/format.js';
import {dayAndTime} from '../ui/text/clock.js';

/** A JVM with what it uses. */
export type JvmRow = JvmListing & {
	/** CPU time since the look before, percent of one core; undefined at the first. */
	readonly cpuPercent?: number;
};

/** A column of the lists of JVMs. */
type JvmColumn = {
	readonly heading: string;
	readonly align: 'left' | 'right';
	/** Terminal width, in columns, from which the chooser shows it. */
	readonly fromColumns: number;
	/** A figure that changes: what is typed into the chooser is not looked for in it. */
	readonly isFigure?: true;
	cell(row: JvmRow): string;
};

/** What stands between a JVM's pid and its name. */
export const jvmColumns: readonly JvmColumn[] = [
	{
		heading: 'CPU', align: 'right', fromColumns: 30, isFigure: true,
		cell: ({cpuPercent}) => cpuPercent === undefined ? '-' : `${Math.round(cpuPercent)}%`,
	},
	{
		heading: 'HEAP', align: 'right', fromColumns: 60, isFigure: true,
		cell: ({heapUsedBytes, heapCapacityBytes}) => heapCapacityBytes === undefined ? '-' : `${heapUsedBytes === undefined ? '-' : formatBytes(heapUsedBytes)}/${formatBytes(heapCapacityBytes)}`,
	},
	{
		heading: 'USER', align: 'left', fromColumns: 50,
		cell: ({user}) => user,
	},
	{
		heading: 'JVM', align: 'left', fromColumns: 100,
		cell: ({jvmVersion}) => jvmVersion || '-',
	},
	{
		heading: 'UP SINCE', align: 'left', fromColumns: 110,
		cell: ({startedAtMs}) => startedAtMs > 0 ? dayAndTime(startedAtMs) : '-',
	},
];

/** Looks at the JVMs of this host: each look has their CPU shares since the one before. The busiest come first. */
export function jvmScanner(): () => JvmRow[] {
	const shares = new CpuShares();
	return () => {
		const jvms = listJvms();
		const percents = shares.since(jvms);
		const rows = jvms.map((jvm): JvmRow => ({...jvm, cpuPercent: percents.get(jvm.pid)}));
		// Not known counts as none; JVMs that are alike keep the order of their pids.
		return rows.sort((a, b) => Math.round(b.cpuPercent ?? 0) - Math.round(a.cpuPercent ?? 0));
	};
}
