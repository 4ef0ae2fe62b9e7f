import {describe, expect, test} from 'vitest';
import {sharedJava} from '../helpers/for-test.js';
import {jdks} from '../helpers/jvm.js';
import {runCli} from '../helpers/run.js';

const reason
	= 'RunningLoop$Endless: a loop in RunningLoop$Endless.spin is running: the JVM would interpret it, many times slower, until the method returns; --running-loops traces the class even so';

describe.each(jdks().map(jdk => [jdk.release, jdk] as const))('JDK %i', (_, jdk) => {
	const shared = sharedJava('RunningLoop', {jdk, jvmArgs: ['-Xmx384m']});
	const trace = async (...words: readonly string[]) =>
		runCli('trace', String(shared.java.pid), ...words, '--yes', '--duration', '1', '--format', 'json');

	test('a class in which a loop runs is left alone, and that is said', async () => {
		expect(await trace('RunningLoop$Endless#rare')).toEqual({
			status: 1,
			stdout: '',
			stderr: `tprof-top: cannot trace ${reason}\n`,
		});
	});

	test('other classes are traced, those with loops that have ended too', async () => {
		const {status, stdout} = await trace('RunningLoop$Endless#*', 'RunningLoop$Served#*');
		expect(status).toBe(0);
		const {notes, methods} = JSON.parse(stdout) as {notes: string[]; methods: Array<{method: string}>};
		expect(notes).toContain(`not traced: ${reason}`);
		expect(methods.map(({method}) => method)).toEqual(['RunningLoop$Served.work']);
	});

	test('--running-loops traces it', async () => {
		const {status, stdout} = await trace('RunningLoop$Endless#rare', '--running-loops');
		expect(status).toBe(0);
		expect(JSON.parse(stdout)).toMatchObject({methods: [{method: 'RunningLoop$Endless.rare'}]});
	});
});

describe.each(jdks().filter(({release}) => release >= 21).map(jdk => [jdk.release, jdk] as const))('JDK %i', (_, jdk) => {
	const shared = sharedJava('VirtualSwitches', {jdk});
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
