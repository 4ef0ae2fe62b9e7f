import {readFileSync} from 'node:fs';
import process from 'node:process';
import {expect, test} from 'vitest';
import {allowedCpus} from '../../source/engines/memory/timer/cpu-rings.js';
import {IdleCpus} from '../../source/jvm/system/idle-cpus.js';

/** /proc/stat of CPUs that were busy, idle and waiting for a disk for so many ticks. */
const stat = (...cpus: ReadonlyArray<readonly [busy: number, idle: number, disk: number]>) => [
	'cpu  1 2 3 4 5 6 7 8 0 0', ...cpus.map(([busy, idle, disk], cpu) => `cpu${cpu} ${busy} 0 0 ${idle} ${disk} 0 0 0 0 0`), 'intr 12345 0 0',
].join('\n');

test('one of two CPUs is idle as often as not both are busy, as of the second before; of others nothing counts', () => {
	let text = stat([0, 0, 0], [0, 0, 0], [0, 0, 0]);
	const idle = new IdleCpus([0, 1], () => text);
	expect(idle.chance(0)).toBe(0);
	text = stat([60, 30, 10], [50, 50, 0], [0, 100, 0]);
	expect(idle.chance(999)).toBe(0);
	expect(idle.chance(1000)).toBeCloseTo(1 - (0.6 * 0.5));
	text = stat([160, 30, 10], [150, 50, 0], [0, 200, 0]);
	expect(idle.chance(1999)).toBeCloseTo(0.7);
	expect(idle.chance(2000)).toBe(0);
});

test('what the kernel does not say is not known', () => {
	const closed = new IdleCpus([0], () => {
		throw new Error('EACCES');
	});
	expect([closed.chance(0), closed.chance(1000)]).toEqual([0, 0]);
	const strange = new IdleCpus([0], () => 'cpu0 so so\ncpu0');
	expect([strange.chance(0), strange.chance(1000)]).toEqual([0, 0]);
});

test('the kernel says it of each CPU that we may use', () => {
	let text = readFileSync('/proc/stat', 'latin1');
	const own = new IdleCpus(allowedCpus(process.pid), () => text);
	own.chance(0);
	// All of them busy for another hundred ticks (user), then idle for as long.
	text = text.replaceAll(/^(cpu\d+) (\d+)/gm, (_, cpu: string, user: string) => `${cpu} ${Number(user) + 100}`);
	expect(own.chance(1000)).toBe(0);
	text = text.replaceAll(/^(cpu(?:\d+ ){3}\d+) (\d+)/gm, (_, before: string, idle: string) => `${before} ${Number(idle) + 100}`);
	expect(own.chance(2000)).toBe(1);
});
