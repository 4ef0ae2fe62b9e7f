import process from 'node:process';

/** How long to wait for the stop that was asked for; a process without a job-control shell is never stopped by SIGTSTP and just goes on. */
const stopWaitMs = 300;

/** Has something to do before this process stands still, and after. */
export type Suspendable = {
	/** Called when the process is asked to stop; it does not when this gives false. */
	suspend(): boolean | Promise<boolean>;
	/** Called when it goes on, however it was stopped, and when it was not stopped after all. */
	resume(): void;
};

const members = new Set<Suspendable>();
let isSuspending = false;
let wasContinued = false;
let wake: (() => void) | undefined;

/** From now on SIGTSTP (Ctrl-Z, kill -TSTP) stops this process only when the member is ready for it. Gives the way to leave again. SIGSTOP asks nobody. */
export function beforeStop(member: Suspendable): () => void {
	if (members.size === 0) {
		process.on('SIGTSTP', asked);
		process.on('SIGCONT', continued);
	}

	members.add(member);
	return () => {
		if (members.delete(member) && members.size === 0) {
			process.off('SIGTSTP', asked);
			process.off('SIGCONT', continued);
		}
	};
}

async function asked(): Promise<void> {
	if (isSuspending) {
		return;
	}

	isSuspending = true;
	wasContinued = false;
	const answers = await Promise.all([...members].map(async member => member.suspend()));
	// A SIGCONT that came meanwhile takes the stop back, as it does for a process that leaves all to the kernel.
	if (answers.every(Boolean) && !wasContinued) {
		await stop();
	}

	isSuspending = false;
	for (const member of members) {
		member.resume();
	}
}

/** Stops by the signal's own action, in force while nobody listens: a shell sees the stop it knows, and where nobody could continue us the kernel does not stop us. */
async function stop(): Promise<void> {
	process.off('SIGTSTP', asked);
	await new Promise<void>(resolve => {
		const timer = setTimeout(resolve, stopWaitMs);
		wake = () => {
			clearTimeout(timer);
			resolve();
		};

		process.kill(process.pid, 'SIGTSTP');
	});
	wake = undefined;
	if (members.size > 0) {
		process.on('SIGTSTP', asked);
	}
}

function continued(): void {
	wasContinued = true;
	if (isSuspending) {
		wake?.();
		return;
	}

	for (const member of members) {
		member.resume();
	}
}
