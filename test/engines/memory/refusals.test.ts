import path from 'node:path';
import process from 'node:process';
import {describe, expect, test} from 'vitest';
import {rightsObstacle} from '../../../source/engines/memory/start.js';
import {helpOf} from '../../../source/sampler/choose-engine.js';
import {isRoot, namespaceRefusal, rootless} from '../../helpers/as-root.js';
import {type JavaProcess} from '../../helpers/jvm.js';
import {cli, run as runProgram, type Ended} from '../../helpers/run.js';
import {beside, sharedJava, javaForTest} from '../../helpers/for-test.js';

const withoutPtrace = path.resolve(import.meta.dirname, '../../helpers/without-ptrace.js');

/** Drops the right to trace processes that have it, for good; for root. */
const withoutCapability = ['setpriv', '--bounding-set', '-sys_ptrace', '--inh-caps', '-sys_ptrace'];

const shared = sharedJava('ParkedAndEcho');

/** Runs the built program on the target, under the commands given. */
const run = async (under: readonly string[], ...args: string[]) => runOn(shared.java, under, ...args);

async function runOn({pid}: JavaProcess, under: readonly string[], ...args: string[]): Promise<Ended> {
	const [command, ...rest] = [...under, process.execPath, cli, String(pid), '--batch', '--duration', '0.5', ...args];
	return runProgram(command, rest);
}

function expectAttach({status, stdout}: Ended): void {
	expect(status).toBe(0);
	expect(JSON.parse(stdout)).toMatchObject({engine: 'attach', target: {pid: shared.java.pid}});
}

describe.concurrent.each(['EPERM', 'ENOSYS'])('if a system call filter forbids stopping threads (%s)', code => {
	const under = ['env', `TPROF_ERRNO=${code}`, 'TPROF_FORBIDDEN=ptrace,perf_event_open,process_vm_readv', process.execPath, withoutPtrace];

	test('the filter of system calls is named, with what to do', async () => {
		expect(await run(under, '--engine', 'memory')).toEqual({
			status: 1, stdout: '', stderr: `tprof-top: ptrace is blocked by a system call filter (seccomp), as is usual in containers
  start the container with --cap-add SYS_PTRACE, or use --engine attach
`,
		});
	});

	test('auto takes dumps through the attach socket', async () => {
		expectAttach(await run(under, '--format', 'json'));
	});
});

describe.concurrent('if the kernel forbids stopping threads, but permits events on CPU clocks', () => {
	const under = ['env', 'TPROF_FORBIDDEN=ptrace', process.execPath, withoutPtrace];

	test('no thread need be stopped', async () => {
		const {status, stdout} = await run(under, '--format', 'json');
		expect(status).toBe(0);
		expect(JSON.parse(stdout)).toMatchObject({engine: 'memory', timer: 'perf', cost: {targetStoppedMs: 0}});
		expect(await run(under)).toMatchObject({stdout: expect.stringContaining('| engine memory (perf) every ') as string});
	});

	test('--timer stop has its obstacle', async () => {
		expect(await run(under, '--engine', 'memory', '--timer', 'stop')).toMatchObject({stderr: expect.stringContaining('ptrace is blocked by a system call filter') as string});
	});
});

describe.concurrent.each(['EPERM', 'ENOSYS'])('where the kernel gives no events (%s)', code => {
	const under = ['env', `TPROF_ERRNO=${code}`, 'TPROF_FORBIDDEN=perf_event_open', process.execPath, withoutPtrace];
	const refusal = 'perf_event_open is refused: a system call filter (seccomp, as is usual in containers)';

	test('threads are stopped, and the report says why', async () => {
		const {status, stdout} = await run(under, '--format', 'json');
		expect(status).toBe(0);
		const report = JSON.parse(stdout) as {notes: string[]};
		expect(report).toMatchObject({engine: 'memory', timer: 'stop'});
		expect(report.notes.join('\n')).toContain(refusal);
	});

	test('--timer perf says what to do', async () => {
		const {status, stderr} = await run(under, '--timer', 'perf');
		expect(status).toBe(1);
		expect(stderr).toContain(`tprof-top: ${refusal}`);
		expect(stderr).toContain('use --timer stop');
	});
});

test.concurrent('on another kind of processor only dumps can be had', async () => {
	const asArm = ['env', 'NODE_OPTIONS=--import=data:text/javascript,Object.defineProperty(process,String.raw`arch`,{value:`arm64`})'];
	expect(await run(asArm, '--engine', 'memory')).toEqual({
		status: 1, stdout: '', stderr: 'tprof-top: reading a JVM\'s memory works only on Linux x86-64; this is linux arm64\n  use --engine attach\n',
	});
	expectAttach(await run(asArm, '--format', 'json'));
});

test.each([
	['another user\'s', {isSameUser: false, isRoot: false, hasCapability: false, yamaScope: 1}, 'the process belongs to user id 1000', 'run as root'],
	['another user\'s, for a container\'s root', {isSameUser: false, isRoot: true, hasCapability: false, yamaScope: 0}, 'the process belongs to user id 1000', 'start the container with --cap-add SYS_PTRACE'],
	['our own, under Yama', {isSameUser: true, isRoot: false, hasCapability: false, yamaScope: 1}, 'kernel.yama.ptrace_scope = 1', 'run as root, or use --engine attach'],
	['our own, for a container\'s root under Yama', {isSameUser: true, isRoot: true, hasCapability: false, yamaScope: 1}, 'kernel.yama.ptrace_scope = 1', 'start the container with --cap-add SYS_PTRACE, or use --engine attach'],
	['our own, where Yama wants an administrator', {isSameUser: true, isRoot: false, hasCapability: false, yamaScope: 2}, 'kernel.yama.ptrace_scope = 2', 'run as root, or use --engine attach'],
	['anybody\'s, where Yama lets nobody', {isSameUser: false, isRoot: true, hasCapability: true, yamaScope: 3}, 'kernel.yama.ptrace_scope = 3', 'use --engine attach'],
	['our own, that has a right more', {isSameUser: true, isRoot: false, hasCapability: false, yamaScope: 0}, 'CAP_SYS_PTRACE', 'run as root on the host, or use --engine attach'],
])('the right that is missing for %s memory is named', (_, rights, reason, hint) => {
	const obstacle = rightsObstacle(1000, rights);
	expect(obstacle.reason).toContain(reason);
	expect(helpOf(obstacle, 'memory')).toBe(hint);
});

describe.concurrent('root without the right to trace, and a JVM that has it', () => {
	// Who is not root is it in a user namespace, if the JVM is in the same.
	const refusal = isRoot ? undefined : namespaceRefusal(rootless);

	test.skipIf(refusal)(`both engines are closed to it${refusal ? ` (no user namespace can be made here: ${refusal})` : ''}`, beside(async () => {
		const privileged = await javaForTest('ParkedAndEcho', {under: isRoot ? [] : ['unshare', ...rootless]});
		const {pid} = privileged;
		const inItsNamespace = isRoot ? [] : ['nsenter', '--user', '--preserve-credentials', '--target', String(pid)];
		const {status, stdout, stderr} = await runOn(privileged, [...inItsNamespace, ...withoutCapability]);
		expect({status, stdout}).toEqual({status: 1, stdout: ''});
		expect(stderr).toContain(`process ${pid} cannot be inspected`);
		expect(stderr).toContain('root lacks CAP_SYS_PTRACE');
		expect(stderr).toContain('--cap-add SYS_PTRACE');
	}));

	const noUserNamespace = namespaceRefusal(['--user', '--map-root-user']);

	test.skipIf(noUserNamespace)(`root of another user namespace is not told to run as root${noUserNamespace ? ` (none can be made here: ${noUserNamespace})` : ''}`, async () => {
		expect(await run(['unshare', '--user', '--map-root-user'])).toEqual({
			status: 1, stdout: '', stderr: `tprof-top: process ${shared.java.pid} cannot be inspected: it is closed even to root here (it belongs to another user namespace, or a security module protects it)
  run tprof-top on the host, outside this container
`,
		});
	});
});
