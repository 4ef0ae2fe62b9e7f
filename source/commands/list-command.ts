import {command, noArguments} from '../options/command.js';

export const listCommand = command({
	name: 'list',
	help: 'the JVMs on this host, with CPU, heap, collections and threads, the busiest first',
	options: {groups: ['other'], also: ['color', 'ascii', 'format', 'duration']},
	needsLinux: true,
	read: noArguments,
	async run(_, options) {
		const [{list}, {formatOf}] = await Promise.all([
			import('./list.js'),
			import('../exports/formats/format-registry.js'),
		]);
		return list(formatOf(options.format), options.durationS);
	},
});
