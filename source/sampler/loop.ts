import {performance} from 'node:perf_hooks';
import {type EngineSession, type SampleOutcome} from '../engines/common/engine.js';
import {type ProcessClock} from '../jvm/threads/process-clock.js';
import {pseudoFrame, unattributed, unattributedReason} from '../model/frame.js';
import {type EventKind} from '../model/schema.js';
import {JvmStacks} from '../model/jvm-stacks.js';
import {Sample} from '../model/sample.js';
import {type SamplerFigures} from '../table/table-layout.js';
import {type Bell} from '../table/lock.js';
import {type TableWriter} from '../table/writer.js';
import {sumUpTo} from '../util/sum.js';
import {safe, type Printable} from '../util/printable.js';
import {monotonicMs, steadyNow} from '../util/steady-clock.js';
import {CpuBudget} from './cpu-budget.js';
import {RecentPauses, StopBudget} from './stop-budget.js';
import {Backoff, SamplingClock, Sleeper, clampInterval, retryDelayMs, ticksBefore} from './clock.js';
import type {Report, SamplingLimits, StatusChange} from './messages.js';
import {CpuAccount} from './cpu-account.js';
import {EndedThreads} from './ended-threads.js';
import type {SampledWaits} from './sampled-waits.js';

/** How often the pauses' percentiles are computed. */
const pauseFiguresEveryMs = 250;
/** Least time from one report of failed samples to another with a different reason. */
const failureNoteEveryMs = 1000;

/**
Pools are read every second, or more rarely: after this multiple of what the last reading took, but at least so often
that their figures are fresh. Readings are short enough for that. The first ones, which find the pools, are not delayed.
*/
const poolsEveryMs = 1000;
const poolsPauseFactor = 200;
const maxPoolsPauseMs = 3000;
const undelayedPoolReadings = 4;
/** At the start, the first samples come first. */
const firstPoolsAfterMs = 300;

/** The engine's figures, each reading of which is bounded, are read after this time again. */
const figuresEveryMs = 1000;

/** The second sample follows soon, after this fraction of an interval, at most this time: CPU time needs two. */
const secondSampleFraction = 1 / 4;
const maxSecondSampleMs = 75;

/** CPU time from one sample to the next below which a JVM is at rest: only its own threads run now and then. */
const restNs = 1e6;

/** What to sample, how often, and where to count it. */
type LoopOptions = Required<Pick<SamplingLimits, 'intervalMs'>> & SamplingLimits & {
	readonly session: EngineSession;
	readonly writer: TableWriter;
	/** Wakes the loop when a message arrives; without it, the loop sleeps on timers. */
	readonly bell?: Bell;
	/** Adds what threads wait for to samples, if set. */
	readonly waits?: SampledWaits;
	readonly processClock?: ProcessClock;
	/** Whether threads with a name count; undefined for all. */
	readonly accepts?: (name: string) => boolean;
	/** The kinds of events that the session records from the start. */
	readonly events?: readonly EventKind[];
	/** A printable line about how samples are taken. */
	readonly note?: Printable;
	readonly report: (report: Report) => void;
};

/** Takes samples at the clock's deadlines and counts them until it is stopped or the session ends. */
export class SamplingLoop {
	readonly #options: LoopOptions;
	readonly #sample = new Sample();
	readonly #clock = new SamplingClock(performance.now());
	readonly #stopBudget: StopBudget;
	readonly #cpuBudget: CpuBudget;
	readonly #pauses = new RecentPauses();
	readonly #cpuAccount: CpuAccount;
	readonly #endedThreads: EndedThreads;
	readonly #backoff = new Backoff();
	readonly #sleeper: Sleeper;
	/** Epoch time of the last counted sample; 0 before the first. */
	#sampledAtMs = 0;
	readonly #startedAtMs = steadyNow();
	/** The length of a tick. */
	readonly #requestedIntervalMs: number;
	/** Sampling time not yet counted in ticks; at the start an interval, so that the first sample is a tick. */
	#uncountedMs: number;
	/** The user has paused sampling (`setPaused`). */
	#isPaused = false;
	/** Our own process is, or is about to be, suspended (`hold`). */
	#isHeld = false;
	#isStopped = false;
	/** Resolves when the sample in progress is done; undefined if there is none. */
	#inProgress: Promise<void> | undefined;
	/** Whether we cancelled the sample in progress: then it has not failed. */
	#isCancelled = false;
	/** Sampling time before the last pause. */
	#activeMs = 0;
	/** When sampling last began or resumed. */
	#activeSinceMs = performance.now();
	/** Sampling time up to the last counted sample. */
	#sampledMs = 0;
	readonly #totals = {
		failed: 0, refusedThreads: 0, lateThreads: 0, targetStoppedMs: 0, targetInterruptedMs: 0, eventsMs: 0,
	};

	#failuresInARow = 0;
	#isFirst = true;
	#events: readonly EventKind[];
	/** Of the newest sample, see `SampleOutcome`. */
	#hasTimers = false;
	#hasCpu = false;
	#reportedStatus: StatusChange = {};
	#isAfterPause = false;
	#failureNoteAtMs = -Infinity;
	#pauseFigures = this.#pauses.figures();
	#pauseFiguresAtMs = -Infinity;
	#figuresDueMs = -Infinity;
	#pools = {dueMs: performance.now() + firstPoolsAfterMs, readings: 0};

	constructor(options: LoopOptions) {
		this.#options = options;
		this.#events = options.events ?? [];
		this.#requestedIntervalMs = clampInterval(options.intervalMs);
		this.#uncountedMs = this.#requestedIntervalMs;
		this.#sleeper = new Sleeper(options.bell);
		this.#cpuAccount = new CpuAccount(pseudoFrame(options.writer, unattributed), new JvmStacks(options.writer));
		this.#endedThreads = new EndedThreads(options.processClock);
		this.#stopBudget = new StopBudget(options.maxOverheadPercent);
		this.#cpuBudget = new CpuBudget(options.maxCpuPercent ?? 100, this.#requestedIntervalMs);
	}

	/** Resolves when stopped; rejects with the session's SessionOver, or with an error of our own. */
	async run(): Promise<void> {
		// Wait before every sample: if samples take longer than the interval, commands and timers must still run.
		let hasWaited = false;
		while (!this.#isStopped) {
			const waitMs = this.#isSuspended ? Infinity : this.#clock.waitMs(performance.now());
			if (waitMs > 0 || !hasWaited) {
				await this.#sleeper.wait(waitMs, this.#hasTimers);
				hasWaited = true;
				continue;
			}

			hasWaited = false;
			const startedMs = performance.now();
			this.#clock.begin(startedMs, this.#intervalMs());
			this.#uncountedMs += this.#clock.spanMs;
			let done!: () => void;
			this.#inProgress = new Promise(resolve => {
				done = resolve;
			});
			try {
				const {repeats} = this.#clock;
				const outcome = await this.#options.session.sample(this.#sample, this.#isAfterPause, repeats);
				this.#finish(outcome, repeats);
				this.#keepPace(outcome, startedMs);
			} finally {
				this.#inProgress = undefined;
				done();
			}
		}
	}

	/** Pauses or continues; a pause also releases the target. */
	setPaused(isPaused: boolean): void {
		void this.#suspend(isPaused, this.#isHeld);
	}

	/** Takes no samples until `resume`, cancelling the current one; resolves when the target is released. */
	async hold(): Promise<void> {
		await this.#suspend(this.#isPaused, true);
	}

	/** Continues after `hold`; the time since counts as a pause. */
	resume(): void {
		void this.#suspend(this.#isPaused, false);
	}

	/** See `EngineSession.setEvents`. */
	setEvents(kinds: readonly EventKind[]): void {
		this.#events = kinds;
		this.#options.session.setEvents?.(kinds);
		this.#sleeper.wake();
	}

	/** Ends the loop, and cancels a sample in progress. */
	stop(): void {
		this.#isStopped = true;
		this.#cancel();
		this.#sleeper.wake();
	}

	get #eventsRefusal(): Printable | undefined {
		const {session} = this.#options;
		return this.#events.length > 0 && !session.setEvents
			? safe`only the memory engine records events`
			: session.eventsRefusal;
	}

	get #isSuspended(): boolean {
		return this.#isPaused || this.#isHeld;
	}

	async #suspend(isPaused: boolean, isHeld: boolean): Promise<void> {
		const wasSuspended = this.#isSuspended;
		this.#isPaused = isPaused;
		this.#isHeld = isHeld;
		if (this.#isSuspended !== wasSuspended) {
			const nowMs = performance.now();
			if (wasSuspended) {
				this.#activeSinceMs = nowMs;
				this.#isAfterPause = true;
				this.#cpuBudget.skipPause();
				this.#clock.restart(nowMs, this.#intervalMs());
			} else {
				this.#activeMs += nowMs - this.#activeSinceMs;
			}

			this.#options.writer.publish(this.#figures(nowMs));
			this.#sleeper.wake();
		}

		if (this.#isSuspended) {
			this.#cancel();
			await this.#inProgress;
		}

		// Sampling may have been resumed during the wait.
		if (this.#isSuspended) {
			await this.#options.session.release();
		}
	}

	#cancel(): void {
		if (this.#inProgress) {
			this.#isCancelled = true;
			void this.#options.session.release();
		}
	}

	#intervalMs(): number {
		return Math.max(
			this.#stopBudget.intervalMs(this.#requestedIntervalMs),
			this.#cpuBudget.pace.intervalMs,
		);
	}

	/** Counts what a sample cost us, and sets how often records come. */
	#keepPace(outcome: SampleOutcome, startedMs: number): void {
		const nowMs = performance.now();
		const recordsMs = outcome.ok ? outcome.recordsMs ?? 0 : 0;
		this.#cpuBudget.addSample(nowMs, {busyMs: nowMs - startedMs, recordsMs, intervalMs: this.#intervalMs()});
		this.#options.session.recordEvery?.(this.#cpuBudget.pace.recordEvery);
	}

	/** Counts a sample that covers `repeats` intervals, and schedules the next. */
	#finish(outcome: SampleOutcome, repeats: number): void {
		const nowMs = performance.now();
		this.#stopBudget.addSample(nowMs, outcome.stoppedMs);
		this.#totals.targetStoppedMs += outcome.stoppedMs;
		const intervalMs = this.#intervalMs();
		const isAtRest = sumUpTo(this.#sample.count, row => this.#sample.cpuNs[row]) < restNs;
		const nextRepeats = outcome.ok
			? this.#backoff.next(outcome.isSteady ?? false, intervalMs, {
				nextWithinMs: outcome.nextWithinMs,
				requestedMs: this.#requestedIntervalMs,
				isAtRest,
			})
			: this.#backoff.next(false, intervalMs);
		this.#clock.end(nowMs, intervalMs, nextRepeats);
		this.#hasTimers = outcome.ok && (outcome.hasTimers ?? false);
		const isCancelled = this.#isCancelled && !outcome.ok;
		this.#isCancelled = false;
		if (isCancelled) {
			this.#options.writer.publish(this.#figures(nowMs));
		} else if (!outcome.ok) {
			this.#onFailure(nowMs, outcome.reason);
		} else if (this.#count(outcome, nowMs, repeats)) {
			this.#onSuccess(nowMs);
		} else {
			this.#onFailure(nowMs, safe`the table of samples was locked for too long`);
		}
	}

	/** Counts a sample. If the table is locked for too long, keeps the CPU time for the next sample; returns false. */
	#count(outcome: SampleOutcome & {ok: true}, nowMs: number, repeats: number): boolean {
		this.#pauses.add(outcome.pauseUs);
		this.#totals.targetInterruptedMs += outcome.interruptedMs ?? 0;
		this.#totals.refusedThreads += outcome.skippedThreads?.refused ?? 0;
		this.#totals.lateThreads += outcome.skippedThreads?.late ?? 0;
		this.#reportChanges({tracer: outcome.skippedThreads?.tracer ?? this.#reportedStatus.tracer});
		this.#options.waits?.fill(this.#sample);
		this.#discardGap(outcome);
		const intervalNs = this.#sampledAtMs > 0 ? Math.max(0, outcome.atMs - this.#sampledAtMs) * 1e6 : 0;
		const endedNs = this.#endedThreads.missingNs(this.#sample, nowMs);
		this.#hasCpu = this.#cpuAccount.add(this.#sample, intervalNs, endedNs) || this.#hasCpu;
		const sampledMs = this.#durationMs(nowMs);
		// The next sample counts the remainder; 1e-6 compensates for rounding errors.
		const ticks = Math.floor((this.#uncountedMs / this.#requestedIntervalMs) + 1e-6);
		const before = ticksBefore(ticks, repeats, outcome.sinceChangeNs ?? 0, this.#intervalMs());
		if (
			!this.#options.writer.count(
				this.#sample,
				outcome.atMs,
				this.#figures(nowMs, sampledMs),
				this.#options.accepts,
				{before, now: ticks - before, samples: repeats},
			)
		) {
			this.#cpuAccount.takeBack(this.#sample);
			return false;
		}

		this.#uncountedMs -= ticks * this.#requestedIntervalMs;
		this.#sampledAtMs = outcome.atMs;
		this.#sampledMs = sampledMs;
		return true;
	}

	/**
	Discards CPU time used during a pause, and what was recorded in a pause or before the first sample, events too. A
	thread that ran in the pause keeps a nanosecond, which shows that it ran.
	*/
	#discardGap({eventsMs = 0}: SampleOutcome & {ok: true}): void {
		const {cpuNs, runDelayNs, count, attributedCpu} = this.#sample;
		attributedCpu.count = this.#isAfterPause || this.#isFirst ? 0 : attributedCpu.count;
		if (this.#isAfterPause || this.#isFirst) {
			this.#sample.events.count = 0;
		} else {
			this.#totals.eventsMs += eventsMs;
		}

		if (this.#isAfterPause) {
			this.#isAfterPause = false;
			this.#endedThreads.restart();
			for (let row = 0; row < count; row++) {
				cpuNs[row] = Math.min(cpuNs[row], 1);
				runDelayNs[row] = 0;
			}
		}
	}

	#onSuccess(nowMs: number): void {
		this.#failuresInARow = 0;
		if (this.#isFirst) {
			this.#isFirst = false;
			this.#clock.restart(
				nowMs,
				this.#intervalMs(),
				Math.min(maxSecondSampleMs, this.#intervalMs() * secondSampleFraction),
			);
			this.#options.report({kind: 'sampling'});
		}

		this.#reportChanges({
			hasCpu: this.#hasCpu || undefined,
			lineNote: this.#options.session.lineNote,
			eventsNote: this.#options.session.eventsNote,
			eventsRefusal: this.#eventsRefusal,
			note: this.#options.note,
		});
		this.#readPools(nowMs);
		this.#readFigures(nowMs);
	}

	/** Reports the engine's figures of the target if they are due. */
	#readFigures(nowMs: number): void {
		const {session, report} = this.#options;
		if (session.readFigures && nowMs >= this.#figuresDueMs) {
			report({kind: 'figures', figures: session.readFigures()});
			this.#figuresDueMs = performance.now() + figuresEveryMs;
		}
	}

	/** Reports the pools if they are due. */
	#readPools(nowMs: number): void {
		const {session, report} = this.#options;
		if (session.readPools && nowMs >= this.#pools.dueMs) {
			const startMs = performance.now();
			report({kind: 'pools', pools: session.readPools()});
			const endMs = performance.now();
			const readings = this.#pools.readings + 1;
			const pauseMs = readings > undelayedPoolReadings ? poolsPauseFactor * (endMs - startMs) : 0;
			this.#pools = {dueMs: endMs + Math.min(maxPoolsPauseMs, Math.max(poolsEveryMs, pauseMs)), readings};
		}
	}

	#reportChanges(status: StatusChange): void {
		const before = this.#reportedStatus;
		const changes = (Object.keys(status) as Array<keyof StatusChange>).filter(key => status[key] !== before[key]);
		if (changes.length > 0) {
			this.#reportedStatus = {...before, ...status};
			this.#options.report({kind: 'status', status});
		}
	}

	#onFailure(nowMs: number, reason: Printable): void {
		this.#totals.failed++;
		this.#endedThreads.restart();
		this.#failuresInARow++;
		const intervalMs = this.#intervalMs();
		const inMs = retryDelayMs(this.#failuresInARow, intervalMs);
		if (inMs > intervalMs) {
			this.#clock.restart(nowMs, intervalMs, inMs);
		}

		this.#options.writer.publish(this.#figures(nowMs));
		const note = safe`sampling fails: ${reason}`;
		if (note !== this.#reportedStatus.note && nowMs - this.#failureNoteAtMs >= failureNoteEveryMs) {
			this.#failureNoteAtMs = nowMs;
			this.#reportChanges({note});
		}
	}

	#figures(nowMs: number, sampledMs = this.#sampledMs): SamplerFigures {
		if (nowMs - this.#pauseFiguresAtMs >= pauseFiguresEveryMs) {
			this.#pauseFigures = this.#pauses.figures();
			this.#pauseFiguresAtMs = nowMs;
		}

		const countedAtMs = this.#isSuspended ? 0 : monotonicMs();
		return {
			requestedIntervalMs: this.#requestedIntervalMs,
			intervalMs: this.#intervalMs(),
			cpuIntervalMs: this.#cpuBudget.pace.intervalMs,
			startedAtMs: this.#startedAtMs,
			durationMs: this.#durationMs(nowMs),
			countedAtMs,
			nextAtMs: this.#isSuspended ? 0 : countedAtMs + this.#clock.waitMs(nowMs),
			refreshEvery: this.#cpuBudget.pace.refreshEvery,
			sampledMs,
			late: this.#clock.late,
			unattributedReason: unattributedReason[this.#options.session.unattributed ?? 'unknown'],
			virtualThreads: this.#options.session.virtualThreads?.count ?? 0,
			virtualSeenPercent: this.#options.session.virtualThreads?.readPercent ?? 0,
			// Last, as V8 is slow to add further fields after these.
			...this.#pauseFigures,
			...this.#totals,
		};
	}

	#durationMs(nowMs: number): number {
		return this.#activeMs + (this.#isSuspended ? 0 : nowMs - this.#activeSinceMs);
	}
}
