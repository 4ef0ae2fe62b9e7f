import {readdirSync} from 'node:fs';
import {threadFlag, type Sample} from '../../../model/sample.js';
import {stateCode} from '../../../model/thread-state.js';
import type {ThreadCpu} from '../../../jvm/threads/thread-cpu.js';
import {type KeptRows} from '../kept-rows.js';
import {
	isFoundAtWork, watch, type CpuTurn, type CpuTurns,
} from './cpu-turns.js';
import {type JavaThread} from './java-thread.js';
import {confirms, kernelName} from './kernel-name.js';

/**
How often the list of the process's threads is read, milliseconds: the JVM's own threads come and go rarely. With
thousands of threads, so many times what it took: that is a fifth of a percent.
*/
const listEveryMs = 500;
const listEveryTimes = 500;

/** One that ran is taken to be one that may run at any time for so long: some do so once a second, or every few. */
const watchedMs = 6000;

/** Most threads listed; those beyond are left out. */
const threadLimit = 20_000;

/** Threads of which every JVM has one at most, with names that the kernel does not keep whole. */
const longNames = ['VM Periodic Task Thread', 'Shenandoah Control Thread', 'StringDedupThread', 'StringDedupProcessor'];

/**
`row`: where it was in the sample before; `ranMs`: when it was last found to have run (performance.now).
*/
type VmThread = CpuTurn & {readonly name: string; sightings: number; row: number; ranMs: number};

/**
Threads of the process that are no Java threads: collectors, the VM Thread, those of native libraries. They have the
names that the kernel knows, 15 characters of them, made whole where they can be only one, and no frames.
*/
export class VmThreads {
	/** None but those that are watched did anything in the newest sample; and the CPU time that all of them used. */
	isCalm = false;
	usedNs = 0;
	readonly #pid: number;
	readonly #cpu: ThreadCpu;
	readonly #turns: CpuTurns;
	#listAtMs = Number.NEGATIVE_INFINITY;
	#threads = new Map<number, VmThread>();

	constructor(pid: number, cpu: ThreadCpu, turns: CpuTurns) {
		this.#pid = pid;
		this.#cpu = cpu;
		this.#turns = turns;
	}

	/**
	Adds them to a sample that stands for so many, with the CPU time that each used. `newcomers`: the Java threads met
	for the first time.
	*/
	add(into: Sample, rows: KeptRows, {java, newcomers, slots}: {readonly java: readonly JavaThread[]; readonly newcomers: readonly JavaThread[]; readonly slots: number}): void {
		const nowMs = performance.now();
		this.isCalm = true;
		this.usedNs = 0;
		if (nowMs > this.#listAtMs) {
			this.#list(new Set(java.map(thread => thread.nativeId)));
			const listedMs = performance.now();
			this.#listAtMs = listedMs + Math.max(listEveryMs, listEveryTimes * (listedMs - nowMs));
		}

		for (const {nativeId} of newcomers) {
			this.#threads.delete(nativeId);
		}

		for (const thread of this.#threads.values()) {
			// A thread that is about to become a Java thread is not in the JVM's list yet: it shows as the JVM's own
			// only if it is still there at the next look.
			if (thread.sightings < 2) {
				this.isCalm = false;
				continue;
			}

			thread.cpuNs = 0;
			if (this.#turns.isDue(thread) && (thread.isWatched || !this.#turns.canPass(thread))) {
				this.#turns.read(thread);
				if (this.#cpu.reading === 'gone') {
					this.#threads.delete(thread.nativeId);
					continue;
				}
			}

			const {nativeId, name, cpuNs} = thread;
			if (cpuNs > 0) {
				thread.ranMs = nowMs;
				this.usedNs += cpuNs;
				this.isCalm &&= thread.isWatched;
			}

			if (cpuNs === 0 && rows.keepResting(thread.row, -nativeId)) {
				continue;
			}

			const row = into.addThread(-nativeId, nativeId, name);
			thread.row = row;
			into.flags[row] = threadFlag.vmInternal;
			into.cpuNs[row] = cpuNs;
			into.state[row] = isFoundAtWork(thread, slots) ? stateCode.RUNNABLE : stateCode.IDLE;
		}
	}

	/** Sets who may run at any time, as they did lately; gives their Linux ids. */
	watch(): number[] {
		const nowMs = performance.now();
		return [...this.#threads.values()].filter(thread => watch(thread, nowMs - thread.ranMs < watchedMs)).map(({nativeId}) => nativeId);
	}

	#list(java: ReadonlySet<number>): void {
		const isFirst = this.#threads.size === 0;
		// A thread has the name of the one that started it until it sets its own: it may be a Java thread to be.
		const launcher = isFirst ? this.#name(this.#pid) : '';
		const threads = new Map<number, VmThread>();
		for (const entry of this.#entries()) {
			const nativeId = Number(entry);
			// The first thread of the launcher only waits for the one that runs main.
			if (nativeId > 0 && nativeId !== this.#pid && !java.has(nativeId)) {
				const thread = this.#threads.get(nativeId) ?? this.#added(nativeId, isFirst, launcher);
				threads.set(nativeId, thread);
				thread.sightings++;
			}
		}

		this.#threads = threads;
	}

	#added(nativeId: number, isFirst: boolean, launcher: string): VmThread {
		const name = this.#name(nativeId);
		return {
			nativeId, name, sightings: isFirst && name !== launcher ? 1 : 0, cpuNs: 0, isCpuKnown: false, waitNs: 0, lifeCpuNs: 0, lifeWaitNs: 0, lifeTurns: 0, newTurns: 0, cpuDueMs: 0, livelyUntilMs: 0, cpuReadMs: 0, row: -1, ranMs: Number.NEGATIVE_INFINITY, isWatched: false,
		};
	}

	#entries(): string[] {
		try {
			return readdirSync(`/proc/${this.#pid}/task`).slice(0, threadLimit);
		} catch {
			return [];
		}
	}

	#name(nativeId: number): string {
		const name = kernelName(this.#pid, nativeId);
		return longNames.find(long => confirms(name, long)) ?? name;
	}
}
