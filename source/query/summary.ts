import {rootNode} from '../model/frame.js';
import type {Snapshot} from '../model/snapshot.js';
import {stateCode, stateCount} from '../model/thread-state.js';
import {percentOf} from './facts/share.js';
import {deadlocksOf} from './locks/deadlocks.js';
import {threadKind} from './facts/thread-kind.js';
import type {Summary} from './types.js';

/** Milliseconds of sampling between the baseline (undefined: the session's start) and the snapshot, pauses left out. */
export function windowMs(snapshot: Snapshot, baseline: Snapshot | undefined): number {
	return Math.max(0, snapshot.session.durationMs - (baseline?.session.durationMs ?? 0));
}

/** The part of it up to the newest sample: what CPU time is a share of. It is much shorter where samples are rare. */
export function sampledMs(snapshot: Snapshot, baseline: Snapshot | undefined): number {
	return Math.max(0, snapshot.session.sampledMs - (baseline?.session.sampledMs ?? 0));
}

/** CPU time as percent of one core over a time in which sampling went on; 0 for no time. */
export function corePercent(cpuNs: number, overMs: number): number {
	return overMs > 0 ? cpuNs / (overMs * 1e4) : 0;
}

/** CPU nanoseconds that a thread used in the window. */
export function threadCpuNs(snapshot: Snapshot, baseline: Snapshot | undefined, thread: number): number {
	const before = baseline && thread < baseline.threads.count ? baseline.threads.cpuNs[thread] : 0;
	return Math.max(0, snapshot.threads.cpuNs[thread] - before);
}

/** Below this share of a core, in percent, a program uses next to no CPU. */
export const leastCpuPercent = 1;

/** CPU time that was not seen being used is worth mentioning from this share on, percent. */
export const muchUnseen = 10;

/**
Share of the CPU time of Java threads in the window, percent, that nobody saw being used: the threads were found
waiting, or it was used in system calls of which there are no records. Where it counts is decided by a rule
(sampler/cpu-placement.ts), or it is kept and counts at no line yet. Threads without Java frames have no other place.
*/
export function unseenCpuPercent(snapshot: Snapshot, baseline: Snapshot | undefined): number {
	const {facts, threads, session} = snapshot;
	const isJava = new Uint8Array(threads.count);
	let [whole, seen] = [0, 0];
	for (let thread = 0; thread < threads.count; thread++) {
		if (threadKind(threads.flags[thread]) === 'java') {
			isJava[thread] = 1;
			whole += threadCpuNs(snapshot, baseline, thread);
		}
	}

	const {count, state, node, thread: threadOf, cpuNs} = facts;
	const before = baseline?.facts.cpuNs;
	const beforeCount = baseline?.facts.count ?? 0;
	for (let fact = 0; fact < count; fact++) {
		if (cpuNs[fact] > 0 && (state[fact] === stateCode.RUNNABLE || node[fact] === rootNode) && isJava[threadOf[fact]] === 1) {
			seen += cpuNs[fact] - (fact < beforeCount ? before![fact] : 0);
		}
	}

	const ruledNs = session.ruledCpuNs - (baseline?.session.ruledCpuNs ?? 0);
	return percentOf(Math.min(whole, whole - seen + ruledNs), whole);
}

/** Figures of the whole target for the header and the state strip. */
export function summarize(snapshot: Snapshot, baseline: Snapshot | undefined): Summary {
	const {threads, session} = snapshot;
	const statesNow = Array.from({length: stateCount}, () => 0);
	const cpuNs = {java: 0, jit: 0, vm: 0};
	let alive = 0;
	let vmThreads = 0;
	for (let thread = 0; thread < threads.count; thread++) {
		const kind = threadKind(threads.flags[thread]);
		cpuNs[kind] += threadCpuNs(snapshot, baseline, thread);
		if (threads.alive[thread] === 1 && kind === 'java') {
			alive++;
			statesNow[threads.state[thread]]++;
		} else if (threads.alive[thread] === 1) {
			vmThreads++;
		}
	}

	const overMs = sampledMs(snapshot, baseline);
	return {
		deadlocks: deadlocksOf(snapshot),
		threads: alive,
		vmThreads,
		statesNow,
		javaCpuPercent: corePercent(cpuNs.java, overMs),
		jitCpuPercent: corePercent(cpuNs.jit, overMs),
		vmCpuPercent: corePercent(cpuNs.vm, overMs),
		unseenCpuPercent: unseenCpuPercent(snapshot, baseline),
		windowMs: windowMs(snapshot, baseline),
		samples: Math.max(0, session.samples - (baseline?.session.samples ?? 0)),
	};
}
