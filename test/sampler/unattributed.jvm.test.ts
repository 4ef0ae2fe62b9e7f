import process from 'node:process';
import {expect, test} from 'vitest';
import type {TimerId} from '../../source/engines/common/engine.js';
import {memoryEngine} from '../../source/engines/memory/memory-engine.js';
import {openProcessClock} from '../../source/jvm/threads/process-clock.js';
import {unattributed, unattributedReasons} from '../../source/model/frame.js';
import type {JavaProcess} from '../helpers/jvm.js';
import {sum} from '../helpers/sum.js';
import {until} from '../helpers/until.js';
import {javaForTest} from '../helpers/for-test.js';
import {countedIn, sampleHere} from '../helpers/sampling.js';

test('unobserved CPU time is in one row, with its reason, and all time counts once, with each timer', async () => {
	const java = await javaForTest('WakesOften');
	await Promise.all((['perf', 'stop'] as const).map(async timer => unattributedIn(java, timer)));
});

async function unattributedIn(java: JavaProcess, timer: TimerId): Promise<void> {
	const {reader, stop} = await sampleHere(java, memoryEngine, {timer});
	const sums = () => {
		const image = reader.read(1000)!;
		const counted = countedIn(image);
		return {
			usedNs: sum(image.threads.cpuNs), countedNs: sum(counted.map(({cpuNs}) => cpuNs)),
			unattributedNs: sum(counted.map(({methods, cpuNs}) => methods[0] === unattributed.method ? cpuNs : 0)),
			reason: unattributedReasons[image.figures.unattributedReason],
		};
	};

	await until(() => sums().usedNs >= 3e8);
	await stop();
	const {usedNs, countedNs, unattributedNs, reason} = sums();
	expect(Math.abs(countedNs - usedNs)).toBeLessThan(1e-6 * usedNs);
	expect(unattributedNs).not.toBe(0);
	expect(reason).toMatch(timer === 'stop' ? /^threads not observed running$/ : /no timer sees|lost|without root/);
}

test('CPU time of threads that end between two samples is in a row of its own', async () => {
	const java = await javaForTest('ThreadPerTask', {args: ['2', '1']});
	const clock = openProcessClock(java.pid)!;
	const {reader} = await sampleHere(java, memoryEngine, {timer: 'stop'});
	const countedNs = () => sum(reader.read(1000)!.threads.cpuNs);

	await until(() => countedNs() > 0);
	const [countedBefore, usedBefore] = [countedNs(), clock.readNs()];
	await until(() => clock.readNs() - usedBefore >= 2e9);
	process.kill(java.pid, 'SIGSTOP');
	const share = () => (countedNs() - countedBefore) / (clock.readNs() - usedBefore);
	await until(() => share() > 0.95);
	process.kill(java.pid, 'SIGCONT');
	expect(share()).toBeLessThan(1.02);
});

test('threads that work for a moment are not shown to work where they wait afterwards', async () => {
	const {reader, stop} = await sampleHere(await javaForTest('WorksBetweenWaits'), memoryEngine, {timer: 'stop'});
	const msIn = (wanted: readonly string[]) =>
		sum(countedIn(reader.read(1000)!).map(({methods, cpuNs}) => wanted.includes(methods[0]) ? cpuNs / 1e6 : 0));
	const waits = ['wait', 'epollWait'];
	await until(() => msIn(['work', ...waits]) >= 1500);
	await stop();
	expect(msIn(waits)).toBeLessThan(msIn(['work']) / 4);
});
