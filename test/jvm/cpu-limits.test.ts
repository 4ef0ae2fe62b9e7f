import {existsSync, mkdirSync, rmdirSync, writeFileSync} from 'node:fs';
import process from 'node:process';
import {expect, onTestFinished, test} from 'vitest';
import {CpuLimits, cpuPressure} from '../../source/jvm/counters/cpu-limits.js';
import {spawnForTest} from '../helpers/for-test.js';
import {until} from '../helpers/until.js';

/** Where a group may be made, the file of its limit, and a tenth of a CPU in it: version 1 or 2 of control groups. */
const versions = [
	{root: '/sys/fs/cgroup/cpu', limits: {'cpu.cfs_period_us': '100000', 'cpu.cfs_quota_us': '10000'}},
	{root: '/sys/fs/cgroup', limits: {'cpu.max': '10000 100000'}},
];

/** A group with a tenth of a CPU; undefined where we may not make one. */
function limitedGroup(): string | undefined {
	for (const {root, limits} of versions.filter(version => existsSync(version.root))) {
		const folder = `${root}/tprof-test-${process.pid}`;
		try {
			mkdirSync(folder);
			for (const [file, limit] of Object.entries(limits)) {
				writeFileSync(`${folder}/${file}`, limit);
			}

			return folder;
		} catch {
			if (existsSync(folder)) {
				rmdirSync(folder);
			}
		}
	}

	return undefined;
}

const group = limitedGroup();

test.skipIf(group === undefined)('a limit that is used up is told, and that of a group above, too', async () => {
	const below = `${group!}/below`;
	mkdirSync(below);
	const child = spawnForTest('sh', ['-c', 'while :; do :; done'], {stdio: 'ignore'});
	onTestFinished(async () => {
		child.kill('SIGKILL');
		await until(() => {
			try {
				rmdirSync(below);
				rmdirSync(group!);
				return true;
			} catch {
				return false;
			}
		});
	});
	writeFileSync(`${below}/cgroup.procs`, String(child.pid));
	const limits = new CpuLimits(child.pid);
	expect(limits.read()).toBeUndefined();
	await until(() => (limits.read() ?? 0) > 50);
});

test('a process without a limit has none, and the pressure on CPUs is a share', () => {
	const limits = new CpuLimits(process.pid);
	limits.read();
	expect(limits.read() ?? 0).toBeLessThanOrEqual(100);
	expect(cpuPressure() ?? 0).toBeGreaterThanOrEqual(0);
	expect(cpuPressure() ?? 0).toBeLessThanOrEqual(100);
	expect(new CpuLimits(2 ** 30).read()).toBeUndefined();
});
