import type {Snapshot, TargetVitals} from '../../model/snapshot.js';
import {getOrCreate} from '../../util/get-or-create.js';
import {fixed, poolName, safe, type Printable} from '../../util/printable.js';
import {sumOf, sumUpTo} from '../../util/sum.js';
import {locationNameOrEmpty} from '../columns/column.js';
import {decimals, formatCount, formatDuration, plural} from '../columns/format.js';
import {maxLocationCells, shortName} from '../columns/names.js';
import {corePercent, sampledMs} from '../counters/share.js';
import {threadCpuNs, threadKind, threadRunDelayNs} from '../counters/thread-table.js';
import type {Finding, Query} from '../types/query.js';
import {commonAppLine} from './pool-findings.js';

const minDelayWindowMs = 2000;

/** Minimum run delay for a finding on the host, percent of a core; it must also reach the threads' CPU time. */
const muchDelayPercent = 50;

/** A program that uses this part of its CPUs delays itself; others delay it if they use this part of the host's. */
const ownPart = 0.8;
const othersPart = 0.2;

/** Minimum percentage of throttled cgroup periods for a finding, and minimum run delay then, percent of a core. */
const muchThrottledPercent = 25;
const leastDelayPercent = 20;

/**
Threads that on average run or are ready to run, for each CPU, and the time for which they do. Beside other processes
they also have to be this part of what runs or is ready to run on the host.
*/
const manyForCpu = 3;
const mostOfLoad = 0.5;
const minWantingWindowMs = 5000;

/** Returns the finding that threads lacked CPU time, with the cause: the cgroup's limit, the program, or the host. */
export function cpuFinding(
	snapshot: Snapshot,
	since: Snapshot | undefined,
	query: Query,
	vitals: TargetVitals = {},
): Finding | undefined {
	const {throttledPercent = 0, cpuPressurePercent} = vitals;
	const overMs = sampledMs(snapshot, since);
	if (overMs < minDelayWindowMs) {
		return undefined;
	}

	const [usedNs, delayNs] = [threadCpuNs, threadRunDelayNs].map(of =>
		sumUpTo(snapshot.threads.count, thread => of(snapshot, since, thread)));
	const waited = safe`threads waited ${fixed((delayNs / 1e9), 1)} s for a CPU within ${
		formatDuration(1000 * Math.round(overMs / 1000))
	}`;
	const figures = {
		runDelayMs: decimals(delayNs / 1e6, 1),
		usedMs: decimals(usedNs / 1e6, 1),
		windowMs: Math.round(overMs),
	};
	const delayPercent = corePercent(delayNs, overMs);
	if (throttledPercent >= muchThrottledPercent && delayPercent >= leastDelayPercent) {
		return {
			id: 'cpu-limit',
			text: safe`CPU limit of the cgroup: used up in ${Math.round(throttledPercent)}% of its periods; ${waited}.`,
			figures: {...figures, throttledPercent: decimals(throttledPercent, 1)},
			isAtLimit: true,
		};
	}

	const areOthers = areOthersAtWork(vitals, corePercent(usedNs, overMs));
	const wanting = overMs < minWantingWindowMs
		? undefined
		: wantingFinding(snapshot, since, query, {overMs, vitals, areOthers, figures});
	return wanting ?? (areOthers && delayPercent >= muchDelayPercent && delayNs >= usedNs
		? {
			id: 'host-cpu', text: safe`Host CPU saturated: ${waited}.`, isOutside: true,
			figures: {...figures, ...(cpuPressurePercent === undefined ? {} : {cpuPressurePercent})},
		}
		: undefined);
}

/** Returns the CPUs that the process may use; undefined if unknown. */
function cpusOf({hostCpus = Infinity, allowedCpus = Infinity}: TargetVitals): number | undefined {
	const cpus = Math.min(hostCpus, allowedCpus);
	return Number.isFinite(cpus) ? cpus : undefined;
}

/** Whether the CPUs that the program lacks may be in use by other processes. Figures of others may be missing. */
function areOthersAtWork(vitals: TargetVitals, usedPercent: number): boolean {
	const {hostCpus, othersCpuPercent = Infinity} = vitals;
	const cpus = cpusOf(vitals);
	return hostCpus !== undefined && cpus !== undefined && usedPercent < 100 * ownPart * cpus
		&& othersCpuPercent >= 100 * othersPart * hostCpus;
}

/** Returns the finding that threads of the program want more CPUs than it has, with those that want most. */
function wantingFinding(
	snapshot: Snapshot,
	since: Snapshot | undefined,
	query: Query,
	{overMs, vitals, areOthers, figures}: {
		readonly overMs: number;
		readonly vitals: TargetVitals;
		readonly areOthers: boolean;
		readonly figures: Finding['figures'];
	},
): Finding | undefined {
	const {threads} = snapshot;
	const cpus = cpusOf(vitals);
	const wantedNs = (thread: number) =>
		threadCpuNs(snapshot, since, thread) + threadRunDelayNs(snapshot, since, thread);
	const byName = new Map<Printable, number[]>();
	for (let thread = 0; thread < threads.count; thread++) {
		if (threadKind(threads.flags[thread]) === 'java') {
			getOrCreate(byName, poolName(threads.name[thread]), () => []).push(thread);
		}
	}

	const wanting = Array.from(byName, ([name, ofName]) =>
		({name, ofName, ns: sumOf(ofName, thread => wantedNs(thread))})).sort((a, b) => b.ns - a.ns);
	const wanted = sumOf(wanting, ({ns}) => ns) / (overMs * 1e6);
	const {hostLoad = Infinity} = vitals;
	if (cpus === undefined || wanted < manyForCpu * cpus || (areOthers && wanted < mostOfLoad * hostLoad)) {
		return undefined;
	}

	const [{name, ofName, ns}] = wanting;
	const alive = ofName.filter(thread => threads.alive[thread] === 1);
	const at = commonAppLine(snapshot, query, alive)?.at;
	return {
		id: 'cpu-threads',
		text: safe`${formatCount(Math.round(wanted))} threads want ${plural(cpus, safe`CPU`)}: ${
			formatCount(Math.round(ns / (overMs * 1e6)))
		} of them are ${name}${at ? safe`, at ${shortName(at, maxLocationCells)}` : ''}.`,
		figures: {
			threads: decimals(wanted, 1), cpus, name, ...figures, ...(at ? {at: locationNameOrEmpty(at)} : {}),
		},
	};
}
