import {eventKinds, type EventKind} from '../../model/schema.js';
import type {Snapshot, TargetVitals} from '../../model/snapshot.js';
import {hasEnded, isOver, type SnapshotSource, type SourceStatus} from '../../model/source.js';
import type {PastMoment} from '../../query/past/window-body.js';
import {noStarts, remember, reset, undoReset, type WindowStarts} from '../../query/past/windows.js';
import {recordedStarts} from '../../query/past/look-back.js';
import {addToRing, emptyRing, type Ring} from '../../query/past/past-ring.js';
import {cycleText, deadlocksOf} from '../../query/locks/deadlocks.js';
import {steadyNow} from '../../util/steady-clock.js';

/** What is known of the session at one moment, from which `SessionData` makes the data on the screen. Immutable. */
export type Feed = {
	readonly status: SourceStatus;
	readonly vitals: TargetVitals;
	readonly nowMs: number;
	/** The newest snapshot or, while it is kept, the last one before. Undefined before the first sample. */
	readonly snapshot?: Snapshot;
	/** Earlier snapshots, at which windows may begin. */
	readonly starts: WindowStarts;
	readonly ring: Ring;
	/** Number of samples taken so far, also while the snapshot is kept. */
	readonly samplesTaken: number;
	/** Whether the source has been read at least once. */
	readonly isRead: boolean;
};

/** A young session is refreshed more often than the delay: every 100 ms, then whenever its duration has doubled. */
const earlyDelayMs = 100;
const earlyMs = 1000;

/** With a longer delay, the ring gets its windows between refreshes. */
const maxRingWindowMs = 1000;

export type StoreOptions = {
	readonly source: SnapshotSource;
	readonly delayMs: number;
	/** The windows of a recording, and the moment at its end. */
	readonly recorded?: {readonly ring: Ring; readonly last: PastMoment};
	/** Reads the target's own figures; called at each refresh. */
	vitals(): TargetVitals;
	/** Returns the time of day in epoch milliseconds; `steadyNow` by default. */
	now?(): number;
	/** Called with each new window of the ring. */
	onWindow?(ring: Ring): void;
};

/** The session as a store for React: reads the source at every refresh; keeps the snapshots at which windows begin. */
export class SessionStore {
	readonly #options: StoreOptions;
	readonly #listeners = new Set<() => void>();
	#feed: Feed;
	#delayMs: number;
	#isSnapshotKept = false;
	/** Kinds of events that `toggleEvents` begins to record. */
	#eventKinds: readonly EventKind[] = eventKinds;
	#timer: NodeJS.Timeout | undefined;
	#ringTimer: NodeJS.Timeout | undefined;
	/** The windows of the past, which are added while the snapshot is kept, too. */
	#ring: Ring;
	#unlisten: (() => void) | undefined;

	constructor(options: StoreOptions) {
		this.#options = options;
		this.#delayMs = options.delayMs;
		const {recorded} = options;
		this.#ring = recorded?.ring ?? emptyRing;
		this.#feed = {
			status: options.source.status(),
			vitals: recorded?.last.vitals ?? {},
			nowMs: this.#now(),
			starts: recorded ? recordedStarts(recorded.ring) : noStarts,
			ring: this.#ring,
			samplesTaken: 0,
			isRead: false,
		};
	}

	/** For useSyncExternalStore. */
	readonly get = (): Feed => this.#feed;

	readonly subscribe = (listener: () => void): (() => void) => {
		this.#listeners.add(listener);
		return () => {
			this.#listeners.delete(listener);
		};
	};

	/** Starts refreshing, the first time at once. */
	start(): void {
		this.#unlisten = this.#options.source.onChange(this.#onSourceChange);
		this.#timer = setTimeout(this.#refreshAgain, 0);
	}

	stop(): void {
		this.#unlisten?.();
		clearTimeout(this.#timer);
		clearInterval(this.#ringTimer);
	}

	/** Reads a new snapshot and the target's figures; while one is kept, updates only status, sample count, `#ring`. */
	refresh(): void {
		const {source, vitals} = this.#options;
		// Whether the snapshot is stale is known once it has been read.
		const snapshot = source.read();
		const status = source.status();
		const {snapshot: previous, starts} = this.#feed;
		const samplesTaken = snapshot?.session.samples ?? 0;
		if (this.#isSnapshotKept && previous) {
			this.#addToRing(snapshot);
			this.#set({status, samplesTaken});
			return;
		}

		const now = isOver(status) ? {} : {nowMs: this.#now(), vitals: {...vitals(), ...source.figures?.()}};
		this.#addToRing(snapshot, now.vitals);
		this.#set({
			status,
			samplesTaken,
			isRead: true,
			ring: this.#ring,
			...now,
			...(snapshot ? {snapshot, starts: remember(starts, snapshot)} : {}),
		});
	}

	/** Keeps the current snapshot on the screen, or shows new ones again. */
	keepSnapshot(isKept: boolean): void {
		if (this.#isSnapshotKept !== isKept) {
			this.#isSnapshotKept = isKept;
			if (!isKept) {
				this.refresh();
			}
		}
	}

	setDelay(delayMs: number): void {
		if (this.#delayMs !== delayMs) {
			this.#delayMs = delayMs;
			this.#schedule();
		}
	}

	/** Starts the window `reset` at the current snapshot. */
	reset(): void {
		const {starts, snapshot} = this.#feed;
		this.#set({starts: snapshot ? reset(starts, snapshot) : starts});
	}

	undoReset(): void {
		this.#set({starts: undoReset(this.#feed.starts)});
	}

	toggleSampling(): void {
		const {source} = this.#options;
		source.setPaused(source.status().phase !== 'paused');
		this.#set({status: source.status()});
	}

	/** Begins or ends recording events: all kinds, or those recorded last. Returns whether they are recorded now. */
	toggleEvents(): boolean {
		const {source} = this.#options;
		const {events = []} = source.status();
		if (events.length > 0) {
			this.#eventKinds = events;
		}

		source.setEvents?.(events.length > 0 ? [] : this.#eventKinds);
		return events.length === 0;
	}

	askForHolders(): void {
		this.#options.source.askForHolders?.();
	}

	#now(): number {
		return (this.#options.now ?? steadyNow)();
	}

	/** `vitals` cover the time since they were last read; undefined if they were not read. */
	#addToRing(snapshot: Snapshot | undefined, vitals?: TargetVitals): void {
		if (snapshot && this.#options.source.status().phase !== 'recording') {
			const {note, lineNote, tracer} = this.#options.source.status();
			const ring = addToRing(this.#ring, snapshot, {vitals, sourceNotes: {note, lineNote, tracer}});
			if (ring !== this.#ring) {
				this.#ring = ring;
				this.#options.onWindow?.(ring);
			}
		}
	}

	readonly #addBetweenRefreshes = (): void => {
		const snapshot = this.#options.source.read();
		this.#addToRing(snapshot);
		// A deadlock is shown or removed at once, however long the delay.
		if (snapshot && !this.#isSnapshotKept && deadlocksText(snapshot) !== deadlocksText(this.#feed.snapshot)) {
			this.#refreshAgain();
		}
	};

	readonly #onSourceChange = (): void => {
		// The first figures and the end of the session are shown at once.
		const status = this.#options.source.status();
		const {snapshot, status: {hasCpu}} = this.#feed;
		const isFirstCpu = status.hasCpu === true && hasCpu === undefined;
		if (snapshot === undefined || isFirstCpu || hasEnded(status)) {
			this.#refreshAgain();
		} else {
			this.#set({status});
		}
	};

	readonly #refreshAgain = (): void => {
		this.refresh();
		this.#schedule();
	};

	#schedule(): void {
		clearTimeout(this.#timer);
		const {snapshot, status: {phase}} = this.#feed;
		const sampledMs = snapshot && (phase === 'starting' || phase === 'sampling')
			? snapshot.session.durationMs
			: Infinity;
		const delayMs = this.#delayMs * (this.#options.source.refreshEvery?.() ?? 1);
		this.#timer = setTimeout(
			this.#refreshAgain,
			Math.min(delayMs, sampledMs < earlyMs ? earlyDelayMs : sampledMs),
		);
		clearInterval(this.#ringTimer);
		if (delayMs > maxRingWindowMs) {
			this.#ringTimer = setInterval(this.#addBetweenRefreshes, maxRingWindowMs);
		}
	}

	#set(change: Partial<Feed>): void {
		const next = {...this.#feed, ...change};
		if (
			isSame(next, this.#feed, ['status', 'vitals']) && isSame(next.status, this.#feed.status)
			&& isSame(next.vitals, this.#feed.vitals)
		) {
			return;
		}

		this.#feed = next;
		for (const listener of this.#listeners) {
			listener();
		}
	}
}

function deadlocksText(snapshot: Snapshot | undefined): string {
	return snapshot ? deadlocksOf(snapshot).map(deadlock => cycleText(deadlock)).join('\n') : '';
}

/** Whether two objects have the same properties, apart from some. */
function isSame(a: object, b: object, except: readonly string[] = []): boolean {
	const [before, after] = [a, b] as ReadonlyArray<Readonly<Record<string, unknown>>>;
	return [...Object.keys(before), ...Object.keys(after)].every(name =>
		before[name] === after[name] || except.includes(name));
}
