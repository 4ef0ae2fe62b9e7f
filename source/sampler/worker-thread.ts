import {existsSync} from 'node:fs';
import process from 'node:process';
import {fileURLToPath} from 'node:url';
import {Worker, type WorkerOptions} from 'node:worker_threads';
import {loadLibc} from '../jvm/system/koffi.js';
import {isSingleFile, readBundled} from '../util/bundle.js';

/** How long a worker may take to stop (it may be waiting for a slow target) before it is terminated. */
const closeWaitMs = 2000;
/** How long a terminated worker may take to exit; after that it hangs in a system call and is abandoned. */
const terminateWaitMs = 2000;

/** Maximum young generation of a worker's heap; by default V8 lets it grow to 48 MB before the first collection. */
export const youngGeneration = {maxYoungGenerationSizeMb: 6};

/**
Starts a worker from a file of the build: by default the one next to this module or above it, which is in dist if run
from source.
*/
export function startWorker(name: string, options: WorkerOptions, url?: URL): Worker {
	if (isSingleFile) {
		return new Worker(readBundled(name)!.toString(), {...options, eval: true});
	}

	const candidates = import.meta.url.endsWith('.ts') ? [`../../dist/${name}`] : [`./${name}`, `../${name}`];
	const urls = candidates.map(candidate => new URL(candidate, import.meta.url));
	return new Worker(url ?? urls.find(each => existsSync(fileURLToPath(each))) ?? urls[0], options);
}

/**
Ends a worker that has been told to stop; `exited` resolves when it exits. Resolves to false if it hangs in a system
call: it is abandoned.
*/
export async function endWorker(worker: Worker, exited: Promise<void>): Promise<boolean> {
	if (await within(closeWaitMs, exited)) {
		return true;
	}

	void worker.terminate();
	// `terminate` references the worker again.
	worker.unref();
	if (await within(terminateWaitMs, exited)) {
		return true;
	}

	// Pending output would keep the process alive.
	worker.stdout.push(null);
	worker.stderr.push(null);
	exitWithoutWorkers();
	return false;
}

/**
Makes this process, when it exits, not wait for a worker that hangs in a system call: it ends with its exit code if the
C library can be called, otherwise by SIGKILL.
*/
function exitWithoutWorkers(): void {
	process.once('exit', code => {
		loadLibc()?.func('void _exit(int status)')(code);
		process.kill(process.pid, 'SIGKILL');
	});
}

/** Whether one of these promises resolves within `ms` milliseconds. */
export async function within(ms: number, ...promises: ReadonlyArray<Promise<void>>): Promise<boolean> {
	let timer: NodeJS.Timeout | undefined;
	const isTimedOut = new Promise<boolean>(resolve => {
		timer = setTimeout(resolve, ms, true);
	});
	try {
		return await Promise.race([...promises, isTimedOut]) !== true;
	} finally {
		clearTimeout(timer);
	}
}
