import {command, noArguments} from '../options/command.js';
import {usage} from '../runtime/errors.js';

export const chooseCommand = command({
	name: 'choose',
	isUnnamed: true,
	help: 'a live table of the JVMs on this host; Enter opens one',
	options: {
		groups: ['sampling', 'view', 'batch', 'files', 'other'],
		except: ['last'],
		also: ['record', 'max-size'],
	},
	hasScreen: true,
	needsLinux: true,
	read: noArguments,
	async run(_, options) {
		if (!options.onScreen) {
			throw usage(
				'which JVM? Give a pid or a part of a main class\'s name',
				'tprof-top list shows the JVMs on this host',
			);
		}

		const {showHost} = await import('./host.js');
		return showHost(options);
	},
});
