import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {isDeepStrictEqual} from 'node:util';
import {expect, onTestFinished, test} from 'vitest';
import {openVitals} from '../../../source/jvm/counters/vitals.js';
import {limitFindings} from '../../../source/query/summary/limit-findings.js';
import {closedAfterTest, javaForTest} from '../../helpers/for-test.js';
import {isNewestOrAskedFor, jdks, runTool, targetOf, type JavaProcess, type Jdk} from '../../helpers/jvm.js';
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

/** Returns the number of class loaders but the boot loader, as the JVM says it; undefined on 8, which does not. */
function classLoaders(on: Jdk, {pid}: JavaProcess): number | undefined {
	if (on.release < 11) {
		return undefined;
	}

	const [, total] = /^Total = (\d+)/m.exec(runTool(on, 'jcmd', String(pid), 'VM.classloader_stats'))!;
	return Number(total) - 1;
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
		// Code may still grow, and the classes that have the figures are found one after the other.
		let last = await toldBy(java, '');
		const {figures, said: {loadedClasses, ...told}} = await untilAsync(async () => {
			const before = last;
			const read: Readonly<Record<string, unknown>> = {loadedClasses: 0, ...session.readFigures!()};
			last = await toldBy(java, '');
			const isAllRead = Object.keys(last).every(name => read[name] !== undefined);
			return last.pendingFinalizers >= 40 && isDeepStrictEqual(before, last) && isAllRead
				&& {figures: read, said: last};
		});
		expect(told).toMatchObject({directBuffers: 30, directBytes: 30 * mb, mappedBuffers: 3, mappedBytes: 6 * mb});
		const loaders = classLoaders(jdk, java);
		expect(loaders ?? 120).toBeGreaterThanOrEqual(120);
		expect(figures).toEqual({
			...told, loadedClasses: 0, directMaxBytes: 31 * mb, ...(loaders ? {classLoaders: loaders} : {}),
		});
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

		// The program does not use the counters after that, so nothing may say where ZGC has moved them. What was read
		// last is kept for ten seconds.
		if (isNewestOrAskedFor(jdk.release) && flags === '-XX:+UseZGC') {
			runTool(jdk, 'jcmd', String(java.pid), 'GC.run');
			await sleep(11_000);
			const {directBytes, isDirectUnknown} = session.readFigures!();
			expect(isDirectUnknown === true || directBytes === 30 * mb).toBe(true);
		}
	},
);
