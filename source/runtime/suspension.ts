import process from 'node:process';
import {setImmediate as nextTurn} from 'node:timers/promises';
import {readStat} from '../jvm/system/proc.js';

/** Maximum wait for the stop: without a job-control shell SIGTSTP never stops a process. */
const stopWaitMs = 300;

/** A part of the program that must act before this process is suspended, and after. */
type Suspendable = {
	/** Whether it may continue only in the foreground. */
	readonly usesTerminal?: boolean;
	/** Called when the process is asked to stop; if it resolves to false, the process does not stop. */
	suspend(): boolean | Promise<boolean>;
	/** Called when the process continues, however it was stopped, or if it did not stop after all. */
	resume(): void;
};

/** For kill(2): our process group, which is what a shell calls a job. */
const wholeJob = 0;

const members = new Set<Suspendable>();
let isSuspending = false;
let wasContinued = false;
let wake: (() => void) | undefined;

/** From now on SIGTSTP calls the member before it stops this process. Returns a function that removes the member. */
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
Resolves to true once in the foreground; until then suspends the process, as the kernel does when a background process
uses its terminal. Resolves to false, still in the background, if no job-control shell could continue the process.
*/
export async function untilForeground(): Promise<boolean> {
	// A member without work, so that this module listens for SIGCONT.
	const leave = beforeStop({suspend: () => true, resume: () => undefined});
	isSuspending = true;
	try {
		return await stopUntilForeground();
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
		// A SIGCONT that came meanwhile cancels the stop, as for a process with the default action.
		if (!wasContinued) {
			await stop(process.pid);
		}

		if ([...members].some(({usesTerminal}) => usesTerminal)) {
			await stopUntilForeground();
		}
	}

	isSuspending = false;
	for (const member of members) {
		member.resume();
	}
}

/** Stops the whole job, again if it is continued in the background; returns false if it could not be stopped. */
async function stopUntilForeground(): Promise<boolean> {
	while (isInBackground()) {
		if (!await stop(wholeJob)) {
			return false;
		}
	}

	return true;
}

/**
Stops `who` (see kill(2)) by SIGTSTP's default action, which applies without listeners: a shell sees the stop that it
expects, and the kernel does not stop us if no shell could continue us. Returns whether we were stopped and continued.
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
	// If the timer has expired while we were suspended, SIGCONT is delivered only after it.
	await nextTurn();
	await nextTurn();
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

	// After a SIGSTOP we may be continued in the background, where the terminal must not be used.
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
