import {readdirSync} from 'node:fs';
import type {Interner} from '../../../model/frame.js';
import {threadFlag, type Sample} from '../../../model/sample.js';
import {stateCode} from '../../../model/thread-state.js';
import type {ThreadCpu} from '../../../jvm/threads/thread-cpu.js';
import {confirms, kernelName} from './kernel-name.js';

/** How often the list of the process's threads is read, milliseconds: the JVM's own threads come and go rarely. */
const listEveryMs = 500;

/** Most threads listed; those beyond are left out. */
const threadLimit = 20_000;

/** Threads of which every JVM has one at most, with names that the kernel does not keep whole. */
const longNames = ['VM Periodic Task Thread', 'Shenandoah Control Thread', 'StringDedupThread', 'StringDedupProcessor'];

type VmThread = {readonly name: number; sightings: number};

/**
Threads of the process that are no Java threads: collectors, the VM Thread, those of native libraries. They have the
names that the kernel knows, 15 characters of them, made whole where they can be only one, and no frames.
*/
export class VmThreads {
	readonly #pid: number;
	readonly #interner: Interner;
	#listedMs = Number.NEGATIVE_INFINITY;
	#threads = new Map<number, VmThread>();

	constructor(pid: number, interner: Interner) {
		this.#pid = pid;
		this.#interner = interner;
	}

	/** Adds them to a sample, with the CPU time that each used. */
	add(into: Sample, java: ReadonlySet<number>, cpu: ThreadCpu): void {
		if (performance.now() - this.#listedMs > listEveryMs) {
			this.#listedMs = performance.now();
			this.#list(java);
		}

		for (const [nativeId, {name, sightings}] of this.#threads) {
			// A thread that is about to become a Java thread is not in the JVM's list yet: it shows as the JVM's own
			// only if it is still there at the next look.
			if (java.has(nativeId) || sightings < 2) {
				continue;
			}

			const cpuNs = cpu.delta(nativeId);
			if (cpu.reading === 'gone') {
				this.#threads.delete(nativeId);
				continue;
			}

			const row = into.addThread(-nativeId, nativeId, name);
			into.flags[row] = threadFlag.vmInternal;
			into.cpuNs[row] = cpuNs;
			into.state[row] = cpuNs > 0 ? stateCode.RUNNABLE : stateCode.IDLE;
		}
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
		return {name: this.#interner.internString(name), sightings: isFirst && name !== launcher ? 1 : 0};
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
