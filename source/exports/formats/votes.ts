import {createHash} from 'node:crypto';
import {nativeLine} from '../../model/frame.js';
import {queryStacks} from '../../query/stacks.js';
import type {Place} from '../../query/types.js';
import type {ExportFormat} from './export-format.js';

const defaultDepth = 10;

/**
Stacks voted for by samples: how many samples had the same top frames, a fingerprint (MD5 of the frames as printed) to
find them again, and the stack. Only frames are compared, so that lock addresses, thread names and states do not split
votes.
*/
export const votes: ExportFormat = {
	id: 'votes',
	title: 'Votes',
	extension: '.votes.txt',
	description: `identical stacks, counted: votes, fingerprint, frames; RUNNABLE threads and the top ${defaultDepth} frames unless --state or --depth is given`,
	streaming: true,
	depth: defaultDepth,
	write(snapshot, baseline, {query, top, depth = defaultDepth, states = ['RUNNABLE']}) {
		const counts = new Map<string, number>();
		for (const row of queryStacks(snapshot, baseline, {...query, unit: 'ticks', states}, depth)) {
			const stack = row.frames.map(frame => `\t${frameText(frame)}\n`).join('');
			counts.set(stack, (counts.get(stack) ?? 0) + row.ticks);
		}

		return [...counts]
			.filter(([, count]) => count > 0)
			.map(([stack, count]) => ({stack, count, fingerprint: createHash('md5').update(stack).digest('hex')}))
			.sort((a, b) => b.count - a.count || (a.fingerprint < b.fingerprint ? -1 : 1))
			.slice(0, top)
			.map(({stack, count, fingerprint}) => `${String(count).padStart(5)} ${fingerprint}\n${stack}\n`)
			.join('');
	},
};

/** A frame as java.lang.StackTraceElement prints it. */
function frameText({className, method, file, line}: Place): string {
	const source = line === nativeLine ? 'Native Method' : (line >= 0 ? `${file || 'Unknown Source'}:${line}` : file || 'Unknown Source');
	return `${className}.${method}(${source})`;
}
