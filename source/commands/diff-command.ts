import {command, rejectWords} from '../options/command.js';
import {usage} from '../runtime/errors.js';

const example = 'tprof-top diff before.tprof after.tprof, or diff A@14:02..14:03 A@15:02..15:03';

export const diffCommand = command({
	name: 'diff',
	usage: 'A B',
	path: 'file',
	help: 'what B uses more or less than A: snapshots, recordings, spans (FILE@14:02..14:03) or JVMs',
	options: {groups: ['sampling', 'view', 'batch', 'files', 'other'], except: ['last']},
	hasScreen: true,
	/** Returns the two sides: files, spans of recordings or JVMs. */
	read([a, b, ...others]) {
		if (a === undefined || b === undefined) {
			throw usage('diff needs two sides', example);
		}

		rejectWords(others, {hint: example});
		return [a, b] as const;
	},
	async run(sides, options) {
		const {diff} = await import('./diff.js');
		return diff(sides, options);
	},
});
