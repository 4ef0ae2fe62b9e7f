import {command, rejectWords} from '../options/command.js';

export const profileCommand = command({
	name: 'profile',
	isUnnamed: true,
	usage: '[options] PID',
	help: 'live; PID, or a part of the main class\'s name that matches one JVM',
	options: {
		groups: ['sampling', 'view', 'batch', 'files', 'other'],
		except: ['last'],
		also: ['record', 'max-size'],
	},
	hasScreen: true,
	needsLinux: true,
	read([target, ...others]) {
		rejectWords(others, {misspelt: target});
		return target;
	},
	async run(target, options) {
		const [{profileTarget}, {resolveTarget}] = await Promise.all([
			import('./profile-target.js'),
			import('./resolve-target.js'),
		]);
		return profileTarget(await resolveTarget(target), options);
	},
});
