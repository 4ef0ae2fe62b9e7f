import {readFileSync, readdirSync} from 'node:fs';
import {type PerfCalls} from './perf-calls.js';
import {ringSizes, ThreadEvent} from './thread-event.js';

/** errno values of Linux on x86-64. */
const errno = {
	EPERM: 1, ESRCH: 3, EACCES: 13, EMFILE: 24, ENOSYS: 38,
} as const;

/** Threads that are tried, as one may just end. */
const tries = 4;

/** Whether events on a process's threads are to be had: also for its time in system calls; or why not, in words. */
export type Allowed = {readonly withKernel: boolean; readonly refusal?: undefined} | {readonly refusal: string};

/** Tries it, with an event that is closed at once. Never throws. */
export function allowedEvents(calls: PerfCalls, pid: number): Allowed {
	const full = tryEvent(calls, pid, true);
	if (full === 0) {
		return {withKernel: true};
	}

	// Another answer than "not with the kernel" is no better without it.
	const error = full === errno.EACCES ? tryEvent(calls, pid, false) : full;
	return error === 0 ? {withKernel: false} : {refusal: refusalOf(error)};
}

/** kernel.perf_event_paranoid; what it may be where that cannot be read. */
export function paranoid(): string {
	try {
		return readFileSync('/proc/sys/kernel/perf_event_paranoid', 'latin1').trim();
	} catch {
		return '?';
	}
}

function tryEvent(calls: PerfCalls, pid: number, withKernel: boolean): number {
	let error: number = errno.ESRCH;
	for (const tid of threadsOf(pid)) {
		const event = ThreadEvent.open(calls, tid, {size: ringSizes.at(-1)!, periodNs: 1e9, withKernel});
		if (typeof event !== 'number') {
			event.close();
			return 0;
		}

		if (event !== errno.ESRCH) {
			return event;
		}

		error = event;
	}

	return error;
}

function threadsOf(pid: number): number[] {
	try {
		return readdirSync(`/proc/${pid}/task`).slice(0, tries).map(Number);
	} catch {
		return [];
	}
}

function refusalOf(error: number): string {
	switch (error) {
		case errno.EACCES: {
			return `kernel.perf_event_paranoid ${paranoid()}`;
		}

		case errno.EPERM: {
			return 'a system call filter (seccomp, as is usual in containers), the kernel\'s lockdown, or too little lockable memory (ulimit -l)';
		}

		case errno.ENOSYS: {
			return 'this kernel has no perf events';
		}

		case errno.EMFILE: {
			return 'no more files may be opened (ulimit -n)';
		}

		default: {
			return `error ${error}`;
		}
	}
}
