import {Recorder} from '../../source/exports/recording/recorder.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {stateCode} from '../../source/model/thread-state.js';
import {addToRing, emptyRing} from '../../source/query/past/ring.js';
import {Picture} from './picture.js';

/** When the recorded session began; a whole ten minutes on the clock. */
export const spikeStartMs = 1_700_000_400_000;

/** A second a snapshot: `Calm.tick:3` uses 10 % of a core; in seconds 61 to 65 `Spike.burn:7` one, and four are blocked. */
export function spikeSession(seconds: number): Snapshot[] {
	const picture = new Picture();
	const {builder} = picture;
	const calm = builder.addStack([picture.frame('com.acme.Calm.tick:3')]);
	const burn = builder.addStack([picture.frame('com.acme.Spike.burn:7')]);
	const wait = builder.addStack([picture.frame('com.acme.Spike.wait:9')]);
	const [ticker, burner, ...waiters] = ['ticker', 'burner', 'waiter-1', 'waiter-2', 'waiter-3', 'waiter-4'].map(name => picture.thread(name));
	return Array.from({length: seconds}, (_, index) => {
		const second = index + 1;
		const isSpike = second > 60 && second <= 65;
		builder.count(ticker, calm, stateCode.RUNNABLE, 5, 1e8);
		builder.count(burner, isSpike ? burn : calm, isSpike ? stateCode.RUNNABLE : stateCode.WAITING, 50, isSpike ? 1e9 : 0);
		for (const waiter of waiters) {
			const state = isSpike ? stateCode.BLOCKED : stateCode.WAITING;
			builder.count(waiter, isSpike ? wait : calm, state, 50, 0);
			builder.setNow(waiter, {state, node: isSpike ? wait : calm});
		}

		const atMs = spikeStartMs + (second * 1000);
		return builder.build({
			target: {pid: 4711, mainClass: 'com.acme.Main'},
			session: {
				engine: 'memory', samples: second * 50, durationMs: second * 1000, startedAtMs: spikeStartMs, takenAtMs: atMs + 10, lastSampleAtMs: atMs,
			},
		});
	});
}

/** Records a session of so many seconds into a new file. */
export async function recordSpike(file: string, seconds: number): Promise<void> {
	const recorder = await Recorder.create(file);
	let ring = emptyRing;
	for (const snapshot of spikeSession(seconds)) {
		ring = addToRing(ring, snapshot, {vitals: {cpuPercent: 12}});
		await recorder.follow(ring);
	}

	await recorder.finish();
}
