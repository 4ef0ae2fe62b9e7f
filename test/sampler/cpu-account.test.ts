import {describe, expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {JvmStacks} from '../../source/model/jvm-stacks.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import {Sample, threadFlag} from '../../source/model/sample.js';
import {stateCode} from '../../source/model/thread-state.js';
import {CpuAccount} from '../../source/sampler/cpu-account.js';
import {pick, seeded} from '../helpers/random.js';
import {sum} from '../helpers/sum.js';

const unattributed = 999;
const periodNs = 10e6;

/** CPU nanoseconds by the innermost frame; 0 for none. */
type Lines = Map<number, number>;

function addTo(lines: Lines, {attributedCpu, frames}: Sample): void {
	for (let index = 0; index < attributedCpu.count; index++) {
		const frame = attributedCpu.stackLength[index] > 0 ? frames[attributedCpu.stackStart[index]] : 0;
		lines.set(frame, (lines.get(frame) ?? 0) + attributedCpu.cpuNs[index]);
	}
}

/** Shares of lines in percent of what they have together. */
function shares(lines: Lines, of: readonly number[]): number[] {
	const whole = sum(of.map(line => lines.get(line) ?? 0));
	return of.map(line => 100 * (lines.get(line) ?? 0) / whole);
}

/** One thread's work: pieces of CPU time, each at a line, with rests between them; its own moment in wall time. */
type Piece = {readonly line: number; readonly ns: number};

/** Plays a program of one thread, recorded each period or observed at samples. Line 0 rests. */
function play(
	next: () => Piece,
	{seconds, mode, random, intervalNs = 20e6}: {
		readonly seconds: number;
		readonly mode: 'records' | 'observed';
		readonly random: () => number;
		readonly intervalNs?: number;
	},
) {
	const [sample, account, lines, used]: [Sample, CpuAccount, Lines, Lines] = [
		new Sample(),
		new CpuAccount(unattributed, new JvmStacks(new SnapshotBuilder())),
		new Map(),
		new Map(),
	];
	let [nowNs, recordNs, sampleNs, lastNs, usedNs, wholeNs] = [0, random() * periodNs, intervalNs, 0, 0, 0];
	let records: number[] = [];
	while (nowNs < seconds * 1e9) {
		let {line, ns} = next();
		used.set(line, (used.get(line) ?? 0) + (line === 0 ? 0 : ns));
		while (ns > 0) {
			const stepNs = Math.min(ns, recordNs - nowNs, sampleNs - nowNs);
			nowNs += stepNs;
			ns -= stepNs;
			usedNs += line === 0 ? 0 : stepNs;
			if (nowNs >= recordNs) {
				recordNs += periodNs;
				if (line > 0) {
					records.push(line);
				}
			}

			if (nowNs >= sampleNs) {
				sample.clear();
				const row = sample.addThread(1, 1, safe`worker`);
				sample.addFrame(line > 0 ? line : 500);
				sample.cpuNs[row] = usedNs;
				sample.state[row] = line > 0 ? stateCode.RUNNABLE : stateCode.WAITING;
				sample.isObservation = mode === 'observed';
				sample.isObserved[row] = Number(mode === 'observed' && line > 0);
				for (const recorded of mode === 'records' ? records : []) {
					sample.addAttributedCpu(row, periodNs, [recorded]);
				}

				account.add(sample, nowNs - lastNs);
				addTo(lines, sample);
				wholeNs += usedNs;
				[usedNs, records, lastNs] = [0, [], nowNs];
				sampleNs = nowNs + (intervalNs * (0.5 + random()));
			}
		}
	}

	return {lines, used, wholeNs};
}

const exponential = (random: () => number, meanNs: number) => -meanNs * Math.log(1 - random());

const programs: Readonly<Record<string, (random: () => number) => () => Piece>> = {
	// A job of three 5 ms steps, then a rest of 30 ms in the mean.
	phases(random) {
		let step = 0;
		return () => {
			step = (step + 1) % 4;
			return step === 0 ? {line: 0, ns: exponential(random, 30e6)} : {line: step, ns: 5e6};
		};
	},
	// Tasks of very different length, in a fixed order, each after a short rest.
	bursts(random) {
		let step = 0;
		return () => {
			step++;
			return step % 2 === 0
				? {line: 0, ns: exponential(random, 1.3e6)}
				: {line: 1 + (((step - 1) / 2) % 3), ns: [0.2e6, 0.9e6, 2.3e6][((step - 1) / 2) % 3]};
		};
	},
	// Long work, now here, now there.
	long(random) {
		return () => ({line: 1 + pick(random, 3), ns: exponential(random, 300e6)});
	},
};

describe('a program of which the truth is known', () => {
	test.each(Object.keys(programs).flatMap(program =>
		(['records', 'observed'] as const).map(mode => [program, mode] as const)))('%s, %s: all that was used counts once, and each line has its share', (program, mode) => {
		const differences: number[][] = [];
		let [wholeNs, lostNs] = [0, 0];
		for (let run = 0; run < 12; run++) {
			const random = seeded(17 + run);
			const played = play(programs[program](random), {seconds: 60, mode, random});
			// The account is exact, though its parts depend on chance.
			expect(Math.abs(sum(played.lines.values()) - played.wholeNs)).toBeLessThan(1);
			const [shown, real] = [shares(played.lines, [1, 2, 3]), shares(played.used, [1, 2, 3])];
			differences.push(shown.map((share, line) => share - real[line]));
			wholeNs += played.wholeNs;
			lostNs += played.lines.get(unattributed) ?? 0;
		}

		// Records have no bias at all; a job's last step is observed with a little more than its share.
		for (const line of [0, 1, 2]) {
			const each = differences.map(difference => difference[line]);
			const mean = sum(each) / each.length;
			const error = Math.sqrt(sum(each.map(value => (value - mean) ** 2)) / (each.length - 1) / each.length);
			expect(Math.abs(mean), `line ${line}: ${mean} +- ${error}`)
				.toBeLessThan((3.5 * error) + (mode === 'records' ? 0 : 1.2));
		}

		// Chance is as often above as below: nothing to speak of is unattributed.
		expect(Math.abs(lostNs / wholeNs)).toBeLessThan(0.02);
	});
});

test('any sample: what its rows used is what counts, at stacks or unattributed', () => {
	const random = seeded(23);
	const account = new CpuAccount(unattributed, new JvmStacks(new SnapshotBuilder()));
	const sample = new Sample();
	for (let round = 0; round < 500; round++) {
		sample.clear();
		sample.isObservation = round % 2 === 0;
		const rows = 1 + pick(random, 8);
		for (let index = 0; index < rows; index++) {
			const row = sample.addThread(index, index, safe`t${index}`);
			sample.state[row] = pick(random, 6);
			sample.cpuNs[row] = pick(random, 3) * 1e6;
			sample.carrier[row] = row > 0 && random() < 0.3 ? row - 1 : -1;
			sample.isObserved[row] = pick(random, 2);
			for (let frame = pick(random, 3); frame > 0; frame--) {
				sample.addFrame(frame);
			}
		}

		for (let index = sample.isObservation ? 0 : pick(random, 5); index > 0; index--) {
			sample.addAttributedCpu(pick(random, rows), periodNs, [7]);
		}

		account.add(sample, pick(random, 2) * 20e6);
		const {attributedCpu} = sample;
		expect(sum(attributedCpu.cpuNs.subarray(0, attributedCpu.count))).toBeCloseTo(
			sum(sample.cpuNs.subarray(0, rows)),
			3,
		);
	}
});

test('a thread that works for long before it is observed for once: that counts for 32 intervals at most', () => {
	const lines: Lines = new Map();
	const account = new CpuAccount(unattributed, new JvmStacks(new SnapshotBuilder()));
	const sample = new Sample();
	for (let interval = 0; interval <= 1000; interval++) {
		sample.clear();
		sample.isObservation = true;
		const row = sample.addThread(1, 1, safe`worker`);
		sample.cpuNs[row] = 5e6;
		sample.isObserved[row] = Number(interval === 1000);
		sample.addFrame(7);
		account.add(sample, 20e6);
		addTo(lines, sample);
	}

	expect([lines.get(7), sum(lines.values())]).toEqual([32 * 20e6, 1001 * 5e6]);
});

test('threads without Java frames count as what they are there for; one whose stack could not be read is unattributed', () => {
	const builder = new SnapshotBuilder();
	const stacks = new JvmStacks(builder);
	const account = new CpuAccount(unattributed, stacks);
	const sample = new Sample();
	const threads = [
		['G1 Conc#0', 5e6, threadFlag.vmInternal],
		['G1 Conc#1', 1e6, threadFlag.vmInternal],
		['C2 CompilerThread0', 2e6, threadFlag.compiler],
		['reader-12', 3e6, 0],
		['main', 4e6, threadFlag.incomplete],
	] as const;
	for (const [name, cpuNs, flags] of threads) {
		const row = sample.addThread(sample.count, 1, safe`${name}`);
		sample.cpuNs[row] = cpuNs;
		sample.flags[row] = flags;
	}

	account.add(sample, 20e6);
	const lines: Lines = new Map();
	addTo(lines, sample);
	expect(lines)
		.toEqual(new Map([[stacks.of('[gc]', 'G1 Conc')[0], 6e6], [stacks.of('[jit]', 'C2')[0], 2e6], [
			stacks.of('[native]', '"reader-*"')[0],
			3e6,
		], [unattributed, 4e6]]));
});
