import {closeSync, existsSync, openSync, readFileSync, writeFileSync, writeSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {describe, expect, test, vi} from 'vitest';
import {JavaThreads} from '../../../source/engines/memory/threads/java-threads.js';
import {loadPtrace} from '../../../source/engines/memory/cpu/ptrace/ptrace.js';
import {openJvm, type LiveJvm} from '../../../source/engines/memory/open.js';
import {MemorySession} from '../../../source/engines/memory/memory-session.js';
import {Sample} from '../../../source/model/sample.js';
import {NativeIds} from '../../../source/jvm/threads/native-ids.js';
import {commOf} from '../../helpers/proc.js';
import {compileProgram, isNewestOrAskedFor, type Jdk, jdks, rawTarget, runTool} from '../../helpers/jvm.js';
import {closedAfterTest, javaForTest, folderForTest} from '../../helpers/for-test.js';
import {agentJar} from '../../helpers/tracing.js';
import {patienceMs} from '../../helpers/until.js';
import {Names, Observer} from '../observe.js';

/**
Compiles Redefined as an agent, and a version of its class Work that is 100 lines further down and calls `second`.
*/
function redefinable(jdk: Jdk): {jar: string; versions: string[]} {
	const folder = folderForTest();
	const jar = agentJar('Redefined', jdk, folder, 'Premain-Class: Redefined\nCan-Redefine-Classes: true\n');
	const source = path.join(folder, 'Redefined.java');
	writeFileSync(
		source,
		'\n'.repeat(100)
		+ readFileSync(path.resolve(import.meta.dirname, '../../programs/Redefined.java'), 'utf8').replace(
			'return first(x)',
			'return second(x)',
		),
	);
	runTool(jdk, 'javac', '-nowarn', '-g', '-d', folder, source);
	return {
		jar,
		versions: [folder, compileProgram('Redefined', jdk)].map(directory =>
			path.join(directory, 'Redefined$Work.class')),
	};
}

describe.each(jdks())('JDK $release', jdk => {
	test('a class that is redefined while it runs shows the lines of the version that runs', async () => {
		const {jar, versions} = redefinable(jdk);
		const java = await javaForTest('Redefined', {
			jdk,
			jvmArgs: [
				`-javaagent:${jar}`,
				'-XX:CompileCommand=quiet',
				'-XX:CompileCommand=dontinline,Redefined$Work::*',
			],
			args: versions,
		});
		const observer = await Observer.open(java.pid);
		for (let round = 0; round < 4; round++) {
			const isSecond = round % 2 === 1;
			const seen = new Set<string>();
			const current = `Redefined$Work.${isSecond ? 'second' : 'first'}:`;
			const endMs = performance.now() + patienceMs;
			// On a loaded machine forty samples need not have met the method.
			for (
				let sample = 0;
				sample < 25 || (![...seen].some(frame => frame.startsWith(current)) && performance.now() < endMs);
				sample++
			) {
				for (const {frames} of await observer.observe()) {
					for (const frame of frames.filter(text => text.startsWith('Redefined$Work.'))) {
						seen.add(frame);
					}
				}

				await sleep(5);
			}

			const lines = [...seen].map(frame => Number(/:(\d+)$/.exec(frame)?.[1]));
			expect(lines.filter(line => (line > 100) !== isSecond), `${round}: ${[...seen].join(', ')}`).toEqual([]);
			expect([...seen].some(frame => frame.startsWith(current))).toBe(true);
			expect([...seen].some(frame => frame.includes(isSecond ? 'Work.first:' : 'Work.second:'))).toBe(false);
			java.child.stdin?.write('\n');
			await java.waitFor(new RegExp(`(?:redefined\\s+){${round + 1}}`));
		}
	});

	test.each(isNewestOrAskedFor(jdk.release) ? [jdk.release] : [])(
		'a thread that got all that an ended one had is not taken for it',
		async () => {
			const java = await javaForTest('ThreadPerTask', {jdk, args: ['4', '12']});
			const observer = await Observer.open(java.pid);
			let running = 0;
			let unknown = 0;
			const wrong: string[] = [];
			const seen = new Set<string>();
			let nameless = 0;
			for (let sample = 0; sample < 150 || seen.size <= 100; sample++) {
				for (const {name, nativeId, state, frames, isIncomplete} of await observer.observe()) {
					nameless += name === '' ? 1 : 0;
					if (/^t\d-\d+$/.test(name)) {
						seen.add(name);
						const comm = commOf(java.pid, nativeId);
						// Before a thread first runs it has the name of the one that started it.
						if (comm !== undefined && comm !== name && !comm.startsWith('starter-')) {
							wrong.push(`${name} is ${comm}`);
						}

						if (state === 'RUNNABLE') {
							running++;
							// One that ended before it could be stopped has no stack any more.
							unknown += comm === name && isIncomplete && frames.length === 0 ? 1 : 0;
						}
					}
				}

				await sleep(10);
			}

			// One that ended before its name was read is (unknown thread).
			expect(nameless).toBe(0);
			// Another may have replaced it before its name was read.
			expect(wrong.length, wrong.slice(0, 5).join(', ')).toBeLessThan(running / 50);
			expect(unknown - observer.late).toBeLessThan(running / 20);
		},
	);
});

test('an id that is no thread of the target is never traced, even if the target says it is one', async () => {
	const java = await javaForTest('BusyAndParked', {args: ['4', '10', '2']});
	const {pid} = java;
	const seize = vi.fn(loadPtrace().seize);
	const start = (opened: LiveJvm) =>
		closedAfterTest(new MemorySession(rawTarget(pid), {depth: 100}, {
			...opened,
			ptrace: {...opened.ptrace, seize},
		}));
	const sample = new Sample();
	const opened = openJvm(pid, new Names());
	const {vm} = opened;
	const session = start(opened);
	const threads = new JavaThreads(vm, new NativeIds({pid, nsPid: pid})).list();
	while (seize.mock.calls.length === 0) {
		await session.sample(sample);
	}

	// The target's own record of one of its busy threads now has our id.
	const [[busy]] = seize.mock.calls;
	const record = threads.find(({nativeId}) => nativeId === busy)!.osThread + vm.layout.fields.nativeThreadId;
	const bytes = Buffer.alloc(4);
	bytes.writeInt32LE(process.pid);
	const memory = openSync(`/proc/${pid}/mem`, 'r+');
	writeSync(memory, bytes, 0, 4, record);
	closeSync(memory);
	expect(vm.reader.u32(record)).toBe(process.pid);
	const later = start(openJvm(pid, new Names()));
	for (let round = 0; round < 20; round++) {
		await session.sample(sample);
		await later.sample(sample);
	}

	expect(seize.mock.calls.flat().filter(tid => !existsSync(`/proc/${pid}/task/${tid}`))).toEqual([]);
});
