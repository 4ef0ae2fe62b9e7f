import type {Printable} from '../util/printable.js';
import type {EventKind} from './schema.js';
import type {EngineFigures, Snapshot} from './snapshot.js';

/** What a source is doing. `ended`: normally; `failed`: `message` says why; `recording`: it is a file. */
export type SourcePhase = 'starting' | 'sampling' | 'paused' | 'ended' | 'failed' | 'recording';

export type SourceStatus = {
	readonly phase: SourcePhase;
	/** Why the source ended or failed, and what to do about it; one line each. */
	readonly message?: Printable;
	readonly hint?: Printable;
	/** A note on the sampling (why this engine, what it cannot read), one line. */
	readonly note?: Printable;
	/** How exact line numbers are, one line; absent if they are exact. */
	readonly lineNote?: Printable;
	/** Another process that was last found tracing the target, such as "gdb (process 4711)". */
	readonly tracer?: Printable;
	/** Whether any CPU time has been attributed to a line; absent for a file. */
	readonly hasCpu?: boolean;
	/** Whether `askForHolders` has an effect. */
	readonly canAskForHolders?: boolean;
	/** The kinds of events that are recorded; absent for a file. */
	readonly events?: readonly EventKind[];
	/** What these events cost, and what is not recorded; or why none is. One line each, absent without events. */
	readonly eventsNote?: Printable;
	readonly eventsRefusal?: Printable;
	/** What tracing methods does to the target, in sentences; absent while tracing, or if it is impossible. */
	readonly traceNote?: Printable;
	/** The newest counts could not be read in time: those shown are older. */
	readonly stale: boolean;
	/** Whole seconds since the last sample, if the next one is long overdue. */
	readonly silentS?: number;
	/** The span of time of the profiles that a backend sent; absent for other sources. */
	readonly span?: Printable;
	/** The file that the session is recorded to. */
	readonly recordedTo?: Printable;
	/** Whole seconds until the next sample (0: it is due), while the cost budget delays it. */
	readonly nextS?: number;
};

type Phase = Pick<SourceStatus, 'phase'>;

/** Whether a session has ended, normally or not. */
export function hasEnded({phase}: Phase): boolean {
	return phase === 'ended' || phase === 'failed';
}

/** Whether nothing more comes from a source: its session has ended, or it is a file. */
export function isOver(status: Phase): boolean {
	return hasEnded(status) || status.phase === 'recording';
}

/** Provides the screen and the batch writer with snapshots: a live session or an opened file. */
export type SnapshotSource = {
	status(): SourceStatus;
	/** Returns the newest snapshot, or an older one if the status is `stale`; undefined before the first. */
	read(): Snapshot | undefined;
	/** How many times rarer than usual to read and draw, so that our own CPU time stays in its budget; 1 if absent. */
	refreshEvery?(): number;
	/** Returns the figures of the target that the engine read last; absent if there are none. */
	figures?(): EngineFigures;
	/** Pauses or resumes sampling; does nothing for a file. */
	setPaused(paused: boolean): void;
	/**
	Makes the next sample find holders of java.util.concurrent locks, at a cost; see `EngineSession.askForHolders`.
	*/
	askForHolders?(): void;
	/** Records events of these kinds, and no others; absent for a file. */
	setEvents?(kinds: readonly EventKind[]): void;
	/** Ends the session and detaches from the target; resolves when that is done or has timed out. */
	close(): Promise<void>;
	/** Calls `listener` when the status changes or the first samples arrive; returns a function that stops this. */
	onChange(listener: () => void): () => void;
};

/** Returns a source with the `own` methods, and those of `inner` for the rest. */
export function sourceOver(inner: SnapshotSource, own: Partial<SnapshotSource>): SnapshotSource {
	return {
		status: () => inner.status(),
		read: () => inner.read(),
		refreshEvery: () => inner.refreshEvery?.() ?? 1,
		figures: () => inner.figures?.() ?? {},
		askForHolders() {
			inner.askForHolders?.();
		},
		setPaused(isPaused) {
			inner.setPaused(isPaused);
		},
		setEvents(kinds) {
			inner.setEvents?.(kinds);
		},
		close: async () => inner.close(),
		onChange: listener => inner.onChange(listener),
		...own,
	};
}
