import {describe, expect, test} from 'vitest';
import {renderFinalSummary} from '../../source/exports/formats/final-summary.js';
import {beside, javaForTest} from '../helpers/for-test.js';
import {jdks} from '../helpers/jvm.js';
import {samplerForTest} from '../helpers/sampling.js';
import {until} from '../helpers/until.js';

describe.concurrent.each(jdks().map(jdk => ({release: jdk.release, jdk})))('JDK $release', ({jdk}) => {
	test.concurrent.for(['memory', 'attach'])('threads in a dead socket are what stays on the terminal (%s)', beside(async engine => {
		const java = await javaForTest('DeadSocket', {jdk});
		const sampler = await samplerForTest(java, {engine, waits: true});
		// Threads are found when they have waited for some seconds, and what they wait for was read.
		const lines = await until(() => {
			const snapshot = sampler.read();
			const text = snapshot ? renderFinalSummary(snapshot, 80).join('\n').replaceAll(/\n +/g, ' ') : '';
			return /^20 threads wait for 127\.0\.0\.1:\d+, longest >=\d+s, at DeadSocket\.ask:21\.$/m.test(text) && text;
		});
		expect(lines).toMatch(/^waited for .* \(20 threads\) at DeadSocket\.ask:21\b/m);
		expect(lines).not.toMatch(/DeadSocket\.main:16[^]*DeadSocket\.ask:21/);
	}));
});
