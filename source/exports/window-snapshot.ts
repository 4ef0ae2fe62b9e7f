import type {Contention, Facts, SessionStats, Snapshot, ThreadTable} from '../model/snapshot.js';

/**
The snapshot of what was counted after `baseline`, an earlier snapshot of the same session: same dictionary and threads, counters subtracted.
Facts and contention rows that did not grow are left out. Without a baseline: the snapshot itself. `intervalMs` and the pause percentiles are not cumulative and stay.
*/
export function windowSnapshot(snapshot: Snapshot, baseline: Snapshot | undefined): Snapshot {
	if (!baseline) {
		return snapshot;
	}

	return {
		target: snapshot.target,
		session: windowStats(snapshot.session, baseline.session),
		dictionary: snapshot.dictionary,
		threads: windowThreads(snapshot.threads, baseline.threads),
		facts: windowFacts(snapshot.facts, baseline.facts),
		contention: windowContention(snapshot.contention, baseline.contention),
	};
}

/** Cumulative figures of `now` less those of `then`; the window starts where `then` was taken. */
export function windowStats(now: SessionStats, then: SessionStats): SessionStats {
	return {
		...now,
		startedAtMs: then.takenAtMs,
		durationMs: now.durationMs - then.durationMs,
		sampledMs: now.sampledMs - then.sampledMs,
		samples: now.samples - then.samples,
		late: now.late - then.late,
		failed: now.failed - then.failed,
		threadSamples: now.threadSamples - then.threadSamples,
		incompleteStacks: now.incompleteStacks - then.incompleteStacks,
		refusedThreads: now.refusedThreads - then.refusedThreads,
		lateThreads: now.lateThreads - then.lateThreads,
		otherTicks: now.otherTicks - then.otherTicks,
		targetStoppedMs: now.targetStoppedMs - then.targetStoppedMs,
		selfCpuMs: now.selfCpuMs - then.selfCpuMs,
	};
}

function windowThreads(now: ThreadTable, then: ThreadTable): ThreadTable {
	const cpuNs = now.cpuNs.slice(0, now.count);
	for (let i = 0; i < Math.min(now.count, then.count); i++) {
		cpuNs[i] -= then.cpuNs[i];
	}

	return {...now, cpuNs};
}

// Counters of one session are append-only and keyed: the same index is the same key in every snapshot.
function windowFacts(now: Facts, then: Facts): Facts {
	const rows: Array<{i: number; ticks: number; cpuNs: number}> = [];
	for (let i = 0; i < now.count; i++) {
		const known = i < then.count;
		const ticks = now.ticks[i] - (known ? then.ticks[i] : 0);
		const cpuNs = now.cpuNs[i] - (known ? then.cpuNs[i] : 0);
		if (ticks > 0 || cpuNs > 0) {
			rows.push({i, ticks, cpuNs});
		}
	}

	return {
		count: rows.length,
		thread: Int32Array.from(rows, row => now.thread[row.i]),
		node: Int32Array.from(rows, row => now.node[row.i]),
		state: Uint8Array.from(rows, row => now.state[row.i]),
		ticks: Int32Array.from(rows, row => row.ticks),
		cpuNs: Float64Array.from(rows, row => row.cpuNs),
	};
}

function windowContention(now: Contention, then: Contention): Contention {
	const rows: Array<{i: number; ticks: number}> = [];
	for (let i = 0; i < now.count; i++) {
		const ticks = now.ticks[i] - (i < then.count ? then.ticks[i] : 0);
		if (ticks > 0) {
			rows.push({i, ticks});
		}
	}

	const column = (values: Int32Array) => Int32Array.from(rows, row => values[row.i]);
	return {
		count: rows.length,
		thread: column(now.thread),
		node: column(now.node),
		lockKind: Uint8Array.from(rows, row => now.lockKind[row.i]),
		lockClass: column(now.lockClass),
		owner: column(now.owner),
		ownerNode: column(now.ownerNode),
		ownerFrame: column(now.ownerFrame),
		ticks: Int32Array.from(rows, row => row.ticks),
	};
}
