import os from 'node:os';
import type {Fact} from '../exports/common/export-format.js';
import {readTuningFlags} from '../jvm/counters/jvm-flags.js';
import type {Target} from '../jvm/target.js';
import {formatDuration} from '../query/columns/format.js';
import {fixed, joined, printable, safe} from '../util/printable.js';

/** Returns what a reader elsewhere needs to know of a target: its host, its process, and its JVM's flags. */
export function factsOf({pid, facts: {user, startedAtMs}, ...target}: Target): Fact[] {
	const cpus = os.availableParallelism();
	const [load] = os.loadavg();
	const flags = readTuningFlags({pid, ...target}).map(flag => printable(flag));
	return [
		{
			name: safe`host`,
			value: safe`${printable(os.hostname())}, ${cpus} CPUs, load ${fixed(load, 1)}`,
		},
		...(startedAtMs > 0
			? [{name: safe`process`, value: safe`${pid} of ${user}, up ${formatDuration(Date.now() - startedAtMs)}`}]
			: []),
		...(flags.length > 0 ? [{name: safe`JVM flags`, value: printable(joined(flags, safe` `))}] : []),
	];
}
