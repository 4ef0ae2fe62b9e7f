import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {openVitals} from '../../../source/jvm/counters/vitals.js';
import {limitFindings} from '../../../source/query/summary/limit-findings.js';
import {closedAfterTest, javaForTest} from '../../helpers/for-test.js';
import {type JavaProcess, isNewestOrAskedFor, jdks, targetOf} from '../../helpers/jvm.js';
import {until, untilAsync} from '../../helpers/until.js';
import {Observer} from '../observe.js';

const mb = 2 ** 20;

/** What the MXBeans of KnownMemory say, after it has done what the line says. */
async function toldBy(java: JavaProcess, line: string): Promise<Record<string, number>> {
	const before = java.output().length;
	java.child.stdin!.write(`${line}\n`);
	await until(() => java.output().slice(before).endsWith('told\n'));
	const figures = java.output().slice(before).matchAll(/^(\w+) (\d+)$/gm);
	return Object.fromEntries(Array.from(figures, ([, name, value]) => [name, Number(value)]));
}

const collectors = (release: number) => [
	'-XX:+UseSerialGC',
	'-XX:+UseG1GC',
	...(isNewestOrAskedFor(release) && release >= 17 ? ['-XX:+UseZGC', '-XX:+UseShenandoahGC'] : []),
	...(release === 21 ? ['-XX:+UseZGC -XX:+ZGenerational'] : []),
];

test.each(jdks().flatMap(jdk => collectors(jdk.release).map(flags => ({jdk, release: jdk.release, flags}))))(
	'JDK $release $flags: buffers, finalizers and code as the JVM\'s own MXBeans tell them',
	async ({jdk, flags}) => {
		const folder = mkdtempSync(path.join(tmpdir(), 'tprof-test-'));
		onTestFinished(() => {
			rmSync(folder, {recursive: true});
		});
		const java = await javaForTest('KnownMemory', {
			jdk,
			args: [path.join(folder, 'mapped')],
			jvmArgs: [...flags.split(' '), '-Xmx128m', '-Xint', '-XX:MaxDirectMemorySize=31m'],
		});
		const {session} = await Observer.open(java.pid);
		// All but the one whose finalizer is at work wait for it, once the JVM's thread for references has found them.
		let last = await toldBy(java, '');
		const {loadedClasses, ...told} = await untilAsync(async () => {
			const before = last;
			last = await toldBy(java, '');
			return last.pendingFinalizers >= 40 && last.pendingFinalizers === before.pendingFinalizers && last;
		});
		expect(told).toMatchObject({directBuffers: 30, directBytes: 30 * mb, mappedBuffers: 3, mappedBytes: 6 * mb});
		const figures = await until(() => {
			const read = session.readFigures!();
			// The classes that have them are found one after the other.
			return Object.keys(read).length > Object.keys(told).length && read;
		});
		expect(figures).toEqual({...told, directMaxBytes: 31 * mb});
		const vitals = closedAfterTest(openVitals(await targetOf(java)));
		expect(vitals.read().loadedClasses).toBe(loadedClasses);
		expect(limitFindings({...vitals.read(), ...figures}).map(({text}) => text)).toEqual([
			'Direct memory is nearly used up: 30M of 31M, by 30 buffers.',
		]);
		// Under load there is the right answer or none.
		for (let round = 0; round < 3; round++) {
			java.child.stdin!.write('garbage\ngc\n');
			for (let reading = 0; reading < 200; reading++) {
				const read = session.readFigures!();
				expect([read.directBytes ?? 30 * mb, read.directMaxBytes ?? 31 * mb, read.mappedBuffers ?? 3])
					.toEqual([30 * mb, 31 * mb, 3]);
			}
		}
	},
);
