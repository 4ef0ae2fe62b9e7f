import {engines} from '../engines/registry.js';
import type {JvmListing} from '../jvm/list.js';
import {dayAndTime} from '../ui/text/clock.js';

const heads = ['PID', 'USER', 'JVM', 'UP SINCE', 'MAIN CLASS'] as const;

/** Since when a JVM is up (epoch milliseconds), local time; "-" when it is not known. */
export function upSince(startedAtMs: number): string {
	return startedAtMs > 0 ? dayAndTime(startedAtMs) : '-';
}

const withoutSocket = engines.filter(({needsAttachSocket}) => !needsAttachSocket).map(({id}) => id).join(' or ');

function remark({problem, attachProblem}: JvmListing): string {
	return problem ? `  (cannot be profiled: ${problem})` : (attachProblem ? `  (with the ${withoutSocket} engine only: ${attachProblem})` : '');
}

/** The table that `tprof-top list` prints; a JVM that cannot be profiled has the reason after its name. */
export function listText(jvms: readonly JvmListing[]): string {
	if (jvms.length === 0) {
		return 'no JVMs on this host that this user can see\n';
	}

	const rows = jvms.map(jvm => [
		String(jvm.pid),
		jvm.user,
		jvm.jvmVersion || '-',
		upSince(jvm.startedAtMs),
		`${jvm.mainClass}${remark(jvm)}`,
	]);
	const widths = heads.map((head, column) => Math.max(head.length, ...rows.map(row => row[column].length)));
	const line = (cells: readonly string[]) => cells.map((cell, column) => column === 0 ? cell.padStart(widths[column]) : cell.padEnd(widths[column])).join('  ').trimEnd();
	return `${[line(heads), ...rows.map(row => line(row))].join('\n')}\n`;
}
