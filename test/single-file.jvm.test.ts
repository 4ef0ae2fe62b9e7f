import {
	chmodSync, copyFileSync, mkdirSync, readFileSync, readdirSync, symlinkSync, watch,
} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {beforeAll, expect, test} from 'vitest';
import {closedAfterTest, sharedFolder, sharedShop} from './helpers/for-test.js';
import {jdk} from './helpers/jvm.js';
import {run as runProgram, runCli} from './helpers/run.js';
import {TerminalSession} from './helpers/terminal.js';
import {namespaceRefusal} from './helpers/users.js';

const folder = sharedFolder();
const part = `linux-${process.arch}`;
const file = path.join(folder, 'tprof-top');
/** The folder for temporary files; nothing may stay there. */
const temporary = path.join(folder, 'tmp');
const shared = sharedShop({jvmArgs: ['-Xmx512m']});

beforeAll(async () => {
	const {status, stderr} = await runProgram(process.execPath, ['build/release.js', folder, part]);
	expect(status, stderr).toBe(0);
	copyFileSync(path.join(folder, `tprof-top-${part}`), file);
	mkdirSync(temporary);
});

/** Runs it without a Node, and without anything else of the environment. */
const run = async (name: string, ...args: readonly string[]) =>
	runProgram('/usr/bin/env', ['-i', `TMPDIR=${temporary}`, path.join(folder, name), ...args]);

test('says the same version and help as the package', async () => {
	for (const option of ['--version', '--help']) {
		expect(await run('tprof-top', option)).toEqual(await runCli(option));
	}
});

test('samples a JVM with the same engine as the package; no file stays', async () => {
	const args = ['--duration', '1', '--filter', '/pric.*/', '--format', 'json', String(shared.java.pid)];
	const sampled = await Promise.all([run('tprof-top', ...args), runCli(...args)]);
	const [one, other] = sampled.map(({status, stdout, stderr}) => {
		expect({status, stderr}).toEqual({status: 0, stderr: ''});
		const {engine, timer, threads} = JSON.parse(stdout) as {
			engine: string;
			timer: string;
			threads: Array<{name: string}>;
		};
		return {engine, timer, threads: threads.map(({name}) => name).toSorted()};
	});
	expect(one).toEqual(other);
	expect(one.threads).toContain('pricing-1');
	expect(readdirSync(temporary)).toEqual([]);
});

test('writes only where no other user can replace what it loads', async () => {
	const open = path.join(folder, 'open-to-all');
	mkdirSync(open);
	chmodSync(open, 0o777);
	const below = path.join(open, 'below');
	mkdirSync(below);
	const inotify = watch(below, {recursive: true});
	const events: string[] = [];
	inotify.on('change', (_, name) => {
		events.push(String(name));
	});
	const {status, stdout} = await runProgram('/usr/bin/env', [
		'-i',
		`TMPDIR=${temporary}`,
		`XDG_RUNTIME_DIR=${below}`,
		file,
		'--duration',
		'0.5',
		'--format',
		'json',
		String(shared.java.pid),
	]);
	inotify.close();
	expect(status).toBe(0);
	expect((JSON.parse(stdout) as {engine: string}).engine).toBe('memory');
	expect(events).toEqual([]);
});

/** Runs the program of a folder, from where it may be executed; all folders for temporary files are mounted noexec. */
const withoutCode = `mount --bind "$0" /mnt
for each in /tmp /var/tmp /dev/shm /run; do mount -t tmpfs -o noexec tmpfs $each; done
exec env -i /mnt/tprof-top "$@"`;
const unshare = ['unshare', '--mount', '--propagation', 'private'];

test.skipIf(namespaceRefusal(unshare))(
	'says what helps where no code can be loaded from its files (needs mount namespaces)',
	async () => {
		const args = ['sh', '-c', withoutCode, folder, '--duration', '0.5', String(shared.java.pid)];
		const {status, stdout} = await runProgram(unshare[0], [...unshare.slice(1), ...args]);
		expect(status).toBe(0);
		expect(stdout.replaceAll(/\s+/g, ' ')).toContain('koffi does not load here: '
			+ 'no folder for files permits loading code from it; set TMPDIR to one that does');
	},
);

test('loads its agent and its page from itself', async () => {
	const pid = String(shared.java.pid);
	const traced = await run('tprof-top', 'trace', pid, 'demo.Pricing#tax', '--yes', '--duration', '1');
	expect(traced).toMatchObject({status: 0, stderr: ''});
	expect(traced.stdout).toMatch(/demo\.Pricing\.tax$/m);
	const page = await run('tprof-top', '--duration', '0.5', '--format', 'html', pid);
	expect(page).toMatchObject({status: 0, stdout: expect.stringMatching(/^<!doctype html>/i) as string});
});

test('shows the demo, for which it writes files until it ends', async () => {
	const terminal = closedAfterTest(new TerminalSession('/usr/bin/env', [
		'-i', 'TERM=xterm-256color', `JAVA_HOME=${jdk().home}`, `TMPDIR=${temporary}`, file, 'demo',
	]));
	await terminal.until(/demo\.Pricing\.discount/);
	expect(readdirSync(temporary)).toHaveLength(1);
	terminal.type('q');
	await terminal.ended();
	expect(readdirSync(temporary)).toEqual([]);
});

test('is the kubectl plugin by that name, or with that word first', async () => {
	symlinkSync('tprof-top', path.join(folder, 'kubectl-tprof'));
	const help = await run('kubectl-tprof', '--help');
	expect(help).toMatchObject({status: 0, stdout: expect.stringMatching(/^kubectl tprof POD /) as string});
	expect(await run('tprof-top', 'kubectl', '--help')).toEqual(help);
});

test('a release says what is in it, and its sums', async () => {
	const sums = await runProgram('sh', ['-c', `cd '${folder}' && sha256sum --strict -c checksums.txt`]);
	expect(sums).toMatchObject({status: 0, stderr: ''});
	expect(sums.stdout.match(/^[^:]+/gm)).toEqual(['install.sh', 'licenses.txt', 'sbom.cdx.json', `tprof-top-${part}`]);
	const {components} = JSON.parse(readFileSync(path.join(folder, 'sbom.cdx.json'), 'utf8')) as {
		components: Array<{name: string; version: string}>;
	};
	const licenses = readFileSync(path.join(folder, 'licenses.txt'), 'utf8');
	const [node, ...packages] = components.toReversed();
	expect(node.name).toBe('node');
	expect(packages.map(({name}) => name)).toEqual(expect.arrayContaining(['ink', 'koffi', 'meow', 'react']));
	for (const {name, version} of packages) {
		expect(licenses).toMatch(new RegExp(`^${name} ${version} \\(`, 'm'));
	}
});
