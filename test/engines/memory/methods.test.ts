import {expect, test} from 'vitest';
import {CodeCache} from '../../../source/engines/memory/hotspot/code-cache.js';
import {Continuations} from '../../../source/engines/memory/unwind/continuation.js';
import {type JavaThread} from '../../../source/engines/memory/threads/java-thread.js';
import {JavaThreads} from '../../../source/engines/memory/threads/java-threads.js';
import {Methods} from '../../../source/engines/memory/hotspot/methods.js';
import {openJvm} from '../../../source/engines/memory/open.js';
import {Walker} from '../../../source/engines/memory/unwind/walker.js';
import {otherFrame} from '../../../source/model/frame.js';
import {NativeIds} from '../../../source/jvm/threads/native-ids.js';
import {javaForTest} from '../../helpers/for-test.js';
import {type JavaProcess} from '../../helpers/jvm.js';
import {WaitingStacks} from '../../../source/engines/memory/thread-stacks.js';
import {Names} from './observe.js';

/** A table of names that has no room for more frames than these. */
class FullNames extends Names {
	constructor(readonly room: number) {
		super();
	}

	override internFrame(classId: number, methodId: number, fileId: number, line: number): number {
		return this.frames.length < this.room ? super.internFrame(classId, methodId, fileId, line) : otherFrame;
	}
}

/** The stacks of the threads that wait, read with these names and methods kept. */
function stacks({pid}: JavaProcess, names: Names, limit: number): {methods: Methods; threads: JavaThread[]} {
	const {memory, vm, heap} = openJvm(pid);
	const methods = new Methods(vm, names, limit);
	const code = new CodeCache(vm, methods);
	const list = new JavaThreads(vm, new NativeIds({pid, nsPid: pid}));
	const waiting = new WaitingStacks(memory, list, new Walker(vm, code, methods), new Continuations(vm, heap, code, methods));
	methods.nextRound();
	code.nextRound();
	const threads = list.list().filter(thread => !thread.isInJava && waiting.walk(thread) && thread.stack.frames.length > 0);
	memory.close();
	return {methods, threads};
}

test('whose frame it is stays known when the methods are forgotten', async () => {
	const java = await javaForTest('ParkedAndEcho', {args: ['3', '10']});
	const names = new Names();
	const {methods, threads} = stacks(java, names, 1);
	methods.nextRound();
	for (const frame of threads.flatMap(thread => [...thread.stack.frames])) {
		const name = methods.ofFrame(frame);
		expect(names.frames[frame]).toContain(`${name?.className}.${name?.name}(`);
	}

	expect(threads.length).toBeGreaterThan(3);
});

test('of what a full table had no room for nothing is known', async () => {
	const java = await javaForTest('ParkedAndEcho', {args: ['3', '10']});
	const {methods, threads} = stacks(java, new FullNames(4), 1000);
	expect(threads.some(({stack: {frames}}) => frames.includes(otherFrame))).toBe(true);
	expect(methods.ofFrame(otherFrame)).toBeUndefined();
});
