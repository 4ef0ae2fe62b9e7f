import path from 'node:path';
import process from 'node:process';
import {expect, test} from 'vitest';
import {cli, run} from '../helpers/run.js';

const plugin = path.join(path.dirname(cli), 'kubectl-tprof.js');
/** Without a kubectl on its PATH. */
const tprof = async (...args: readonly string[]) =>
	run(process.execPath, [plugin, ...args], {PATH: '/nowhere', TPROF_IMAGE: 'registry.example/tprof:1'});

test('--dry-run prints a command that a shell can run', async () => {
	expect(await tprof('shop-0', '-c', 'app', '-n', 'prod', '--dry-run', '--', '-b', '--filter', 'it\'s /x y/', '1'))
		.toEqual({
			status: 0,
			stderr: '',
			stdout:
				'kubectl --namespace=prod debug shop-0 --image=registry.example/tprof:1 --profile=general --target=app --attach --quiet -- tprof-top -b --filter \'it\'\\\'\'s /x y/\' 1\n',
		});
	const {stdout} = await tprof(
		'shop-0',
		'--copy-to',
		'shop-copy',
		'--keep-labels',
		'--profile',
		'sysadmin',
		'--image=i',
		'--dry-run',
	);
	expect(stdout)
		.toBe('kubectl debug shop-0 --image=i --profile=sysadmin --copy-to=shop-copy --share-processes --keep-labels --attach --quiet -- tprof-top\n');
	expect(await tprof('--help')).toMatchObject({
		status: 0,
		stdout: expect.stringContaining('Labels decide which Services send requests to a pod.') as string,
	});
});

const wrong: ReadonlyArray<readonly [readonly string[], RegExp]> = [
	[[], /which pod\?/],
	[['a', 'b'], /give one pod/],
	[
		['a', '--keep-labels'],
		/--keep-labels is for --copy-to\n {2}without a copy the pod itself .* stays in its Services/,
	],
	...['', 'A', 'a/b', 'x\u001B[31m', '\u202Ea'].map(name =>
		[[name, '--dry-run', '-c', 'c'], /is not a valid Kubernetes name/] as const),
	[['a', '-c', 'b\n', '--dry-run'], /^kubectl-tprof: "b\\x0a" is not a valid Kubernetes name\n/],
	[['a', '-c', 'b', '--image', '', '--dry-run'], /which image/],
	[['a', '-c', 'b', '--dry-run', '--', '\u001B[2J'], /must not have control characters/],
	[['a', '--what'], /Unknown option '--what'/],
	[['a'], /cannot run kubectl: ENOENT/],
];

test.concurrent.for(wrong)('%j is refused with what is missing', async ([args, problem]) => {
	const {status, stdout, stderr} = await tprof(...args);
	expect(stdout).toBe('');
	expect(stderr).toMatch(problem);
	expect(stderr).not.toMatch(/[\u001B\u202E]/);
	expect(status).toBeGreaterThan(0);
});
