/*
Profilers on the same JVM, one after the other, each beside a time without any: what they use themselves, and what they
cost the target.
*/
import {spawn, spawnSync} from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import type {JavaProcess, Jdk} from '../../test/helpers/jvm.js';
import {TerminalSession} from '../../test/helpers/terminal.js';
import {asyncProfiler} from './async-profiler.js';
import {workOf} from './busy-target.js';
import {median} from './figures.js';
import {childrenCpuMs, processCpuMs, residentBytes} from './process-cpu.js';
import {quit} from './program.js';

const warmUpMs = 8000;
const windowMs = 5000;
const mega = 1024 * 1024;

/** A profiler at work: CPU milliseconds that it has used outside the target, resident bytes; its end. */
type AtWork = {cpuMs?(): number; residentBytes?(): number; stop(): Promise<void>};
type Tool = {readonly name: string; start(java: JavaProcess): Promise<AtWork>};

function liveView(name: string, cli: string, options: readonly string[]): Tool {
	return {
		name,
		async start(java) {
			const terminal = new TerminalSession(process.execPath, [cli, String(java.pid), ...options], {
				columns: 160,
				rows: 40,
			});
			await terminal.until('LIVE');
			return {
				cpuMs: () => processCpuMs(terminal.pid), residentBytes: () => residentBytes(terminal.pid),
				async stop() {
					await quit(terminal);
					terminal.close();
				},
			};
		},
	};
}

function inTarget(library: string, {home}: Jdk): Tool {
	const tell = (java: JavaProcess, command: string) =>
		spawnSync(path.join(home, 'bin/jcmd'), [String(java.pid), 'JVMTI.agent_load', library, `"${command}"`]);
	return {
		name: 'async-profiler (cpu, 100 Hz)',
		async start(java) {
			const before = residentBytes(java.pid);
			tell(java, 'start,event=cpu,interval=10ms');
			return {
				residentBytes: () => residentBytes(java.pid) - before,
				async stop() {
					tell(java, 'stop,file=/dev/null');
				},
			};
		},
	};
}

function jstackLoop({home}: Jdk): Tool {
	return {
		name: 'jstack in a loop',
		async start(java) {
			const end = new AbortController();
			let resident = 0;
			const loop = async () => {
				while (!end.signal.aborted) {
					const child = spawn(path.join(home, 'bin/jstack'), [String(java.pid)], {stdio: 'ignore'});
					const ended = new Promise(resolve => {
						child.once('exit', resolve);
					});
					while (child.exitCode === null && await Promise.race([ended, sleep(20, 'runs')]) === 'runs') {
						resident = Math.max(resident, residentBytes(child.pid!));
					}
				}
			};

			const done = loop();
			return {
				cpuMs: childrenCpuMs, residentBytes: () => resident,
				async stop() {
					end.abort();
					await done;
				},
			};
		},
	};
}

/** What the busy threads and the whole target did in a window: per CPU second of the target, and CPU beside theirs. */
async function watched(java: JavaProcess, own: () => number) {
	const [work, cpuMs, ownMs] = [await workOf(java), processCpuMs(java.pid), own()];
	await sleep(windowMs);
	const [workAfter, cpuMsAfter, ownMsAfter] = [await workOf(java), processCpuMs(java.pid), own()];
	const passedMs = workAfter.atMs - work.atMs;
	return {
		perCpuS: (workAfter.units - work.units) / (cpuMsAfter - cpuMs),
		beside: 100 * (cpuMsAfter - cpuMs - workAfter.cpuMs + work.cpuMs) / passedMs,
		own: 100 * (ownMsAfter - ownMs) / passedMs,
	};
}

/** Measures all of them so many times and gives the rows of a table, and what is missing in it. */
export async function sideBySide(
	cli: string,
	java: JavaProcess,
	on: Jdk,
	runs: number,
): Promise<{rows: Array<Record<string, string | number>>; missing: string}> {
	const library = asyncProfiler(on);
	const tools = [
		liveView('tprof-top (memory, perf)', cli, ['--timer', 'perf']),
		liveView('tprof-top (memory, stop)', cli, ['--timer', 'stop']),
		liveView('tprof-top (attach)', cli, ['--engine', 'attach']),
		...(library ? [inTarget(library, on)] : []),
		jstackLoop(on),
	];
	const rows = [];
	for (const {name, start} of tools) {
		const taken: Array<Readonly<Record<'own' | 'extra' | 'work' | 'resident', number> & {hasOwn: boolean}>> = [];
		for (let run = 0; run < runs; run++) {
			const rest = await watched(java, () => 0);
			const tool = await start(java);
			await sleep(warmUpMs);
			const at = await watched(java, () => tool.cpuMs?.() ?? 0);
			taken.push({
				own: at.own,
				extra: at.beside - rest.beside,
				work: at.perCpuS / rest.perCpuS,
				resident: tool.residentBytes?.() ?? 0,
				hasOwn: tool.cpuMs !== undefined,
			});
			await tool.stop();
			await sleep(500);
		}

		const of = (what: 'own' | 'extra' | 'work' | 'resident') => median(taken.map(one => one[what]));
		rows.push({
			profiler: name,
			'own CPU %': taken[0].hasOwn ? Number(of('own').toFixed(2)) : 'in the target',
			'target\'s extra CPU %': Number(of('extra').toFixed(2)),
			'target\'s work per CPU s': Number(of('work').toFixed(3)),
			'RSS MB': Math.round(of('resident') / mega),
		});
	}

	return {
		rows,
		missing: library
			? ''
			: 'async-profiler is not there: set ASYNC_PROFILER to its library, or have mvn fetch its artifact',
	};
}
