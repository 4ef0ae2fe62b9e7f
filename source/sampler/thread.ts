import {existsSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {Worker} from 'node:worker_threads';
import type {ThreadData} from './messages.js';

/**
Where the worker's file is: beside the bundle or the folder of its chunks, or in dist/ when this runs from source.
*/
function defaultUrl(): URL {
	const candidates = import.meta.url.endsWith('.ts') ? ['../../dist/worker.js'] : ['./worker.js', '../worker.js'];
	const urls = candidates.map(candidate => new URL(candidate, import.meta.url));
	return urls.find(url => existsSync(fileURLToPath(url))) ?? urls[0];
}

function startThread(url: URL, isAhead = false): Worker {
	const worker = new Worker(url, {
		name: 'sampler',
		workerData: {isAhead} satisfies ThreadData,
		execArgv: [],
		// What it prints, a warning of Node's perhaps, must not reach a terminal that shows a screen.
		stdout: true,
		stderr: true,
	});
	worker.stdout.resume();
	worker.stderr.resume();
	return worker;
}

/** The worker that was started ahead and has nothing to do yet. */
let ahead: Worker | undefined;

/**
Starts the worker before it is known what there is to sample: that takes as long as reading the command line and looking
for the target. It keeps nobody waiting at the end if nothing comes of it.
*/
export function startThreadAhead(): void {
	try {
		const worker = startThread(defaultUrl(), true);
		ahead = worker;
		worker.unref();
		// Whatever it is, it happens again to the one that is started then.
		worker.on('error', forget);
		worker.on('exit', forget);
	} catch {
		// As above.
	}
}

function forget(): void {
	ahead = undefined;
}

/** The worker, which waits for its input: the one that was started ahead, or a new one. */
export function takeThread(url?: URL): Worker {
	const worker = url === undefined ? ahead : undefined;
	if (!worker) {
		return startThread(url ?? defaultUrl());
	}

	ahead = undefined;
	worker.off('error', forget);
	worker.off('exit', forget);
	worker.ref();
	return worker;
}
