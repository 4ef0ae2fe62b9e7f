import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {expect, test, describe} from 'vitest';
import {printable} from '../../source/util/printable.js';
import {TraceSession} from '../../source/tracing/trace-session.js';
import {TaskSession} from '../../source/tracing/task-session.js';
import {folderForTest, probeOf, sharedJava, closedAfterTest} from '../helpers/for-test.js';
import {jdks, jdk, runTool} from '../helpers/jvm.js';
import {request} from '../helpers/tracing.js';
import {patienceMs} from '../helpers/until.js';

const agent = path.resolve(import.meta.dirname, '../../agent');
const jar = path.join(agent, 'agent.jar');
/** javac of another release writes other bytes. */
const builder = jdks().find(({release}) => release === 17);
const hasMaven = spawnSync('mvn', ['--version']).status === 0;

test.skipIf(!builder || !hasMaven)(
	'the agent\'s jar is what its sources give (needs Maven and a JDK that can build it)',
	() => {
		const folder = folderForTest();
		const fresh = path.join(folder, 'agent.jar');
		const build = (flags: string) => spawnSync(path.join(agent, 'build.sh'), [fresh], {
			encoding: 'utf8', timeout: patienceMs, env: {...process.env, JAVA_HOME: builder!.home, MAVEN_FLAGS: flags},
		});
		const offline = build('--offline');
		const {status, stdout} = offline.status === 0 ? offline : build('');
		expect(status, stdout).toBe(0);
		expect(readFileSync(fresh).equals(readFileSync(jar))).toBe(true);
	},
);

/** What these call, they call while the thread's ThreadCalls or worker says that it is in our own code. */
const guarded = /^tprof\/agent\/(?:Constructors\.|Tasks\.(?:passed|missed):|TaskCounters\.seen:)/;

const ofTraces = (method: string) => method.startsWith('java/tprof/v5/Hooks.');
const ofTasks = (method: string) => method.startsWith('java/tprof/v5/TaskHooks.');

/** Our own methods by `Class.name:descriptor`, and the superclasses of their classes. */
function methodsOfJar() {
	const on = jdk();
	const names = runTool(on, 'jar', 'tf', jar).split('\n')
		.filter(name => /^(?:java\/tprof\/v5|tprof\/agent)\/[^/]+\.class$/.test(name))
		.map(name => name.replace(/\.class$/, '').replaceAll('/', '.'));
	const text = runTool(on, 'javap', '-c', '-p', '-s', '-cp', jar, ...names);
	const methods = new Map<string, {readonly calls: string[]}>();
	const parents = new Map<string, string>();
	const pathOf = (name: string) => name.replaceAll('.', '/');
	for (const file of text.split(/^Compiled from .*\n/m).slice(1)) {
		const [, name, parent = 'java.lang.Object'] = /(?:class|interface) ([\w.$]+)(?:<.*>)?(?: extends ([\w.$]+))?/
			.exec(file)!;
		const owner = pathOf(name);
		parents.set(owner, pathOf(parent));
		for (
			const [block, method = '<clinit>', descriptor] of file
				.matchAll(/^ {2}(?:.*?([\w$.]+)\(.*|static {});\n {4}descriptor: (.*)\n(?: {4}.*\n)*/gm)
		) {
			const called = [...block.matchAll(/invoke\w+ .*\/\/ (?:Interface)?Method (.*)$/gm)].map(match =>
				match[1].replaceAll('"', ''));
			const calls = called.map(each => /^[^:(]*\./.test(each) ? each : `${owner}.${each}`);
			methods.set(`${owner}.${method === name ? '<init>' : method}:${descriptor}`, {calls});
		}
	}

	return {methods, parents};
}

const ofJar = methodsOfJar();

/** Methods of the JDK (`Class#method`) that methods of ours call, directly or through others of ours, and overrides. */
function reachedFrom(isRoot: (method: string) => boolean): string[] {
	const {methods, parents} = ofJar;
	const descends = (type: string, from: string): boolean =>
		type === from || (parents.has(type) && descends(parents.get(type)!, from));
	const open = [...methods.keys()].filter(method => isRoot(method));
	expect(open.length).toBeGreaterThan(0);
	const seen = new Set(open);
	const reached = new Set<string>();
	for (const name of open) {
		for (const called of guarded.test(name) ? [] : methods.get(name)!.calls) {
			const [, of, rest] = /^(.*)\.([^.]+:.*)$/.exec(called)!;
			if (!parents.has(of)) {
				reached.add(`${of.startsWith('[') ? 'java/lang/Object' : of}#${rest.replace(/:.*/, '')}`);
			}

			// What overrides it, and what is inherited.
			for (const type of parents.keys()) {
				if (rest.startsWith('<init>') ? type === of : descends(type, of) || descends(of, type)) {
					const ours = `${type}.${rest}`;
					if (methods.has(ours) && !seen.has(ours)) {
						seen.add(ours);
						open.push(ours);
					}
				}
			}
		}
	}

	return [...reached].map(name => name.replaceAll('/', '.')).sort();
}

const classesOf = (methods: readonly string[]) => [...new Set(methods.map(method => method.replace(/#.*/, '')))];

/** A probe that watches methods of any class. */
const watching = (methods: readonly string[]) =>
	probeOf({
		about: 'what hooks call',
		states: {used: {is: 'running'}, over: {is: 'end'}},
		points: methods.map(method => ({method, task: 'current', to: 'used'})),
	});

test('what tracing and following tasks call on a thread of the application is found', () => {
	expect(reachedFrom(ofTraces))
		.toEqual(expect.arrayContaining([
			'java.lang.Thread#currentThread',
			'java.lang.System#nanoTime',
			'java.lang.invoke.MethodHandle#invokeExact',
			'sun.misc.Unsafe#getLong',
		]));
	expect(reachedFrom(ofTasks))
		.toEqual(expect.arrayContaining([
			'java.lang.Thread#currentThread',
			'java.lang.Thread#yield',
			'java.util.concurrent.atomic.AtomicInteger#compareAndSet',
		]));
});

describe.each(jdks().map(each => [each.release, each] as const))('JDK %i', (release, on) => {
	const shared = sharedJava('KnownTraces', {jdk: on, jvmArgs: ['-Xmx384m'], args: ['quiet'], under: []});

	test('all that tracing calls on a thread of the application is refused, with the reason', async () => {
		const reached = classesOf(reachedFrom(ofTraces)).filter(name => release < 19 || name !== 'sun.misc.Unsafe');
		const session = closedAfterTest(await TraceSession.open(shared.target));
		const {survey} = await session.survey({...request, patterns: reached.map(name => `${name}#*`)});
		expect({classes: survey.classes, methods: survey.methods, names: survey.names, unmatched: survey.unmatched})
			.toEqual({
				classes: 0,
				methods: 0,
				names: [],
				unmatched: [],
			});
		expect(survey.refused.map(({name}) => name).filter(name => !name.includes('$')))
			.toEqual(expect.arrayContaining(reached));
		expect(new Set(survey.refused.map(({reason}) => reason)))
			.toEqual(new Set(['tracing it would trace what tracing itself uses']));
	});

	test('all that following tasks calls before it knows its thread is refused, or has no byte code', async () => {
		const reached = reachedFrom(ofTasks);
		const session
			= closedAfterTest(await TaskSession.begin(shared.target, watching(reached), {
				most: 100,
				reportIntervalMs: 100,
			}));
		const {notes, wovenMethods} = session.read()!;
		const ours = 'watching it would watch what tprof-top itself uses';
		const isNamed = (method: string) =>
			[
				`${classesOf([method])[0]}: ${ours}`,
				`${method.replace('#', '.')}: ${ours}`,
				`there is no ${method.replace('#', '.')} with such a task`,
			].some(text => notes.includes(printable(`not watched: ${text}`)));
		expect(wovenMethods).toBe(0);
		expect(reached.filter(method => !isNamed(method))).toEqual([]);
		expect(notes).toContain(`not watched: java.lang.Thread.yield: ${ours}`);
	});
});
