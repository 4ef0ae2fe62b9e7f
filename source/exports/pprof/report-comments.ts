import type {Snapshot} from '../../model/snapshot.js';
import {parseSavedTasks, writeTaskReport} from '../../model/task-report-bytes.js';
import {parseReport, writeReport} from '../../model/trace-report-bytes.js';

/** How the comments with an agent's reports begin in a pprof file: tools print none that starts with `#`. */
const prefixes = {traces: '#tprof-top-traces ', tasks: '#tprof-top-tasks '} as const;
type Reports = Pick<Snapshot, keyof typeof prefixes>;

/** More than the agent reports, in base64. */
const mostCharacters = 2 ** 24;

/** What an agent reported, a line each; without those that are too long to be read again. */
export function encodeReports({traces, tasks}: Reports): string[] {
	return [
		...(traces ? [prefixes.traces + base64(writeReport(traces))] : []),
		...(tasks ? [prefixes.tasks + base64(writeTaskReport(tasks))] : []),
	].filter(({length}) => length <= mostCharacters);
}

/** What `encodeReports` wrote; `find` gives the comment that begins so. Throws RangeError for anything else. */
export function decodeReports(find: (prefix: string) => string | undefined): Reports {
	const [traces, tasks] = [find(prefixes.traces), find(prefixes.tasks)];
	return {
		...(traces === undefined ? {} : {traces: parseReport(bytesOf(traces, prefixes.traces))}),
		...(tasks === undefined ? {} : {tasks: parseSavedTasks(bytesOf(tasks, prefixes.tasks))}),
	};
}

function base64(bytes: Uint8Array): string {
	return Buffer.from(bytes).toString('base64');
}

function bytesOf(text: string, {length}: string): Uint8Array {
	if (text.length > mostCharacters) {
		throw new RangeError('a report that is too long');
	}

	return Buffer.from(text.slice(length), 'base64');
}
