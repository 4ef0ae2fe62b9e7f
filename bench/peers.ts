/*
Whether methods get the share of CPU time that async-profiler gives them, in a program of yours that works steadily:
TPROF_BENCH_PID is its process, TPROF_BENCH_ASPROF the path of async-profiler's `asprof`. In each round async-profiler
(event cpu, 10 ms), the built command line, and async-profiler again watch it, one after the other. A sample counts for
its innermost Java method, native ones included. What has none, the collector's and compiler's work and what tprof-top
shows as unattributed, is left out of the shares. "L1": distance in points of 100 between tprof-top's shares and
async-profiler's, mean of its two runs; "its own": between these two; "java s": CPU seconds with a Java method. Then the
methods that differ most over all rounds. Numbers of the command line: seconds of a measurement, rounds.
TPROF_BENCH_ARGS are options for tprof-top, TPROF_BENCH_CLI another built command line.
*/
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {sumOf} from './support/chance.js';

/** CPU milliseconds by method; those without one are at ''. */
type Profile = ReadonlyMap<string, number>;
type Report = {
	readonly stacks: ReadonlyArray<
		{readonly cpuMs: number; readonly frames: ReadonlyArray<{readonly class: string; readonly method: string}>}
	>;
};

const {
	TPROF_BENCH_PID: pid = '',
	TPROF_BENCH_ASPROF: asprof = '',
	TPROF_BENCH_ARGS: options = '',
	TPROF_BENCH_CLI: cli = 'dist/cli.js',
} = process.env;
const [seconds = '30', rounds = '3'] = process.argv.slice(2);
const folder = mkdtempSync(path.join(tmpdir(), 'tprof-bench-'));

function profileOf(entries: ReadonlyArray<readonly [string, number]>): Profile {
	const profile = new Map<string, number>();
	for (const [method, cpuMs] of entries) {
		profile.set(method, (profile.get(method) ?? 0) + cpuMs);
	}

	return profile;
}

function asyncProfiler(): Profile {
	const file = path.join(folder, 'stacks.txt');
	execFileSync(asprof, [
		'-d',
		seconds,
		'-e',
		'cpu',
		'-i',
		'10ms',
		'--ann',
		'--norm',
		'-o',
		'collapsed',
		'-f',
		file,
		pid,
	], {stdio: 'ignore'});
	return profileOf([...readFileSync(file, 'utf8').matchAll(/^(.*) (\d+)$/gm)].map(([, stack, samples]) => {
		const java = stack.split(';').findLast(frame => /_\[[01ij]]$/.test(frame)) ?? '';
		return [java.slice(0, -4).replaceAll('/', '.').replace(/(\$\$Lambda)[^.]*/, '$1'), Number(samples) * 10];
	}));
}

function tprofTop(): Profile {
	const report = execFileSync(process.execPath, [
		cli,
		pid,
		'--duration',
		seconds,
		'--format',
		'json',
		'--state',
		'all',
		...options.split(' ').filter(Boolean),
	], {maxBuffer: 1 << 28, encoding: 'utf8'});
	return profileOf((JSON.parse(report) as Report).stacks.map(({cpuMs, frames: [top]}) => [!top || top.class.startsWith('(') ? '' : `${top.class}.${top.method}`, cpuMs]));
}

const javaMs = (profile: Profile) => sumOf(profile.values()) - (profile.get('') ?? 0);
const share = (profile: Profile, method: string) => 100 * (profile.get(method) ?? 0) / javaMs(profile);
const distance = (one: Profile, other: Profile) =>
	sumOf([...profileOf([...one, ...other]).keys()].filter(Boolean).map(method =>
		Math.abs(share(one, method) - share(other, method))));
if (pid && asprof) {
	const taken = Array.from({length: Number(rounds)}, () => [asyncProfiler(), tprofTop(), asyncProfiler()]);
	const all = [0, 1, 2].map(which => profileOf(taken.flatMap(round => [...round[which]])));
	console.table([...taken, all].map(([first, ours, second]) => ({
		L1: ((distance(ours, first) + distance(ours, second)) / 2).toFixed(1),
		'its own': distance(first, second).toFixed(1),
		'java s': [first, ours, second].map(profile => (javaMs(profile) / 1000).toFixed(1)).join(' '),
		'no method %': [first, ours, second].map(profile =>
			(100 * (profile.get('') ?? 0) / sumOf(profile.values())).toFixed(1)).join(' '),
	})));
	const both = profileOf([...all[0], ...all[2]]);
	console.table([...profileOf([...all[1], ...both]).keys()].filter(Boolean).map(method => ({
		method,
		'tprof-top': share(all[1], method),
		'async-profiler': share(both, method),
		difference: share(all[1], method) - share(both, method),
		'its own': share(all[2], method) - share(all[0], method),
	})).toSorted((a, b) => Math.abs(b.difference) - Math.abs(a.difference)).slice(0, 5));
} else {
	console.log('Give TPROF_BENCH_PID, a JVM under a steady load, and TPROF_BENCH_ASPROF, the path of asprof.');
}

rmSync(folder, {recursive: true});
