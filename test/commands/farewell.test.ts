import {describe, expect, test} from 'vitest';
import {renderFinalSummary} from '../../source/exports/formats/final-summary.js';
import {startSampler} from '../../source/sampler/handle.js';
import {bundle} from '../helpers/bundle.js';
import {jdks, startJava} from '../helpers/jvm.js';
import {targetOf} from '../helpers/target.js';
import {until} from '../helpers/until.js';

describe.concurrent.each(jdks().map(jdk => ({release: jdk.release, jdk})))('JDK $release', ({jdk}) => {
	test.concurrent.for(['memory', 'attach'])('threads in a dead socket are what stays on the terminal (%s)', async (engine, {onTestFinished}) => {
		const java = await startJava('DeadSocket', {jdk});
		onTestFinished(async () => java.stop());
		const sampler = startSampler({
			target: await targetOf(java), engine, waits: true, depth: Infinity, maxOverheadPercent: 100, intervalMs: 20, workerUrl: await bundle('source/sampler/worker.ts'),
		});
		try {
			await until(() => (sampler.read()?.session.durationMs ?? 0) >= 3000 && sampler.read()!.session.samples >= 20);
			const lines = renderFinalSummary(sampler.read()!, 80).join('\n').replaceAll(/\n +/g, ' ');
			expect(lines).toMatch(/^waited for .* \(20 threads\) at DeadSocket\.ask:21\b/m);
			expect(lines).toMatch(/^20 threads wait for 127\.0\.0\.1:\d+, longest >=\d+s, at DeadSocket\.ask:21\.$/m);
			expect(lines).not.toMatch(/DeadSocket\.main:16[^]*DeadSocket\.ask:21/);
		} finally {
			await sampler.close();
		}
	});
});
