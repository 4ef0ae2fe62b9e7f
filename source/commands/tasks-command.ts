import {command, rejectWords} from '../options/command.js';
import {usage} from '../runtime/errors.js';

const example = 'tprof-top tasks 4711 --probe executors';

export const tasksCommand = command({
	name: 'tasks',
	usage: 'PID',
	help: 'how long tasks (executors and others) spend in each state, with an agent in the JVM',
	options: {
		groups: ['sampling', 'view', 'batch', 'files', 'tasks', 'other'],
		except: ['last'],
		also: ['record', 'max-size', 'running-loops', 'yes'],
	},
	hasScreen: true,
	needsLinux: true,
	checksFormat: true,
	read([target, ...others]) {
		if (target === undefined) {
			throw usage('tasks needs a target', example);
		}

		rejectWords(others, {hint: example});
		return target;
	},
	async run(target, options) {
		const {followTasks, followTasksOnScreen} = await import('./tasks.js');
		return options.onScreen ? followTasksOnScreen(target, options) : followTasks(target, options);
	},
});
