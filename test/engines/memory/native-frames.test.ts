import {describe, expect, test} from 'vitest';
import type {Snapshot} from '../../../source/model/snapshot.js';
import {locationName} from '../../../source/query/counters/location.js';
import {defaultQuery, type Query} from '../../../source/query/types/query.js';
import {queryLines} from '../../../source/views/lines/lines.js';
import {javaForTest} from '../../helpers/for-test.js';
import {jdks} from '../../helpers/jvm.js';
import {samplerForTest} from '../../helpers/sampling.js';
import {sum} from '../../helpers/sum.js';
import {until} from '../../helpers/until.js';

/** CPU time of Lines that a test waits for. */
const leastNs = 1.5e9;

/** Share of the CPU time, percent, of lines whose names fit. */
function shareOf(snapshot: Snapshot, query: Partial<Query>, name: RegExp): number {
	const {rows, wholeCpuNs} = queryLines(snapshot, undefined, {...defaultQuery, ...query});
	return 100 * sum(rows.filter(row => name.test(locationName(row))).map(({selfCpuNs}) => selfCpuNs)) / wholeCpuNs;
}

describe.each(jdks())('JDK $release', on => {
	test.each([
		{program: 'Deflates', java: /^java\.util\.zip\.Deflater\.\w+:\d+$/, native: /^lib(?:zip|z)\.so[\d.]*(?:!|$)/},
		{program: 'ReadsZeros', java: /^(?:java\.io\.FileInputStream\.|ReadsZeros)/, native: /^\[kernel] read$/},
	])('native code counts for its Java line, or by library and function: $program', async ({program, java: line, native}) => {
		const java = await javaForTest(program, {jdk: on});
		const sampler = await samplerForTest(java, {timer: 'perf'});
		const usedNs = () => queryLines(sampler.read()!, undefined, defaultQuery).wholeCpuNs;
		await until(() => sampler.read() !== undefined && usedNs() > leastNs);
		const snapshot = sampler.read()!;
		expect(shareOf(snapshot, {}, line)).toBeGreaterThan(60);
		expect(shareOf(snapshot, {}, /^lib|^\[kernel]/)).toBe(0);
		expect(shareOf(snapshot, {native: true}, native)).toBeGreaterThan(50);
		expect(shareOf(snapshot, {native: true, ownFirst: true}, /^lib|^\[kernel]/)).toBeLessThan(5);
	});
});
