import {readFileSync} from 'node:fs';
import {threadIdsOf} from '../threads/kernel-name.js';
import {type PerfCalls} from './perf-calls.js';
import {ringSizes, ThreadEvent} from './thread-event.js';

/** errno values of Linux on x86-64. */
export const errorNumber = {
	EPERM: 1, ESRCH: 3, EACCES: 13, ENODEV: 19, EMFILE: 24, ENOSYS: 38,
} as const;

/** Number of threads tried, since one may be ending. */
const tries = 4;

/** Whether events on a process's threads are permitted, also for their system calls; or why not. */
type Allowed = {readonly withKernel: boolean; readonly refusal?: undefined} | {readonly refusal: string};

/** Tries an event and closes it at once. Never throws. */
export function allowedEvents(calls: PerfCalls, pid: number): Allowed {
	const full = tryEvent(calls, pid, true);
	if (full === 0) {
		return {withKernel: true};
	}

	// Only EACCES can depend on system calls being included.
	const error = full === errorNumber.EACCES ? tryEvent(calls, pid, false) : full;
	return error === 0 ? {withKernel: false} : {refusal: refusalOf(error)};
}

/** kernel.perf_event_paranoid, or "?" if unreadable. */
export function paranoid(): string {
	try {
		return readFileSync('/proc/sys/kernel/perf_event_paranoid', 'latin1').trim();
	} catch {
		return '?';
	}
}

function tryEvent(calls: PerfCalls, pid: number, withKernel: boolean): number {
	let error: number = errorNumber.ESRCH;
	for (const tid of threadIdsOf(pid).slice(0, tries)) {
		const event = ThreadEvent.open(calls, tid, {size: ringSizes.at(-1)!, periodNs: 1e9, withKernel});
		if (typeof event !== 'number') {
			event.close();
			return 0;
		}

		if (event !== errorNumber.ESRCH) {
			return event;
		}

		error = event;
	}

	return error;
}

/** A description of why an event was refused. */
export function refusalOf(error: number): string {
	switch (error) {
		case errorNumber.EACCES: {
			return `kernel.perf_event_paranoid ${paranoid()}`;
		}

		case errorNumber.EPERM: {
			return 'a system call filter (seccomp, as is usual in containers), the kernel\'s lockdown, or too little lockable memory (ulimit -l)';
		}

		case errorNumber.ENOSYS: {
			return 'a system call filter (seccomp, as is usual in containers), or a kernel without perf events';
		}

		case errorNumber.EMFILE: {
			return 'no more files may be opened (ulimit -n)';
		}

		default: {
			return `error ${error}`;
		}
	}
}
