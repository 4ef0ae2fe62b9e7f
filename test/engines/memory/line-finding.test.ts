import {closeSync, openSync, writeSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import {openJvm} from '../../../source/engines/memory/open.js';
import {jdks} from '../../helpers/jvm.js';
import {javaForTest} from '../../helpers/for-test.js';
import {patienceMs} from '../../helpers/until.js';
import {Names, Observer} from './observe.js';

/** Stacks of running threads looked at before what is said of lines is believed. */
const wanted = 300;

/**
Sets a flag of the JVM while it runs, as a profiler's agent does that finds it by HotSpot's tables: the byte behind it.
*/
function setFlag(pid: number, wantedName: string): void {
	const {memory, vm: {reader, layout: {fields, sizes}}} = openJvm(pid, new Names());
	const rows = reader.pointer(fields.flags);
	const flag = Array.from({length: reader.u32(fields.flagCount)}, (_, index) => rows + (index * sizes.flag)).find(row => {
		const name = reader.word(row + fields.flagName);
		return name !== 0 && reader.cString(name) === wantedName;
	});
	const file = openSync(`/proc/${pid}/mem`, 'r+');
	expect(writeSync(file, Uint8Array.of(1), 0, 1, reader.pointer(flag! + fields.flagAddress))).toBe(1);
	closeSync(file);
	memory.close();
}

/** What is said of lines over so many stacks of running threads, each text once. */
async function findings(pid: number): Promise<Set<string | undefined>> {
	const observer = await Observer.open(pid);
	const said = new Set<string | undefined>();
	let stacks = 0;
	for (const endMs = performance.now() + patienceMs; stacks < wanted && performance.now() < endMs;) {
		const threads = await observer.observe();
		stacks += threads.filter(({name, frames}) => name.startsWith('running-') && frames.length > 0).length;
		said.add(observer.session.finding);
		await sleep(1);
	}

	await observer.close();
	expect(stacks).toBeGreaterThanOrEqual(wanted);
	return said;
}

describe.each(jdks().map(jdk => ({release: jdk.release, jdk})))('JDK $release', ({jdk}) => {
	test('code without debug information between safepoints: its lines are approximate; and still are when somebody sets the flag late', async () => {
		const java = await javaForTest('KnownCalls', {jdk});
		expect([...await findings(java.pid)]).toEqual(['line numbers in compiled code are approximate']);
		setFlag(java.pid, 'DebugNonSafepoints');
		expect([...await findings(java.pid)].at(-1)).toBe('line numbers in code compiled before DebugNonSafepoints was set are approximate');
	});

	test('code that was compiled with the flag: nothing to say of lines', async () => {
		const java = await javaForTest('KnownCalls', {jdk, jvmArgs: ['-XX:+UnlockDiagnosticVMOptions', '-XX:+DebugNonSafepoints']});
		expect([...await findings(java.pid)]).toEqual([undefined]);
	});
});
