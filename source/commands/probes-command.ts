import {command, noArguments} from '../options/command.js';

export const probesCommand = command({
	name: 'probes',
	help: 'the probes that tasks can use, and what each watches',
	options: {},
	read: noArguments,
	async run() {
		const {probesText} = await import('./tasks.js');
		return probesText();
	},
});
