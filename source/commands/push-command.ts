import {command, rejectWords} from '../options/command.js';

export const pushCommand = command({
	name: 'push',
	usage: 'PID --to URL',
	help: 'keep sending profiles to Pyroscope or an OpenTelemetry collector; --all: of every JVM',
	options: {
		groups: ['sampling', 'push', 'other'],
		also: ['color', 'ascii', 'duration', 'config', 'all', 'to'],
	},
	needsLinux: true,
	/** Returns the target; undefined for all JVMs. */
	read([target, ...others]): string | undefined {
		rejectWords(others, {hint: 'give one target, or --all'});
		return target;
	},
	async run(target, options) {
		const {push} = await import('./push.js');
		return push(target, options);
	},
});
