import {command, rejectWords} from '../options/command.js';
import {usage} from '../runtime/errors.js';

const example = 'tprof-top record 4711 -o FILE.tprof';

export const recordCommand = command({
	name: 'record',
	usage: 'PID -o FILE',
	help: 'write a recording; open and diff show any moment of it',
	options: {
		groups: ['sampling', 'recordings', 'trace', 'tasks', 'other'],
		except: ['record', 'all', 'at', 'from', 'to'],
		also: ['color', 'ascii', 'duration', 'output', 'config'],
	},
	needsLinux: true,
	read([target, ...others]) {
		if (target === undefined) {
			throw usage('record needs a target', example);
		}

		rejectWords(others, {hint: example});
		return target;
	},
	async run(target, options) {
		const {recordTarget} = await import('./record-target.js');
		return recordTarget(target, options);
	},
});
