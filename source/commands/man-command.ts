import {command, noArguments} from '../options/command.js';

export const manCommand = command({
	name: 'man',
	help: 'the manual page',
	options: {},
	read: noArguments,
	async run(_, __, commands) {
		const {manual} = await import('../manual/man-page.js');
		return manual(commands);
	},
});
