import {describe, expect, test} from 'vitest';
import {TaskSession} from '../../source/tracing/task-session.js';
import {probeOf, sharedJava, closedAfterTest} from '../helpers/for-test.js';
import {jdks, sayTo} from '../helpers/jvm.js';
import {until} from '../helpers/until.js';
import {traced} from '../helpers/tracing.js';

/** What agent, hooks and the JVM's own calls into Java use. `npm run bench -- trace-jdk` has all packages. */
const patterns = [
	...[
		'A*',
		'Hash*',
		'Objects',
		'Collection*',
		'concurrent.atomic.*',
		'concurrent.locks.*',
		'concurrent.ConcurrentHashMap*',
	].map(name => `java.util.${name}#*`),
	...['A*', 'Class*', 'St*'].map(name => `java.lang.${name}#*`),
	'java.io.*#*',
	'jdk.internal.util.*#*',
];

/** What following tasks calls itself, while it holds its locks too. */
const watched = [
	'java.util.ArrayList#add',
	'java.util.HashMap#get',
	'java.util.HashMap#put',
	'java.util.AbstractList#<init>',
	'java.util.Arrays#copyOf',
	'java.util.Arrays#fill',
	'java.util.concurrent.atomic.AtomicLong#incrementAndGet',
	'java.util.concurrent.atomic.AtomicIntegerArray#compareAndSet',
	'java.io.RandomAccessFile#write',
	'java.util.Objects#requireNonNull',
];
const refused = [
	'java.lang.Integer',
	'java.lang.Object',
	'java.lang.String',
	'java.util.concurrent.atomic.AtomicInteger',
];

/** A probe of which each method has tasks: its object, at the end, or what it is given. */
const watching = (methods: readonly string[]) => probeOf({
	about: 'the JDK', states: {given: {is: 'waiting'}, used: {is: 'running'}, over: {is: 'end'}},
	points: methods.flatMap(method => [
		{method, at: 'exit', task: 'this', to: 'used', from: ['given'], optional: true},
		{method, task: 'arg0', to: 'given', new: true, from: ['used'], optional: true},
		{method, task: 'arg1', to: 'used', optional: true},
	]),
});

describe.each(jdks().map(jdk => [jdk.release, jdk] as const))('JDK %i', (release, jdk) => {
	// Calls of methods that are woven first take of the agent's room while others are still to be woven.
	const shared = sharedJava('UsesJdk', {jdk, jvmArgs: ['-Xmx16g', '-Xmn64m'], under: []});
	const expectNoErrors = async () => {
		expect(await sayTo(shared.java, 'on')).toMatch(/errors 0$/m);
	};

	test('classes of the JDK are traced without harm to a program that uses them, and to the agent', async () => {
		const report = await traced(shared.target, {
			patterns: patterns.filter(each => release > 8 || !each.startsWith('jdk.')),
		}, expectNoErrors);
		expect(report.phase).toBe('over');
		expect(report.refused.filter(({reason}) => reason.includes('no room'))).toEqual([]);
		expect(report.nodes.calls.some(calls => calls > 0)).toBe(true);
		const called = new Set<string>(report.methods.map(({className}) => className));
		const missing = [
			'java.util.Arrays',
			'java.util.ArrayList',
			'java.util.AbstractList',
			'java.util.Objects',
			'java.util.HashMap',
			'java.util.concurrent.ConcurrentHashMap',
			'java.lang.StringBuilder',
			'java.io.File',
		].filter(name => !called.has(name));
		expect(missing).toEqual([]);
		await expectNoErrors();
	});

	test('a probe may watch what following tasks uses itself', async () => {
		const session
			= closedAfterTest(await TaskSession.begin(
				shared.target,
				watching([...watched, ...refused.map(name => `${name}#<init>`)]),
				{most: 10_000, reportIntervalMs: 100},
			));
		await expectNoErrors();
		await until(() => session.read()!.now.length > 0);
		const {notes, missed} = session.read()!;
		expect(notes.filter(note => !note.startsWith('more tasks'))).toEqual(refused.map(name =>
			`not watched: ${name}: watching it would watch what tprof-top itself uses`));
		expect(missed).toBe(0);
		expect(await session.close()).toMatchObject({phase: 'over'});
		await expectNoErrors();
	});
});
