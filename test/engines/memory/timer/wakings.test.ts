import {spawnSync} from 'node:child_process';
import path from 'node:path';
import {afterEach, expect, test} from 'vitest';
import {addWaking, newWakings, type Wakings} from '../../../../source/engines/memory/timer/wakings.js';
import {type JavaProcess, startJava} from '../../../helpers/jvm.js';
import {sayTo} from '../../../helpers/say.js';

const cli = path.resolve(import.meta.dirname, '../../../../dist/cli.js');
const periodNs = 10e6;

let java: JavaProcess | undefined;

afterEach(async () => {
	await java?.stop();
});

/** What counts as waking of a thread that uses so much each look, with so many turns, of which records have a part. */
function wakingPart(usedNs: number, turns: number, recorded: (look: number) => number, looks = 4000): {readonly part: number; readonly wakings: Wakings} {
	const wakings = newWakings();
	let wakingNs = 0;
	for (let look = 0; look < looks; look++) {
		wakings.recordedNs += recorded(look) * periodNs;
		wakingNs += addWaking(wakings, usedNs, turns, periodNs);
	}

	return {part: wakingNs / (usedNs * looks), wakings};
}

test('what a thread uses beyond its records, and has turns enough for, is its waking', () => {
	// 2 ms a look in 150 turns, and a record in ten looks: 1 ms of it is waking.
	const {part, wakings} = wakingPart(2e6, 150, look => look % 10 === 0 ? 1 : 0);
	expect(part).toBeGreaterThan(0.42);
	expect(part).toBeLessThan(0.5);
	expect(wakings.openNs / (4000 * 2e6)).toBeCloseTo(part, 6);
});

test('a thread that is seldom switched has none, whatever its records say', () => {
	expect(wakingPart(10e6, 0, look => look % 2).part).toBe(0);
	expect(wakingPart(10e6, 2, look => look % 2).part).toBeLessThan(0.004);
});

test('chance is not taken for waking, and records that are ahead are none', () => {
	let seed = 1;
	const random = () => {
		seed = (seed * 48_271) % 2_147_483_647;
		return seed / 2_147_483_647;
	};

	// A record in five looks in the mean, each by chance; turns enough for anything.
	expect(wakingPart(2e6, 1000, () => random() < 0.2 ? 1 : 0).part).toBeLessThan(0.04);
	expect(wakingPart(2e6, 1000, look => look % 4 === 0 ? 1 : 0).part).toBeLessThan(0.01);
});

test('the past fades: a thread that takes up other work is believed again', () => {
	const wakings = newWakings();
	for (let look = 0; look < 4000; look++) {
		wakings.recordedNs += look % 10 === 0 ? periodNs : 0;
		addWaking(wakings, 2e6, 150, periodNs);
	}

	let wakingNs = 0;
	for (let look = 0; look < 10_000; look++) {
		wakings.recordedNs += periodNs;
		wakingNs = addWaking(wakings, 10e6, 0, periodNs);
	}

	expect(wakingNs).toBe(0);
});

test('of threads that wake up all the time, waking counts where they wait', async () => {
	java = await startJava('WakesOften', {args: []});
	await sayTo(java, 'begin');
	const {stdout} = spawnSync(process.execPath, [cli, String(java.pid), '--engine', 'memory', '--format', 'json', '--by', 'method', '--duration', '6', '--max-cpu', '100'], {encoding: 'utf8'});
	const [, parkNs, allNs] = /^park (\d+) of (\d+)$/m.exec(await sayTo(java, 'end'))!.map(Number);
	const {lines, threads} = JSON.parse(stdout) as {lines: Array<{method: string; cpuMs: number}>; threads: Array<{name: string; cpuMs: number}>};
	const ofMethod = (name: string) => lines.filter(({method}) => method === name).reduce((sum, {cpuMs}) => sum + cpuMs, 0);
	const wakingMs = threads.filter(({name}) => name.startsWith('waking-')).reduce((sum, {cpuMs}) => sum + cpuMs, 0);

	expect(ofMethod('parkNanos') / wakingMs).toBeGreaterThan(0.65 * parkNs / allNs);
});
