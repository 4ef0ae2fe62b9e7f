import {readdirSync} from 'node:fs';
import process from 'node:process';
import {expect, test} from 'vitest';
import {ProcessMemory} from '../../../source/engines/memory/target/memory.js';
import {libraryOfThread} from '../../../source/engines/memory/target/native-code.js';
import {closedAfterTest} from '../../helpers/for-test.js';

test('a native thread belongs to the library whose function it began with: ours to node', () => {
	const memory = closedAfterTest(new ProcessMemory(process.pid));
	const threads = readdirSync('/proc/self/task').map(Number).filter(tid => tid !== process.pid);
	const found = threads.map(tid => libraryOfThread(process.pid, tid, memory));
	expect(found).toContain('node');
	expect(new Set(found.filter(library => library !== undefined && library !== 'node')).size).toBeLessThan(3);
});

test('what is no stack pointer, and a thread that is gone, have none', () => {
	const memory = closedAfterTest(new ProcessMemory(process.pid));
	expect(libraryOfThread(process.pid, 2 ** 22, memory)).toBeUndefined();
	for (const sp of [0, 1, 4096, 2 ** 46, 2 ** 60, Number.NaN]) {
		expect(libraryOfThread(process.pid, process.pid, memory, sp)).toBeUndefined();
	}
});
