/*
Where the live view's own CPU time goes, by function: V8's profiles of both threads, on JVMs as `own-cpu` has them.
Numbers on the command line: threads, then how many of them work (200 2 without); or threads all of which work for a
short time, contend for locks and sleep, with TPROF_BENCH_PROGRAM=ContendedPool. TPROF_BENCH_ARGS are options of the
tool, TPROF_BENCH_FUNCTIONS how many functions are listed, TPROF_BENCH_WARM_UP how many seconds the tool runs before.
*/
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {jdk, startJava} from '../test/helpers/jvm.js';
import {TerminalSession} from '../test/helpers/terminal.js';
import {startBusy} from './support/busy-target.js';
import {threadCpus} from './support/process-cpu.js';
import {readProfiles, shares} from './support/profile-shares.js';
import {buildProgram, depth, quit} from './support/program.js';

const seconds = Number(process.env.TPROF_BENCH_SECONDS ?? 15);
const listed = Number(process.env.TPROF_BENCH_FUNCTIONS ?? 40);
const options = (process.env.TPROF_BENCH_ARGS ?? '--max-cpu 100').split(' ').filter(Boolean);
const warmUpS = Number(process.env.TPROF_BENCH_WARM_UP ?? 8);
const program = process.env.TPROF_BENCH_PROGRAM;

async function main(): Promise<void> {
	const [threads = 200, busy = 2] = process.argv.slice(2).map(Number);
	const cli = buildProgram();
	const java = program === undefined ? await startBusy(jdk(), threads, depth, busy) : await startJava(program, {jdk: jdk(), jvmArgs: ['-XX:+UseSerialGC', '-Xmx128m'], args: [String(threads), String(depth)]});
	const folder = mkdtempSync(path.join(tmpdir(), 'tprof-profile-'));
	const terminal = new TerminalSession(process.execPath, [`--import=${path.resolve('bench/support/profile-worker.js')}`, '--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=250', cli, String(java.pid), ...options], {columns: 160, rows: 40});
	try {
		await terminal.until('LIVE');
		await sleep(warmUpS * 1000);
		const [before, startMs] = [threadCpus(terminal.pid), performance.now()];
		await sleep(seconds * 1000);
		const overMs = performance.now() - startMs;
		console.log(terminal.text().split('\n').slice(0, 3).join('\n'));
		const used = [...threadCpus(terminal.pid)].map(([id, {name, cpuMs}]) => ({thread: id === terminal.pid ? 'main' : name, '% of a core': Number((100 * (cpuMs - (before.get(id)?.cpuMs ?? 0)) / overMs).toFixed(2))}));
		console.table(used.filter(row => row['% of a core'] > 0.02));
		await quit(terminal);
		for (const profile of readProfiles(folder)) {
			const fromUs = Math.max(0, profile.endTime - profile.startTime - (seconds * 1e6));
			const functions = shares(profile, fromUs, module => module, true);
			const whole = [...functions.values()].reduce((sum, value) => sum + value, 0);
			console.log(`\nbusy ${(whole / seconds / 1e4).toFixed(2)} % of ${seconds} s by V8's profiler`);
			console.table([...functions].toSorted((a, b) => b[1] - a[1]).slice(0, listed).map(([name, us]) => ({name, '% of a core': (us / seconds / 1e4).toFixed(3)})));
		}
	} finally {
		terminal.close();
		rmSync(folder, {recursive: true, force: true});
		await java.stop();
	}
}

await main();
