import {command, noArguments} from '../options/command.js';

/** What --help does too. */
export const helpCommand = command({
	name: 'help',
	help: 'all options',
	options: {},
	read: noArguments,
	async run(_, __, commands) {
		const {helpText} = await import('../options/help.js');
		return `${helpText(commands)}\n`;
	},
});
