import type {Snapshot} from './snapshot.js';

/** The state of a session. `ended`: normally; `failed`: `message` says why; `recording`: a file. */
export type SourcePhase = 'starting' | 'sampling' | 'paused' | 'ended' | 'failed' | 'recording';

export type SourceStatus = {
	readonly phase: SourcePhase;
	/** Why it ended or failed, one printable line. */
	readonly message?: string;
	/** What to do about it. */
	readonly hint?: string;
	/** Something to know about how samples are got (why this engine, what it cannot see), one printable line. */
	readonly note?: string;
	/** How exact line numbers are, one printable line; left out where they are. */
	readonly lineNote?: string;
	/** Another process that traces threads of the target, as last seen, such as "gdb (process 4711)"; printable. */
	readonly tracer?: string;
	/** CPU time is counted at a line by now; left out before, and of a file. */
	readonly hasCpu?: boolean;
	/** `askForHolders` does something. */
	readonly canAskForHolders?: boolean;
	/** What tracing methods does to the target, printable sentences; left out where it is being done, or cannot be. */
	readonly traceNote?: string;
	/** The newest counts could not be read in time: those shown are older. */
	readonly stale: boolean;
	/** Whole seconds since the last sample, if another one is long overdue; undefined otherwise. */
	readonly silentS?: number;
	/** Whole seconds until the next sample (0: it is due), while the cost budget puts it off; undefined otherwise. */
	readonly nextS?: number;
};

/** Where the screen and the batch writer get snapshots from: a live session or an opened file. */
export type SnapshotSource = {
	status(): SourceStatus;
	/** A fresh snapshot, or the last one with `stale` set; undefined before the first one. */
	read(): Snapshot | undefined;
	/** Stops and starts sampling; nothing for a file. */
	setPaused(paused: boolean): void;
	/** Has the next sample say who holds locks of java.util.concurrent, at a cost; see `EngineSession.askForHolders`. */
	askForHolders?(): void;
	/** Ends the session and lets go of the target; resolves when that is done or the time-out passed. */
	close(): Promise<void>;
	/** Calls back when the status changes or the first samples arrive; returns a function that stops this. */
	onChange(listener: () => void): () => void;
};
