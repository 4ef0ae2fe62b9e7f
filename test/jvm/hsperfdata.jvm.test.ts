import {readFileSync, readdirSync} from 'node:fs';
import {beforeAll, describe, expect, test} from 'vitest';
import {numberCounter, parsePerfData, readPerfData, stringCounter} from '../../source/jvm/counters/hsperfdata.js';
import {jdks} from '../helpers/jvm.js';
import {sharedJava} from '../helpers/for-test.js';
import {pick, seeded} from '../helpers/random.js';

describe.each(jdks())('JDK $release', jdk => {
	const shared = sharedJava('ParkedAndEcho', {jdk, jvmArgs: ['-Xmx64m', '-Dmark=here'], args: ['1', '2']});
	let file: Buffer;
	beforeAll(() => {
		const {pid} = shared.java;
		const folder = readdirSync('/tmp').find(name =>
			name.startsWith('hsperfdata_') && readdirSync(`/tmp/${name}`).includes(String(pid)));
		file = readFileSync(`/tmp/${folder}/${pid}`);
	});

	test('the counters that lists and header use are there', () => {
		const counters = readPerfData(shared.target)!;
		expect(stringCounter(counters, 'sun.rt.javaCommand')).toBe('ParkedAndEcho 1 2');
		expect(stringCounter(counters, 'java.rt.vmArgs')).toContain('-Xmx64m -Dmark=here');
		expect(stringCounter(counters, 'java.property.java.version'))
			.toMatch(jdk.release === 8 ? /^1\.8\.0/ : new RegExp(`^${jdk.release}(\\.|$|-)`));
		expect(stringCounter(counters, 'java.property.java.vm.name')).toMatch(/VM/);
		expect(numberCounter(counters, 'sun.os.hrt.frequency')).toBeGreaterThan(0);
		expect(Math.abs(numberCounter(counters, 'sun.rt.createVmBeginTime')! - Date.now())).toBeLessThan(600_000);
		expect([...counters.keys()].some(name => /^sun\.gc\.generation\.\d\.space\.\d\.used$/.test(name))).toBe(true);
	});

	test('a file cut anywhere gives what came before the cut, and never an error', () => {
		const whole = parsePerfData(file)!;
		const wrong: string[] = [];
		let last = 0;
		for (let cut = 0; cut <= file.length; cut += cut < 4096 ? 1 : 97) {
			const counters = parsePerfData(file.subarray(0, cut));
			expect(counters?.size ?? 0).toBeGreaterThanOrEqual(last);
			last = counters?.size ?? 0;
			for (const [name, value] of counters ?? []) {
				if (value !== whole.get(name)) {
					wrong.push(`cut at ${cut}: ${name} is ${value}`);
				}
			}
		}

		expect(wrong).toEqual([]);
		expect(last).toBe(whole.size);
	});

	test('bytes changed at random never make it fail or grow', () => {
		const next = seeded(jdk.release);
		const random = (below: number) => pick(next, below);
		const grown: string[] = [];
		for (let round = 0; round < 500; round++) {
			const bytes = Buffer.from(file);
			for (let change = 0; change < 20; change++) {
				bytes[round % 2 === 0 ? random(bytes.length) : random(400)]
					= [0, 1, 0x7F, 0x80, 0xFF, random(256)][random(6)];
			}

			const counters = parsePerfData(bytes);
			for (const [name, value] of counters ?? []) {
				if (name.length > file.length || !(typeof value === 'number' || value.length <= file.length)) {
					grown.push(`round ${round}: ${name}`);
				}
			}
		}

		expect(grown).toEqual([]);
	});
});
