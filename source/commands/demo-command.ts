import {command, noArguments} from '../options/command.js';

export const demoCommand = command({
	name: 'demo',
	help: 'a small bundled Java program with known hot lines',
	options: {
		groups: ['sampling', 'view', 'batch', 'files', 'other'],
		except: ['last'],
		also: ['record', 'max-size'],
	},
	hasScreen: true,
	read: noArguments,
	async run(_, options) {
		const {demo} = await import('./demo.js');
		return demo(options);
	},
});
