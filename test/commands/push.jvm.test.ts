import {writeFileSync} from 'node:fs';
import type http from 'node:http';
import path from 'node:path';
import {expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {decodePush, type Decoded} from '../fleet/decode.js';
import {serve} from '../fleet/serve.js';
import {eachJvm, jvmFilter, type JvmSampler} from '../../source/commands/each-jvm.js';
import {labelsOf} from '../../source/commands/push.js';
import {identify} from '../../source/jvm/discovery/inspect.js';
import {containerIn} from '../../source/jvm/identity/service.js';
import {beside, folderForTest, javaForTest} from '../helpers/for-test.js';
import {untilSampling} from '../helpers/proc.js';
import {runCli, startCli} from '../helpers/run.js';
import {until} from '../helpers/until.js';

/** A backend that keeps what it gets, while it is not away. */
async function backend() {
	const got: {profiles: Decoded[]; headers: http.IncomingHttpHeaders; isAway: boolean} = {
		profiles: [],
		headers: {},
		isAway: false,
	};
	const {url: {origin}} = await serve(({headers}, body, response) => {
		if (got.isAway) {
			return response.writeHead(503).end();
		}

		got.headers = headers;
		got.profiles.push(...decodePush(body));
		return response.writeHead(200, {'content-type': 'application/json'}).end('{}');
	});
	return Object.assign(got, {url: origin});
}

// They wait for most of their time.
test.concurrent(
	'push sends what a JVM does, survives the backend\'s absence and says how many windows it sent',
	beside(async () => {
		const java = await javaForTest('BusyAndParked', {args: ['4', '10', '2']});
		const there = await backend();
		const file = path.join(folderForTest(), 'headers');
		writeFileSync(file, 'Authorization: Bearer secret-of-the-backend\n');
		const {child, ended, stderr} = startCli(
			'push',
			String(java.pid),
			'--to',
			there.url,
			'--every',
			'1s',
			'--label',
			'env=prod',
			'--label',
			'service_name=shop',
			'--headers',
			file,
			'--metrics',
			'0',
		);
		const spent = () =>
			there.profiles.filter(({Type}) => Type.startsWith('process_cpu')).flatMap(({Stacks}) =>
				Object.entries(Stacks));
		await until(() => spent().some(([stack]) => stack.includes('BusyAndParked')));
		const port = /metrics at 127\.0\.0\.1 port (\d+)\n/.exec(stderr())![1];
		const page = await fetch(`http://127.0.0.1:${port}/metrics`);
		expect(await page.text()).toMatch(/tprof_jvm_info{service_name="shop"[^]*tprof_gc_ratio/);
		expect(there.headers.authorization).toBe('Bearer secret-of-the-backend');
		expect(there.profiles[0].Labels).toMatchObject({service_name: 'shop', env: 'prod', pid: String(java.pid)});
		expect(there.profiles.some(({Labels, Stacks}) =>
			Labels.state === 'WAITING' && Object.keys(Stacks).some(stack => stack.includes('park')))).toBe(true);
		const profilesIn = (state: string) => there.profiles.filter(({Labels}) => Labels.state === state);
		const stacksIn = (state: string) => profilesIn(state).flatMap(({Stacks}) => Object.keys(Stacks));
		expect(stacksIn('RUNNABLE')).not.toContain('[no Java frames]:0');
		expect(stacksIn('IDLE')).toContain('[no Java frames]:0');
		there.isAway = true;
		await until(() => stderr().includes('answered 503'));
		const before = there.profiles.length;
		there.isAway = false;
		await until(() => stderr().includes('pushing goes on') && there.profiles.length > before);
		child.kill('SIGTERM');
		const {status, stdout, stderr: said} = await ended;
		expect({status, stdout}).toEqual({status: 0, stdout: ''});
		expect(said).toMatch(/pushed: \d+ windows to 127\.0\.0\.1:\d+\n$/);
		expect(said).not.toContain('secret');
		const starts = there.profiles.filter(({Type}) => Type.startsWith('process_cpu')).map(({Start}) => Start);
		// Several requests are under way at a time: windows may arrive in another order, but each only once.
		expect(new Set(starts).size).toBe(starts.length);
	}),
);

test.concurrent(
	'when there is no room for more stacks, it goes on in a new session',
	beside(async () => {
		const java = await javaForTest('ManyPaths', {args: ['50', '500']});
		const there = await backend();
		const {child, ended, stderr} = startCli(
			'push',
			String(java.pid),
			'--to',
			there.url,
			'--every',
			'1s',
			'--interval',
			'20',
			'--max-overhead',
			'50',
			'--max-cpu',
			'100',
		);
		await until(() => stderr().includes('a new session began'));
		const isOther = ({Stacks}: Decoded) => Object.keys(Stacks).some(stack => stack.includes('(other)'));
		await until(() => there.profiles.some(profile => isOther(profile)));
		there.profiles.length = 0;
		await until(() =>
			there.profiles.some(profile =>
				!isOther(profile) && Object.keys(profile.Stacks).some(stack => stack.includes('ManyPaths.further'))));
		child.kill('SIGTERM');
		const {status, stderr: said} = await ended;
		expect(status).toBe(0);
		expect(said.match(/a new session began/g)).toHaveLength(1);
	}),
);

test.concurrent('it ends with the JVM, and says what is wrong with the command line', beside(async () => {
	const java = await javaForTest('BusyAndParked', {args: ['1', '1', '1']});
	const there = await backend();
	// Thread dumps have no events.
	const withEvents = ['--engine', 'attach', '--events', 'alloc', '--duration', '5'];
	const {stderr: refusal} = await runCli('push', String(java.pid), '--to', there.url, ...withEvents);
	expect(refusal).toMatch(/events are not recorded: .+\n[^]*pushed: 1 windows/);
	there.profiles.length = 0;
	const {child, ended} = startCli('push', String(java.pid), '--to', there.url, '--every', '600s');
	await untilSampling(child.pid!);
	java.child.kill('SIGKILL');
	expect(await ended).toMatchObject({status: 0, stderr: expect.stringMatching(/pushed: 1 windows/) as string});
	expect(there.profiles.length).toBeGreaterThan(0);
	const wrong: Array<readonly [string, RegExp]> = [
		['push', /needs a target, or --all/],
		['push 1 --all --to http://h', /--all takes no target/],
		['push 1', /needs --to, --metrics or both/],
		['push 1 --to h:4040', /--to needs the http or https address/],
		['push 1 --to http://h --label =x', /is not a label/],
		['push 1 --to http://h --label a={nonsense}', /--label: {nonsense} is not known/],
		['push 1 --to http://h --include x', /--include needs --all/],
		['push 1 --to http://h --every 0s', /--every must be a number from 1 to 600/],
		['push 1 --metrics x', /--metrics must be a port/],
		['push 1 --to http://h --headers /none', /cannot read the headers in \/none: ENOENT\s+the file of --headers has a header a line/],
	];
	for (const [line, problem] of wrong) {
		const {status, stderr} = await runCli(...line.split(' '));
		expect(stderr).toMatch(problem);
		expect(stderr).not.toContain('secret');
		expect(status).toBe(line.includes('/none') ? 1 : 2);
	}
}));

test.concurrent('labels name the service and its pod, as far as the JVM says them', beside(async () => {
	const java = await javaForTest('BusyAndParked', {
		args: ['0', '1', '0', '--spring.application.name=by-argument'],
		jvmArgs: ['-Dotel.service.name=by-property', '-Dapp=mail'],
		env: {
			OTEL_SERVICE_NAME: 'by-variable', OTEL_RESOURCE_ATTRIBUTES: 'k8s.namespace.name=shop, k8s.pod.name=mail-0',
			CONTAINER_NAME: 'app\u001B[31m', STAGE: 'prod',
		},
	});
	const found = identify(java.pid);
	const {target} = found as Extract<typeof found, {ok: true}>;
	const expected = {service_name: 'by-property', namespace: 'shop', pod: 'mail-0', pid: String(java.pid)};
	expect(labelsOf(target, {})).toMatchObject({...expected, container: String.raw`app\x1b[31m`});
	const name = '{property:app}-{env:STAGE}-{main}';
	const labels = [['service_name', name], ['team', '{env:NONE}'], ['of', '{pod}']] as const;
	const given = labelsOf(target, {labels, withoutLabels: ['pid', 'namespace']});
	expect(given).toMatchObject({service_name: 'mail-prod-BusyAndParked', of: 'mail-0'});
	expect(given).not.toHaveProperty('pid');
	expect(given).not.toHaveProperty('namespace');
	expect(given).not.toHaveProperty('team');

	const other = await javaForTest('BusyAndParked', {
		args: ['0', '1', '0', '--spring.application.name=by-argument'],
		env: {KUBERNETES_SERVICE_HOST: '10.0.0.1', HOSTNAME: 'pod-7'},
	});
	const {target: inPod} = identify(other.pid) as typeof found & {ok: true};
	expect(labelsOf(inPod, {})).toMatchObject({service_name: 'by-argument', pod: 'pod-7'});

	// Both are candidates; one at a time is sampled, and the rest is said.
	const stop = new AbortController();
	const seen = new Set<number>();
	const sampler: JvmSampler = {
		stop: stop.signal, problem: undefined, omissionNote: undefined,
		async sample({pid}) {
			seen.add(pid);
			await until(() => stop.signal.aborted);
		},
	};
	const ended = eachJvm({include: ['BusyAndParked'], exclude: ['user:nobody']}, sampler, 1);
	await until(() => sampler.omissionNote);
	stop.abort();
	await ended;
	expect(sampler.omissionNote).toMatch(/^1 JVMs are sampled at a time, \d+ JVMs? not: --include and --exclude choose$/);
	expect(seen.size).toBe(1);
}));

test('JVMs are included and excluded by name and user', () => {
	const jvms = [
		{mainClass: safe`com.acme.Shop`, user: safe`tomcat`},
		{mainClass: safe`mail.jar`, user: safe`tomcat`},
		{mainClass: safe`com.acme.Batch`, user: safe`root`},
	];
	const chosen = (options: Parameters<typeof jvmFilter>[0]) => {
		const isWanted = jvmFilter(options);
		return jvms.filter(jvm => isWanted(jvm)).map(({mainClass}) => mainClass);
	};

	expect(chosen({})).toHaveLength(3);
	expect(chosen({include: ['com.acme.*']})).toEqual(['com.acme.Shop', 'com.acme.Batch']);
	expect(chosen({include: ['mail', 'user:root']})).toEqual(['mail.jar', 'com.acme.Batch']);
	expect(chosen({include: ['user:tomcat'], exclude: ['shop']})).toEqual(['mail.jar']);
	expect(chosen({exclude: ['user:*']})).toEqual([]);
});

test.each([
	['0::/', ''],
	[`0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-${'ab'.repeat(32)}.scope`, 'abababababab'],
	[`12:cpu:/docker/${'12'.repeat(32)}\n0::/`, '121212121212'],
	[`0::/user.slice/${'ab'.repeat(33)}`, ''],
])('the container of the control group %s is "%s"', (cgroups, container) => {
	expect(containerIn(cgroups)).toBe(container);
});
