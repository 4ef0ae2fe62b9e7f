import type {Target} from '../../source/jvm/target.js';
import type {TraceReport} from '../../source/model/trace-report.js';
import {TraceSession, type TraceRequest} from '../../source/tracing/session.js';

/** A request without patterns; no test comes near its limits. */
export const request: TraceRequest = {
	patterns: [], under: [], leastNs: 0, keep: 5, maxMethods: 10_000, maxOverheadPercent: 100, reportIntervalMs: 100,
};

/** Traces what a request means while `during` goes on; the last report. */
export async function traced(target: Target, change: Partial<TraceRequest>, during: (session: TraceSession) => Promise<unknown>): Promise<TraceReport> {
	const session = await TraceSession.open(target);
	try {
		await session.weave({...request, ...change});
		await during(session);
	} finally {
		await session.close();
	}

	return (await session.close())!;
}
