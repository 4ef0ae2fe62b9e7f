import {safe} from '../../source/util/printable.js';
import {Recorder} from '../../source/exports/recording/recorder.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {Picture} from './picture.js';
import {ringOf} from './random-session.js';

/** When the recorded session began; a whole ten minutes on the clock. */
export const spikeStartMs = 1_700_000_400_000;

/**
A second a snapshot: `Calm.tick:3` uses 10 % of a core; in seconds 61 to 65 `Spike.burn:7` one, and four are blocked.
*/
export function spikeSession(seconds: number): Snapshot[] {
	const drawing = new Picture();
	return Array.from({length: seconds}, (_, index) => {
		const second = index + 1;
		const isSpike = second > 60 && second <= 65;
		drawing.draw(`
			ticker | R20*5 | com.acme.Calm.tick:3
			burner | ${isSpike ? 'R20*50 | com.acme.Spike.burn:7' : 'w*50 | com.acme.Calm.tick:3'}
			${
				[1, 2, 3, 4].map(waiter =>
					`waiter-${waiter} | ${isSpike ? 'B*50 | com.acme.Spike.wait:9' : 'w*50 | com.acme.Calm.tick:3'}`).join('\n')
			}
		`);
		const atMs = spikeStartMs + (second * 1000);
		return drawing.builder.build({
			target: {pid: 4711, mainClass: safe`com.acme.Main`},
			session: {
				engine: safe`memory`,
				samples: second * 50,
				durationMs: second * 1000,
				startedAtMs: spikeStartMs,
				takenAtMs: atMs + 10,
				lastSampleAtMs: atMs,
			},
		});
	});
}

/** Records a session of this length in seconds into a new file. */
export async function recordSpike(file: string, seconds: number): Promise<void> {
	const recorder = await Recorder.create(file);
	await recorder.follow(ringOf(spikeSession(seconds), undefined, {vitals: {cpuPercent: 12}}), 0);
	await recorder.finish();
}
