// Loaded before the program in a profiled run: has V8 profile worker threads too, which do not take over the program's
// flags.
import {syncBuiltinESMExports} from 'node:module';
import workerThreads from 'node:worker_threads';
import process from 'node:process';

const {Worker} = workerThreads;
workerThreads.Worker = class extends Worker {
	constructor(file, options) {
		super(file, {...options, execArgv: process.execArgv.filter(argument => argument.startsWith('--cpu-prof'))});
	}
};
syncBuiltinESMExports();
