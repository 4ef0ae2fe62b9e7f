import {readdirSync} from 'node:fs';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {NativeIds} from '../../source/jvm/threads/native-ids.js';
import {type JavaProcess, startJava} from '../helpers/jvm.js';

let java: JavaProcess;

beforeAll(async () => {
	// Its compiler threads do not come and go.
	java = await startJava('CpuAndSleep', {jvmArgs: ['-XX:+IgnoreUnrecognizedVMOptions', '-XX:-UseDynamicNumberOfCompilerThreads']});
});

afterAll(async () => {
	await java.stop();
});

test('in the same pid namespace ids are the same, and nothing is looked up', () => {
	const ids = new NativeIds({pid: java.pid, nsPid: java.pid});
	expect(ids.ours(123_456_789)).toBe(123_456_789);
	expect(ids.ours(0)).toBe(0);
	expect(ids.ours(-1)).toBe(0);
});

test('otherwise each thread is found by the id that it has in its innermost namespace', () => {
	// The JVM's innermost namespace is our own here, so the search must find every id for itself.
	const ids = new NativeIds({pid: java.pid, nsPid: 1});
	const tids = readdirSync(`/proc/${java.pid}/task`).map(Number);
	expect(tids.length).toBeGreaterThan(10);
	expect(tids.map(tid => ids.ours(tid))).toEqual(tids);
	expect(ids.ours(2 ** 22)).toBe(0);
	ids.newRound();
	expect(ids.ours(tids[0])).toBe(tids[0]);
	ids.forget();
	expect(ids.ours(tids[1])).toBe(tids[1]);
});

test('a process that is gone has no threads', () => {
	expect(new NativeIds({pid: 2 ** 22, nsPid: 1}).ours(1)).toBe(0);
});
