import process from 'node:process';
import {setImmediate as turn} from 'node:timers/promises';
import {readStat} from '../jvm/system/proc.js';

/** Longest wait for the stop; without a job-control shell SIGTSTP never stops a process. */
const stopWaitMs = 300;

/** Has something to do before this process is suspended, and after. */
type Suspendable = {
	/** It continues only in the foreground. */
	readonly usesTerminal?: boolean;
	/** Called when the process is asked to stop; it does not stop if this resolves to false. */
	suspend(): boolean | Promise<boolean>;
	/** Called when it continues, however it was stopped, and if it was not stopped after all. */
	resume(): void;
};

/** For kill(2): all of our process group. */
const wholeJob = 0;

const members = new Set<Suspendable>();
let isSuspending = false;
let wasContinued = false;
let wake: (() => void) | undefined;

/** From now on SIGTSTP stops this process only when the member is ready for it. Returns what ends this. */
export function beforeStop(member: Suspendable): () => void {
	if (members.size === 0) {
		process.on('SIGTSTP', onStopRequest);
		process.on('SIGCONT', onContinue);
	}

	members.add(member);
	return () => {
		if (members.delete(member) && members.size === 0) {
			process.off('SIGTSTP', onStopRequest);
			process.off('SIGCONT', onContinue);
		}
	};
}

/**
Resolves to true in the foreground; a background process is suspended until then, as the kernel does when it
touches its terminal. To false if no shell with job control could bring it back.
*/
export async function untilForeground(): Promise<boolean> {
	const leave = beforeStop({
		suspend: () => true,
		resume() {
			// Nothing to do.
		},
	});
	isSuspending = true;
	try {
		return await stayInBackground();
	} finally {
		isSuspending = false;
		leave();
	}
}

async function onStopRequest(): Promise<void> {
	if (isSuspending) {
		return;
	}

	isSuspending = true;
	wasContinued = false;
	const answers = await Promise.all([...members].map(async member => member.suspend()));
	if (answers.every(Boolean)) {
		// A SIGCONT that came meanwhile takes the stop back, as it does for a process that leaves all to the kernel.
		if (!wasContinued) {
			await stop(process.pid);
		}

		if ([...members].some(({usesTerminal}) => usesTerminal)) {
			await stayInBackground();
		}
	}

	isSuspending = false;
	for (const member of members) {
		member.resume();
	}
}

/** Stops the whole job as often as it is continued in the background; false when it goes on there all the same. */
async function stayInBackground(): Promise<boolean> {
	while (isInBackground()) {
		if (!await stop(wholeJob)) {
			return false;
		}
	}

	return true;
}

/**
Stops by the signal's own action, in force while nobody listens: a shell sees the stop it knows, and where nobody could
continue us the kernel does not stop us. Returns whether we were continued, that is, were stopped at all.
*/
async function stop(who: number): Promise<boolean> {
	process.off('SIGTSTP', onStopRequest);
	wasContinued = false;
	await new Promise<void>(resolve => {
		const timer = setTimeout(resolve, stopWaitMs);
		wake = () => {
			clearTimeout(timer);
			resolve();
		};

		process.kill(who, 'SIGTSTP');
	});
	// The time also ran out while we were suspended: signals are delivered after the timers.
	await turn();
	await turn();
	wake = undefined;
	if (members.size > 0) {
		process.on('SIGTSTP', onStopRequest);
	}

	return wasContinued;
}

function onContinue(): void {
	wasContinued = true;
	wake?.();
	if (isSuspending) {
		return;
	}

	// After a stop that asked nobody, into the background: the terminal must not be touched there.
	if (isInBackground() && [...members].some(({usesTerminal}) => usesTerminal)) {
		void onStopRequest();
		return;
	}

	for (const member of members) {
		member.resume();
	}
}

/** Whether the terminal belongs to another process group (tty_check_change of Linux, termios(3)). */
function isInBackground(): boolean {
	const stat = readStat(process.pid);
	return stat !== undefined && stat.foregroundGroup > 0 && stat.foregroundGroup !== stat.group;
}
