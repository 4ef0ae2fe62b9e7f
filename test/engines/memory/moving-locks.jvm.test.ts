import {setTimeout as sleep} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {javaForTest} from '../../helpers/for-test.js';
import {isNewestOrAskedFor, jdks} from '../../helpers/jvm.js';
import {untilAsync} from '../../helpers/until.js';
import {Observer} from '../observe.js';

/** Samples taken once the lock is known; the collector moves it several times a second. */
const samples = 100;
/** Of the two locks in each sample. */
const mostUnknown = 6;

/** Collectors that move objects while the program runs. */
const collectors: ReadonlyArray<{readonly flags: string[]; readonly on: (release: number) => boolean}> = [
	{flags: ['-XX:+UseZGC'], on: release => release >= 17},
	{flags: ['-XX:+UseZGC', '-XX:+ZGenerational'], on: release => release === 21},
	{flags: ['-XX:+UseShenandoahGC'], on: release => release >= 17 && isNewestOrAskedFor(release)},
];

const ways = jdks().flatMap(jdk =>
	collectors.filter(({on}) => on(jdk.release)).map(({flags}) => ({release: jdk.release, flags, jdk})));

test.each(ways)(
	'JDK $release $flags: a monitor keeps its class and holder while the collector moves its object',
	async ({jdk, flags}) => {
		const java = await javaForTest('HeldWhileMoving', {jdk, jvmArgs: [...flags, '-Xmx256m']});
		const observer = await Observer.open(java.pid);
		const locks = async () => {
			const threads = await observer.observe();
			const blocked = threads.filter(({name}) => name.startsWith('blocked-'));
			return blocked.map(({lock, owner}) => `${lock}, ${owner.replace(/ at .*/, '')}`);
		};

		const wanted = ['monitor HeldWhileMoving$Account, holder', 'monitor HeldWhileMoving$Account, holder'];
		await untilAsync(async () => {
			await sleep(10);
			return String(await locks()) === String(wanted);
		});
		const seen: string[] = [];
		for (let sample = 0; sample < samples; sample++) {
			await sleep(10);
			seen.push(...await locks());
		}

		// None is wrong. The holder may be unknown if the collector moves what is being read.
		const unknown = 'monitor HeldWhileMoving$Account, ';
		expect(seen.filter(lock => lock !== wanted[0] && lock !== unknown)).toEqual([]);
		expect(seen.filter(lock => lock === unknown).length).toBeLessThan(mostUnknown);
	},
);
