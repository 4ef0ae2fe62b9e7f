import {describe, expect, test} from 'vitest';
import {beside, javaForTest, sharedJava} from '../helpers/for-test.js';
import {jdks} from '../helpers/jvm.js';
import {runCli} from '../helpers/run.js';

/** The tests of a JVM come one after the other: it has one agent at a time. */
const inTurn = {concurrent: false};

const reason
	= 'RunningLoop$Endless: a loop in RunningLoop$Endless.spin is running: the JVM would interpret it, many times slower, until the method returns; --running-loops traces the class even so';

describe.concurrent.each(jdks().map(jdk => [jdk.release, jdk] as const))('JDK %i', (_, jdk) => {
	const shared = sharedJava('RunningLoop', {jdk, jvmArgs: ['-Xmx384m']});
	const trace = async (...words: readonly string[]) =>
		runCli('trace', String(shared.java.pid), ...words, '--yes', '--duration', '1', '--format', 'json');

	test('a class in which a loop runs is left alone, and that is said', inTurn, async () => {
		expect(await trace('RunningLoop$Endless#rare')).toEqual({
			status: 1,
			stdout: '',
			stderr: `tprof-top: cannot trace ${reason}\n`,
		});
	});

	test('other classes are traced, those with loops that have ended too', inTurn, async () => {
		const {status, stdout, stderr} = await trace('RunningLoop$Endless#*', 'RunningLoop$Served#*');
		expect({status, stderr}).toEqual({status: 0, stderr: ''});
		const {notes, methods} = JSON.parse(stdout) as {notes: string[]; methods: Array<{method: string}>};
		expect(notes).toContain(`not traced: ${reason}`);
		expect(methods.map(({method}) => method)).toEqual(['RunningLoop$Served.work']);
	});

	test('--running-loops traces it', inTurn, async () => {
		const {status, stdout} = await trace('RunningLoop$Endless#rare', '--running-loops');
		expect(status).toBe(0);
		expect(JSON.parse(stdout)).toMatchObject({methods: [{method: 'RunningLoop$Endless.rare'}]});
	});
});

describe.concurrent.each(jdks().map(jdk => [jdk.release, jdk] as const))('JDK %i', (_, jdk) => {
	test('a class in which threads are thousands of calls deep is left alone: with less room they would overflow', beside(async () => {
		const java = await javaForTest('DeepRecursion', {jdk, args: ['7000'], jvmArgs: ['-Xmx384m'], under: []});
		const deep
			= 'DeepRecursion$Nested: DeepRecursion$Nested.parse calls itself more than a thousand times: its calls would be interpreted at first, and need more stack than the thread may have; --running-loops traces the class even so';
		const trace = async (pattern: string) =>
			runCli('trace', String(java.pid), pattern, '--yes', '--duration', '1', '--format', 'json');
		expect(await trace('DeepRecursion$Nested#rare')).toEqual({
			status: 1, stdout: '', stderr: `tprof-top: cannot trace ${deep}\n`,
		});
		const {status, stdout} = await trace('DeepRecursion$*#*');
		expect(status).toBe(0);
		const {notes, methods} = JSON.parse(stdout) as {notes: string[]; methods: Array<{method: string}>};
		expect(notes).toContain(`not traced: ${deep}`);
		expect(methods.map(({method}) => method)).toEqual(['DeepRecursion$Flat.work']);
		expect(java.output()).not.toContain('StackOverflowError');
	}));
});

// By itself, and as urgent as others: it is left alone because it uses much of the CPU.
describe.each(jdks().filter(({release}) => release >= 21).map(jdk => [jdk.release, jdk] as const))('JDK %i', (_, jdk) => {
	const shared = sharedJava('VirtualSwitches', {jdk, under: []});
	const tasks = async (...words: readonly string[]) =>
		runCli('tasks', String(shared.java.pid), ...words, '--yes', '--duration', '1', '--format', 'json');

	test.each(['executors', 'virtual-threads'])('tasks leaves busy virtual threads alone: %s', async probe => {
		expect(await tasks('--probe', probe)).toEqual({
			status: 1,
			stdout: '',
			stderr: [
				'tprof-top: virtual threads use much of the CPU, and following tasks changes what runs them',
				'  they would stay slower when that is over; --running-loops does so',
				'',
			].join('\n'),
		});
	});

	test('--running-loops follows them', async () => {
		const {status, stdout} = await tasks('--probe', 'virtual-threads', '--running-loops');
		expect(status).toBe(0);
		expect(JSON.parse(stdout)).toMatchObject({probe: 'virtual-threads'});
	});
});
