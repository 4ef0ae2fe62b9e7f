import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {AttachClient} from '../../source/jvm/attach/client.js';
import type {Target} from '../../source/jvm/target.js';
import type {TraceReport} from '../../source/model/trace-report.js';
import {TraceSession, type TraceRequest} from '../../source/tracing/trace-session.js';
import {compileProgram, type Jdk, runTool} from './jvm.js';
import {openFiles, threadsNamed} from './proc.js';
import {patienceMs} from './until.js';

/** A request without patterns; no test comes near its limits. Programs for tests are loops. */
export const request: TraceRequest = {
	patterns: [],
	under: [],
	leastNs: 0,
	keep: 5,
	maxMethods: 10_000,
	maxOverheadPercent: 100,
	reportIntervalMs: 100,
	findRunningLoops: undefined,
};

/** Traces what a request means while `during` goes on; the last report. */
export async function traced(
	target: Target,
	change: Partial<TraceRequest>,
	during: (session: TraceSession) => Promise<unknown>,
): Promise<TraceReport> {
	const session = await TraceSession.open(target);
	try {
		await session.weave({...request, ...change});
		await during(session);
	} finally {
		await session.close();
	}

	return (await session.close())!;
}

/** Whether a thread of our agent's runs in a JVM. */
export function hasAgent(pid: number): boolean {
	return threadsNamed(pid, /^tprof-top/).length > 0;
}

/** Reports that the agent in a JVM has written: the second one answers the command to weave. */
export function reportsOf(pid: number): number {
	const data = [...openFiles(pid)].find(([, file]) => /\/\.tprof-[^/]*\/data/.test(file));
	const bytes = data && readFileSync(`/proc/${pid}/fd/${data[0]}`);
	return bytes && bytes.length >= 16 ? Number(bytes.readBigInt64BE(8)) : 0;
}

/** Makes a jar in a folder of a test program, as an agent of JVMs with this manifest. */
export function agentJar(name: string, on: Jdk, folder: string, manifest: string): string {
	const jar = path.join(folder, `${name}.jar`);
	writeFileSync(`${jar}.manifest`, manifest);
	runTool(on, 'jar', 'cfm', jar, `${jar}.manifest`, '-C', compileProgram(name.replace(/\$.*/, ''), on), '.');
	return jar;
}

/**
A class as it is in a JVM now, through an agent of our own: its bytes, or, from 21 on, where the JVM keeps our constants
in the class's pool, its code without numbers of constants.
*/
export async function classIn(target: Target, name: string, on: Jdk): Promise<string> {
	const folder = mkdtempSync(path.join(tmpdir(), 'tprof-class-'));
	try {
		const jar = agentJar('ClassBytes', on, folder, 'Agent-Class: ClassBytes\nCan-Retransform-Classes: true\n');
		const file = path.join(folder, 'Bytes.class');
		const reply = await new AttachClient(target).request(
			'load',
			['instrument', 'false', `${jar}=${name}=${file}`],
			{timeoutMs: patienceMs},
		);
		if (reply.status !== 'ok') {
			throw new Error(reply.reason);
		}

		return on.release < 21
			? readFileSync(file, 'hex')
			: runTool(on, 'javap', '-c', '-p', file).replaceAll(/#\d+/g, '#').replaceAll(/\bldc(?:_w)?\b/g, 'ldc')
				.replaceAll(/ +/g, ' ');
	} finally {
		rmSync(folder, {recursive: true, force: true});
	}
}
