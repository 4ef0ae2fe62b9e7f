import {command, noArguments} from '../options/command.js';

export const watchCommand = command({
	name: 'watch',
	usage: '--all',
	help: 'record every JVM on this host around moments that match --when',
	options: {
		groups: ['sampling', 'other'],
		also: [
			'color',
			'ascii',
			'duration',
			'output',
			'config',
			'max-size',
			'when',
			'max-files',
			'exec',
			'all',
			'include',
			'exclude',
		],
	},
	needsLinux: true,
	read: noArguments,
	async run(_, options) {
		const {watchAll} = await import('./triggers.js');
		return watchAll(options);
	},
});
