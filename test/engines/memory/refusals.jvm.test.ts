import path from 'node:path';
import process from 'node:process';
import {describe, expect, test} from 'vitest';
import {rightsObstacle} from '../../../source/engines/memory/start.js';
import {hintFor} from '../../../source/sampler/choose-engine.js';
import {isRoot, namespaceRefusal, rootless} from '../../helpers/users.js';
import {type JavaProcess} from '../../helpers/jvm.js';
import {cli, run as runProgram, type Ended} from '../../helpers/run.js';
import {beside, sharedJava, javaForTest} from '../../helpers/for-test.js';

/** Commands under which system calls are forbidden, as containers do it. */
const forbidding = (
	calls: string,
	code = 'EPERM',
) => [
	'env',
	`TPROF_ERRNO=${code}`,
	`TPROF_FORBIDDEN=${calls}`,
	process.execPath,
	path.resolve(import.meta.dirname, '../../helpers/without-ptrace.js'),
];
const withoutStops = ['EPERM', 'ENOSYS'].map(code => forbidding('ptrace,perf_event_open,process_vm_readv', code));
const withoutEvents = ['EPERM', 'ENOSYS'].map(code => forbidding('perf_event_open', code));
const asArm = [
	'env',
	'NODE_OPTIONS=--import=data:text/javascript,Object.defineProperty(process,String.raw`arch`,{value:`ppc64`})',
];

/** Drops the right to trace processes that have it, irrevocably; for root. */
const withoutCapability = ['setpriv', '--bounding-set', '-sys_ptrace', '--inh-caps', '-sys_ptrace'];

const shared = sharedJava('ParkedAndEcho');

/** Runs the built program on the target, under the commands given. */
const run = async (under: readonly string[], ...args: string[]) => runOn(shared.java, under, ...args);

async function runOn({pid}: JavaProcess, under: readonly string[], ...args: string[]): Promise<Ended> {
	const [command, ...rest] = [...under, process.execPath, cli, String(pid), '--batch', '--duration', '0.5', ...args];
	return runProgram(command, rest);
}

const noStops
	= 'tprof-top: ptrace is blocked by a system call filter (seccomp), as is usual in containers\n  start the container with --cap-add SYS_PTRACE, or use --engine attach\n';
const noEvents = 'perf_event_open is refused: a system call filter (seccomp, as is usual in containers)';

type Case = readonly [what: string, under: readonly string[], options: string, expected: unknown];
const cases = (what: string, commands: ReadonlyArray<readonly string[]>, options: string, expected: unknown): Case[] =>
	commands.map(under => [what, under, options, expected]);

test.concurrent.for([
	...cases('no ptrace', withoutStops, '--engine memory', noStops),
	...cases('no ptrace, where events would do', [forbidding('ptrace')], '--engine memory --timer stop', noStops),
	...cases(
		'no events',
		withoutEvents,
		'--timer perf',
		expect
			.stringMatching(/^tprof-top: perf_event_open is refused: a system call filter \(seccomp, as is usual in containers\).*\n {2}use --timer stop/),
	),
	...cases(
		'another kind of processor',
		[asArm],
		'--engine memory',
		'tprof-top: reading a JVM\'s memory works only on Linux on x86-64 and arm64; this is linux ppc64\n  use --engine attach\n',
	),
])('what is in the way of a wish is named, with what to do: %s', async ([, under, options, stderr]) => {
	expect(await run(under, ...options.split(' '))).toEqual({status: 1, stdout: '', stderr});
});

test.concurrent.for([
	...cases('dumps where stopping threads is forbidden', withoutStops, '--format json', {engine: 'attach'}),
	...cases('dumps on another kind of processor', [asArm], '--format json', {engine: 'attach'}),
	...cases(
		'events on CPU clocks where only they are permitted: no thread is stopped',
		[forbidding('ptrace')],
		'--format json',
		{engine: 'memory', timer: 'perf', cost: {targetStoppedMs: 0}},
	),
	...cases('stops where there are no events, and it says why', withoutEvents, '--format json', {
		engine: 'memory',
		timer: 'stop',
		notes: expect.arrayContaining([expect.stringContaining(noEvents)]) as unknown,
	}),
])('without a wish what is left is taken: %s', async ([, under, options, report]) => {
	const {status, stdout} = await run(under, ...options.split(' '));
	expect(status).toBe(0);
	expect(JSON.parse(stdout)).toMatchObject({target: {pid: shared.java.pid}, ...report as object});
});

test.each([
	[
		'another user\'s',
		{isSameUser: false, isRoot: false, hasCapability: false, yamaScope: 1},
		'the process belongs to user id 1000',
		'run as root',
	],
	[
		'another user\'s, for a container\'s root',
		{isSameUser: false, isRoot: true, hasCapability: false, yamaScope: 0},
		'the process belongs to user id 1000',
		'start the container with --cap-add SYS_PTRACE',
	],
	[
		'our own, under Yama',
		{isSameUser: true, isRoot: false, hasCapability: false, yamaScope: 1},
		'kernel.yama.ptrace_scope = 1',
		'run as root, or use --engine attach',
	],
	[
		'our own, for a container\'s root under Yama',
		{isSameUser: true, isRoot: true, hasCapability: false, yamaScope: 1},
		'kernel.yama.ptrace_scope = 1',
		'start the container with --cap-add SYS_PTRACE, or use --engine attach',
	],
	[
		'our own, where Yama wants an administrator',
		{isSameUser: true, isRoot: false, hasCapability: false, yamaScope: 2},
		'kernel.yama.ptrace_scope = 2',
		'run as root, or use --engine attach',
	],
	[
		'anybody\'s, where Yama lets nobody',
		{isSameUser: false, isRoot: true, hasCapability: true, yamaScope: 3},
		'kernel.yama.ptrace_scope = 3',
		'use --engine attach',
	],
	[
		'our own, that has a right more',
		{isSameUser: true, isRoot: false, hasCapability: false, yamaScope: 0},
		'CAP_SYS_PTRACE',
		'run as root on the host, or use --engine attach',
	],
])('the right that is missing for %s memory is named', (_, rights, reason, hint) => {
	const obstacle = rightsObstacle(1000, rights);
	expect(obstacle.reason).toContain(reason);
	expect(hintFor(obstacle, 'memory')).toBe(hint);
});

const closedMemory = [
	'tprof-top: no permission to read its memory: the process has extra capabilities, or CAP_SYS_PTRACE is missing in '
	+ 'its user namespace',
	'  start the container with --cap-add SYS_PTRACE, or use --engine attach\n',
].join('\n');

describe.concurrent('root without the right to trace, and a JVM that has it', () => {
	// Who is not root is it in a user namespace, if the JVM is in the same.
	const refusal = isRoot ? undefined : namespaceRefusal(rootless);

	const missing = refusal ? ` (no user namespace can be made here: ${refusal})` : '';
	test.skipIf(refusal)(
		`memory is closed to it and says what to do; attach works${missing}`,
		beside(async () => {
			const privileged = await javaForTest('ParkedAndEcho', {under: isRoot ? [] : ['unshare', ...rootless]});
			const {pid} = privileged;
			const inItsNamespace = isRoot
				? []
				: ['nsenter', '--user', '--preserve-credentials', '--target', String(pid)];
			const under = [...inItsNamespace, ...withoutCapability];
			expect(await runOn(privileged, under, '--engine', 'memory')).toEqual({
				status: 1,
				stdout: '',
				stderr: closedMemory,
			});
			const {status, stdout} = await runOn(privileged, under, '--format', 'json');
			expect({status, ...JSON.parse(stdout) as object}).toMatchObject({
				status: 0,
				engine: 'attach',
				target: {pid},
			});
		}),
	);

	const noUserNamespace = namespaceRefusal(['--user', '--map-root-user']);
	const none = noUserNamespace ? ` (none can be made here: ${noUserNamespace})` : '';

	test.skipIf(noUserNamespace)(`the same for root of another user namespace${none}`, async () => {
		const under = ['unshare', '--user', '--map-root-user'];
		expect(await run(under, '--engine', 'memory')).toEqual({status: 1, stdout: '', stderr: closedMemory});
		const {status, stdout} = await run(under, '--format', 'json');
		expect({status, ...JSON.parse(stdout) as object}).toMatchObject({status: 0, engine: 'attach'});
	});
});
