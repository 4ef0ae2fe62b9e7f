import type {Snapshot, TargetVitals} from '../../model/snapshot.js';
import type {SnapshotSource, SourceStatus} from '../../model/source.js';
import type {PastMoment} from '../../query/past/window-body.js';
import {noStarts, remember, reset, undoReset, type WindowStarts} from '../../query/past/windows.js';
import {recordedStarts} from '../../query/past/look-back.js';
import {addToRing, emptyRing, type Ring} from '../../query/past/ring.js';
import {cycleText, deadlocksOf} from '../../query/locks/deadlocks.js';

/** The data that the screen is drawn from, all taken at one moment. Immutable. */
export type Feed = {
	readonly status: SourceStatus;
	readonly vitals: TargetVitals;
	readonly nowMs: number;
	readonly shown?: Snapshot;
	/** Earlier snapshots, at which windows may begin. */
	readonly starts: WindowStarts;
	readonly ring: Ring;
	readonly newestSamples: number;
	readonly isRead: boolean;
};

/** A young session is refreshed more often than the delay: every 100 ms, then whenever its duration has doubled. */
const earlyDelayMs = 100;
const earlyMs = 1000;

const maxRingWindowMs = 1000;

export type StoreOptions = {
	readonly source: SnapshotSource;
	readonly delayMs: number;
	/** The windows of a recording, and what stood at its end. */
	readonly recorded?: {readonly ring: Ring; readonly last: PastMoment};
	/** Reads the target's own figures; called at each refresh. */
	vitals(): TargetVitals;
	onWindow?(ring: Ring): void;
};

/** The session as a store for React: reads the source at every refresh; keeps the snapshots at which windows begin. */
export class SessionStore {
	readonly #options: StoreOptions;
	readonly #listeners = new Set<() => void>();
	#feed: Feed;
	#delayMs: number;
	#isHeld = false;
	#timer: NodeJS.Timeout | undefined;
	#ringTimer: NodeJS.Timeout | undefined;
	/** Grows while the feed is held too. */
	#ring: Ring;
	#unlisten: (() => void) | undefined;

	constructor(options: StoreOptions) {
		this.#options = options;
		this.#delayMs = options.delayMs;
		const {recorded} = options;
		this.#ring = recorded?.ring ?? emptyRing;
		this.#feed = {
			status: options.source.status(), vitals: recorded?.last.vitals ?? {}, nowMs: Date.now(), starts: recorded ? recordedStarts(recorded.ring) : noStarts, ring: this.#ring, newestSamples: 0, isRead: false,
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
		this.#unlisten = this.#options.source.onChange(this.#sourceChanged);
		this.#timer = setTimeout(this.#refreshAgain, 0);
	}

	stop(): void {
		this.#unlisten?.();
		clearTimeout(this.#timer);
		clearInterval(this.#ringTimer);
	}

	/** Reads a new snapshot and the target's figures; while held, updates only the number of samples and the ring. */
	refresh(): void {
		const {source, vitals} = this.#options;
		const status = source.status();
		const snapshot = source.read();
		const {shown: previous, starts} = this.#feed;
		const newestSamples = snapshot?.session.samples ?? 0;
		if (this.#isHeld && previous) {
			this.#addToRing(snapshot);
			this.#set({status, newestSamples});
			return;
		}

		const isOver = status.phase === 'ended' || status.phase === 'failed' || status.phase === 'recording';
		const now = isOver ? {} : {nowMs: Date.now(), vitals: vitals()};
		this.#addToRing(snapshot, now.vitals);
		this.#set({
			status, newestSamples, isRead: true, ring: this.#ring, ...now, ...(snapshot ? {shown: snapshot, starts: remember(starts, snapshot)} : {}),
		});
	}

	/** Keeps showing the current snapshot, or shows new ones again. */
	hold(isHeld: boolean): void {
		if (this.#isHeld !== isHeld) {
			this.#isHeld = isHeld;
			if (!isHeld) {
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

	/** Starts the window `reset` at the snapshot that is shown, or undoes the last reset. */
	reset(isUndone: boolean): void {
		const {starts, shown} = this.#feed;
		this.#set({starts: isUndone ? undoReset(starts) : (shown ? reset(starts, shown) : starts)});
	}

	toggleSampling(): void {
		const {source} = this.#options;
		source.setPaused(source.status().phase !== 'paused');
		this.#set({status: source.status()});
	}

	askForHolders(): void {
		this.#options.source.askForHolders?.();
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

	readonly #keepRing = (): void => {
		const snapshot = this.#options.source.read();
		this.#addToRing(snapshot);
		// A deadlock is shown or removed at once, however long the delay.
		if (snapshot && !this.#isHeld && deadlocksText(snapshot) !== deadlocksText(this.#feed.shown)) {
			this.#refreshAgain();
		}
	};

	readonly #sourceChanged = (): void => {
		// The first figures and the end of the session are shown at once.
		const status = this.#options.source.status();
		const {shown, status: {hasCpu}} = this.#feed;
		const isFirstShare = status.hasCpu === true && hasCpu === undefined;
		if (shown === undefined || isFirstShare || status.phase === 'ended' || status.phase === 'failed') {
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
		const {shown, status: {phase}} = this.#feed;
		const sampledMs = shown && (phase === 'starting' || phase === 'sampling') ? shown.session.durationMs : Infinity;
		this.#timer = setTimeout(this.#refreshAgain, Math.min(this.#delayMs, sampledMs < earlyMs ? earlyDelayMs : sampledMs));
		clearInterval(this.#ringTimer);
		if (this.#delayMs > maxRingWindowMs) {
			this.#ringTimer = setInterval(this.#keepRing, maxRingWindowMs);
		}
	}

	#set(change: Partial<Feed>): void {
		const next = {...this.#feed, ...change};
		if (isSame(next, this.#feed, ['status', 'vitals']) && isSame(next.status, this.#feed.status) && isSame(next.vitals, this.#feed.vitals)) {
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

function isSame(a: object, b: object, except: readonly string[] = []): boolean {
	const [before, after] = [a, b] as ReadonlyArray<Readonly<Record<string, unknown>>>;
	return [...Object.keys(before), ...Object.keys(after)].every(name => before[name] === after[name] || except.includes(name));
}
