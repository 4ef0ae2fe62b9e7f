import {performance} from 'node:perf_hooks';
import process from 'node:process';
import type {EngineSession, SampleOutcome} from '../engines/engine.js';
import {Sample} from '../model/sample.js';
import type {SamplerFigures} from '../table/layout.js';
import type {Bell} from '../table/bell.js';
import type {TableWriter} from '../table/writer.js';
import {StopBudget} from './budget.js';
import {backoffMs, SamplingClock} from './clock.js';
import {Circles} from './circles.js';
import {CpuBudget} from './cpu-budget.js';
import {clampInterval, monotoneMs, type Report} from './messages.js';
import {CpuPlacement} from './cpu-placement.js';
import {RecentPauses} from './pauses.js';
import {Rests, sharesOf} from './rests.js';
import {Sleeper} from './sleeper.js';

/** Percentiles are for the eye: a sort of the recent pauses four times a second is enough. */
const pauseFiguresEveryMs = 250;
/** A reason that changes with every failure must not flood the other side. */
const troubleEveryMs = 1000;

/**
CPU time takes two samples: the second follows the first soon, after this part of the interval, so that it is known
early who works.
*/
const secondSampleAfter = 1 / 4;
const secondSampleMs = 75;

const tableLocked = 'the table of samples was locked for too long';

/** What a loop samples, where it counts, and how often. */
export type LoopOptions = {
	readonly session: EngineSession;
	readonly writer: TableWriter;
	/** What is rung with each message; without it the event loop's own timers are slept by. */
	readonly bell?: Bell;
	readonly intervalMs: number;
	readonly maxOverheadPercent: number;
	/** CPU time that our own process may use, percent of a core; undefined for any. */
	readonly maxCpuPercent?: number;
	/** Which thread names (string ids) count; all without it. */
	readonly accepts?: (name: string) => boolean;
	readonly report: (report: Report) => void;
};

/** Takes samples at the clock's deadlines and counts them, until it is stopped or the session is over. */
export class SamplingLoop {
	readonly #options: LoopOptions;
	readonly #sample = new Sample();
	readonly #clock = new SamplingClock(performance.now());
	readonly #budget: StopBudget;
	readonly #cpuBudget: CpuBudget;
	readonly #pauses = new RecentPauses();
	readonly #placement = new CpuPlacement();
	readonly #circles = new Circles();
	readonly #rests = new Rests();
	readonly #sleeper: Sleeper;
	#sampledAtMs = 0;
	readonly #startedAtMs = Date.now();
	#requestedIntervalMs: number;
	#isPaused = false;
	#isHeld = false;
	#isStopped = false;
	/** Resolves when the sample in progress is done; undefined while there is none. */
	#underWay: Promise<void> | undefined;
	/** We gave up the sample in progress: not a failure of the target. */
	#isGivenUp = false;
	/** Sampling time before the last pause, and since when it goes on. */
	#activeMs = 0;
	#activeSinceMs = performance.now();
	/** The same up to the newest sample counted. */
	#sampledMs = 0;
	#targetStoppedMs = 0;
	#targetInterruptedMs = 0;
	#refusedThreads = 0;
	#lateThreads = 0;
	#tracer = '';
	#failed = 0;
	#failuresInARow = 0;
	#isFirst = true;
	/** The newest sample was counted, and stands as it was filled. */
	#isCounted = false;
	/** CPU time counted at a stack. */
	#hasCpu = false;
	#isAfterPause = false;
	#finding = '';
	#trouble = '';
	#troubleAtMs = -Infinity;
	#pauseFigures = this.#pauses.figures();
	#pauseFiguresAtMs = -Infinity;

	constructor(options: LoopOptions) {
		this.#options = options;
		this.#requestedIntervalMs = clampInterval(options.intervalMs);
		this.#sleeper = new Sleeper(options.bell);
		this.#budget = new StopBudget(options.maxOverheadPercent);
		this.#cpuBudget = new CpuBudget(options.maxCpuPercent ?? 100);
	}

	/** Resolves when stopped; rejects with the session's SessionOver, or with an error that is our own fault. */
	async run(): Promise<void> {
		// An engine that waits for nothing, with samples that take longer than the interval, would leave no room for
		// commands and timers.
		let hasWaited = false;
		while (!this.#isStopped) {
			const waitMs = this.#isResting ? Infinity : this.#clock.waitMs(performance.now());
			if (waitMs > 0 || !hasWaited) {
				await this.#sleeper.wait(waitMs);
				hasWaited = true;
				continue;
			}

			hasWaited = false;

			this.#clock.begin(performance.now(), this.#intervalMs());
			if (this.#isCounted && !this.#isAfterPause && this.#options.session.isStill?.()) {
				this.#settleAgain(this.#clock.slots);
				continue;
			}

			let done!: () => void;
			this.#underWay = new Promise(resolve => {
				done = resolve;
			});
			try {
				const {slots} = this.#clock;
				this.#settle(await this.#options.session.sample(this.#sample, this.#isAfterPause, slots), slots);
			} finally {
				this.#underWay = undefined;
				done();
			}
		}
	}

	setPaused(isPaused: boolean): void {
		this.#rest(isPaused, this.#isHeld);
	}

	/**
	Takes no sample until `resume`, gives up the one in progress and resolves when nothing of the target is held. Never
	rejects.
	*/
	async hold(): Promise<void> {
		this.#rest(this.#isPaused, true);
		this.#giveUp();
		await this.#underWay;
		await this.#options.session.letGo();
	}

	/** Continues after `hold`: the time in between is a pause. */
	resume(): void {
		this.#rest(this.#isPaused, false);
	}

	setIntervalMs(intervalMs: number): void {
		this.#requestedIntervalMs = clampInterval(intervalMs);
		const nowMs = performance.now();
		this.#clock.restart(nowMs, Math.min(this.#clock.waitMs(nowMs), this.#intervalMs()));
		this.#options.writer.publish(this.#figures(nowMs));
		this.#sleeper.wake();
	}

	/** Ends the loop; a sample that is being taken is given up where it waits for the target. */
	stop(): void {
		this.#isStopped = true;
		this.#giveUp();
		this.#sleeper.wake();
	}

	get #isResting(): boolean {
		return this.#isPaused || this.#isHeld;
	}

	#rest(isPaused: boolean, isHeld: boolean): void {
		const wasResting = this.#isResting;
		this.#isPaused = isPaused;
		this.#isHeld = isHeld;
		if (this.#isResting === wasResting) {
			return;
		}

		const nowMs = performance.now();
		if (wasResting) {
			this.#activeSinceMs = nowMs;
			this.#isAfterPause = true;
			this.#cpuBudget.restart();
			this.#clock.restart(nowMs);
		} else {
			this.#activeMs += nowMs - this.#activeSinceMs;
		}

		this.#options.writer.publish(this.#figures(nowMs));
		this.#sleeper.wake();
	}

	#giveUp(): void {
		if (this.#underWay) {
			this.#isGivenUp = true;
			void this.#options.session.letGo();
		}
	}

	/** The slower of what the target's budget and our own allow. */
	#intervalMs(): number {
		return Math.max(this.#budget.intervalMs(this.#requestedIntervalMs), this.#cpuBudget.intervalMs(this.#requestedIntervalMs));
	}

	#recordOwnCpu(nowMs: number): void {
		if (this.#cpuBudget.isDue(nowMs)) {
			const {user, system} = process.cpuUsage();
			this.#cpuBudget.record(nowMs, (user + system) / 1000, this.#requestedIntervalMs);
		}
	}

	/** Counts the outcome of a sample that stands for so many and plans the next. */
	#settle(outcome: SampleOutcome, slots: number): void {
		const nowMs = performance.now();
		this.#budget.record(nowMs, outcome.stoppedMs);
		this.#recordOwnCpu(nowMs);
		this.#targetStoppedMs += outcome.stoppedMs;
		const intervalMs = this.#intervalMs();
		this.#clock.end(nowMs, intervalMs, outcome.ok ? this.#rests.next(outcome.calm !== undefined, intervalMs, outcome.withinMs) : this.#rests.next(false, intervalMs));
		const isGivenUp = this.#isGivenUp && !outcome.ok;
		this.#isGivenUp = false;
		this.#isCounted = outcome.ok && this.#count(outcome, nowMs, slots);
		if (isGivenUp) {
			this.#options.writer.publish(this.#figures(nowMs));
		} else if (!outcome.ok) {
			this.#didFail(nowMs, outcome.reason);
		} else if (this.#isCounted) {
			this.#succeeded(nowMs);
		} else {
			this.#didFail(nowMs, tableLocked);
		}
	}

	/** Counts the sample before once more, for as many as are due, and plans the next. */
	#settleAgain(slots: number): void {
		const nowMs = performance.now();
		const atMs = Date.now();
		this.#recordOwnCpu(nowMs);
		this.#pauses.add(0);
		const intervalMs = this.#intervalMs();
		this.#clock.end(nowMs, intervalMs, this.#rests.next(true, intervalMs));
		const sampledMs = this.#durationMs(nowMs);
		this.#isCounted = this.#options.writer.countAgain(atMs, this.#figures(nowMs, sampledMs), slots);
		if (this.#isCounted) {
			this.#sampledAtMs = atMs;
			this.#sampledMs = sampledMs;
			this.#succeeded(nowMs);
		} else {
			this.#didFail(nowMs, tableLocked);
		}
	}

	/**
	Counts a good sample; false when the table was locked for too long: then what its threads used is kept for the next
	one.
	*/
	#count(outcome: SampleOutcome & {ok: true}, nowMs: number, slots: number): boolean {
		this.#pauses.add(outcome.pauseUs);
		this.#targetInterruptedMs += outcome.interruptedMs ?? 0;
		this.#refusedThreads += outcome.skipped?.refused ?? 0;
		this.#lateThreads += outcome.skipped?.late ?? 0;
		this.#tellTracer(outcome.skipped?.tracer ?? this.#tracer);
		this.#leavePauseOut();
		this.#placement.assign(this.#sample, this.#sampledAtMs > 0 ? Math.max(0, outcome.atMs - this.#sampledAtMs) * 1e6 : 0);
		const sampledMs = this.#durationMs(nowMs);
		const shares = sharesOf(slots, outcome.changedNs ?? 0, this.#intervalMs());
		if (!this.#options.writer.count(this.#sample, outcome.atMs, this.#figures(nowMs, sampledMs), this.#options.accepts, shares)) {
			this.#placement.takeBack(this.#sample);
			return false;
		}

		this.#sampledAtMs = outcome.atMs;
		this.#sampledMs = sampledMs;
		return true;
	}

	#tellTracer(who: string): void {
		if (who !== this.#tracer) {
			this.#tracer = who;
			this.#options.report({kind: 'tracer', who});
		}
	}

	/**
	What threads used while nobody looked was used at unknown stacks: it must not count for the first one seen after a
	pause. A nanosecond says that the thread ran.
	*/
	#leavePauseOut(): void {
		if (this.#isAfterPause) {
			this.#isAfterPause = false;
			const {cpuNs, count, credits} = this.#sample;
			credits.count = 0;
			for (let row = 0; row < count; row++) {
				cpuNs[row] = Math.min(cpuNs[row], 1);
			}
		}
	}

	#succeeded(nowMs: number): void {
		this.#failuresInARow = 0;
		if (this.#isFirst) {
			this.#isFirst = false;
			this.#clock.restart(nowMs, Math.min(secondSampleMs, this.#intervalMs() * secondSampleAfter));
			this.#options.report({kind: 'sampling'});
		}

		if (!this.#hasCpu && this.#sample.hasPlacedCpu) {
			this.#hasCpu = true;
			this.#options.report({kind: 'cpu'});
		}

		if (this.#circles.look(this.#sample, this.#sampledAtMs, this.#intervalMs())) {
			this.#options.report({kind: 'deadlocks'});
		}

		const {finding = ''} = this.#options.session;
		if (finding !== this.#finding) {
			this.#finding = finding;
			this.#options.report({kind: 'finding', finding});
		}

		if (this.#trouble !== '') {
			this.#trouble = '';
			this.#options.report({kind: 'trouble', reason: ''});
		}
	}

	#didFail(nowMs: number, reason: string): void {
		this.#failed++;
		this.#failuresInARow++;
		const intervalMs = this.#intervalMs();
		const inMs = backoffMs(this.#failuresInARow, intervalMs);
		if (inMs > intervalMs) {
			this.#clock.restart(nowMs, inMs);
		}

		this.#options.writer.publish(this.#figures(nowMs));
		if (reason !== this.#trouble && nowMs - this.#troubleAtMs >= troubleEveryMs) {
			this.#trouble = reason;
			this.#troubleAtMs = nowMs;
			this.#options.report({kind: 'trouble', reason});
		}
	}

	#figures(nowMs: number, sampledMs = this.#sampledMs): SamplerFigures {
		if (nowMs - this.#pauseFiguresAtMs >= pauseFiguresEveryMs) {
			this.#pauseFigures = this.#pauses.figures();
			this.#pauseFiguresAtMs = nowMs;
		}

		const countedAtMs = this.#isResting ? 0 : monotoneMs();
		return {
			pauseP50Us: this.#pauseFigures.pauseP50Us,
			pauseP99Us: this.#pauseFigures.pauseP99Us,
			pauseWorstUs: this.#pauseFigures.pauseWorstUs,
			requestedIntervalMs: this.#requestedIntervalMs,
			intervalMs: this.#intervalMs(),
			cpuIntervalMs: this.#cpuBudget.intervalMs(this.#requestedIntervalMs),
			startedAtMs: this.#startedAtMs,
			durationMs: this.#durationMs(nowMs),
			countedAtMs,
			nextAtMs: this.#isResting ? 0 : countedAtMs + this.#clock.waitMs(nowMs),
			sampledMs,
			late: this.#clock.late,
			failed: this.#failed,
			refusedThreads: this.#refusedThreads,
			lateThreads: this.#lateThreads,
			targetStoppedMs: this.#targetStoppedMs,
			targetInterruptedMs: this.#targetInterruptedMs,
			ruledCpuNs: this.#placement.ruledNs,
		};
	}

	/** Time spent sampling, pauses left out. */
	#durationMs(nowMs: number): number {
		return this.#activeMs + (this.#isResting ? 0 : nowMs - this.#activeSinceMs);
	}
}
