import {execFileSync} from 'node:child_process';
import {
	cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync,
} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {beforeAll, describe, expect, test} from 'vitest';
import {jdk} from './helpers/jvm.js';
import {run as runProgram} from './helpers/run.js';
import {TerminalSession} from './helpers/terminal.js';
import {beside, closedAfterTest, sharedFolder, sharedShop} from './helpers/for-test.js';
import {nodeVersion} from './helpers/node-versions.js';

const root = path.resolve(import.meta.dirname, '..');
const built = path.join(root, 'dist');

/**
A copy of dist/ alone, as `scp -r` makes it, under another name; outside the project, so that nothing of it is found
from there.
*/
const folder = sharedFolder();
const copy = path.join(folder, 'tprof');

beforeAll(() => {
	cpSync(built, copy, {recursive: true});
});

const run = async (at: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
	runProgram('/bin/sh', ['-c', 'cd "$0" && exec "$@"', folder, process.execPath, path.join(at, 'cli.js'), ...args], {
		JAVA_HOME: jdk().home,
		...env,
	});

/** A copy without some of its files. */
function without(...names: readonly string[]): string {
	const at = mkdtempSync(path.join(folder, 'without-'));
	cpSync(copy, at, {recursive: true});
	for (const name of names) {
		rmSync(path.join(at, name), {recursive: true});
	}

	return at;
}

describe.concurrent('dist/ alone, somewhere else', () => {
	const shared = sharedShop();

	test('lists JVMs', async () => {
		const {status, stdout, stderr} = await run(copy, ['list']);
		expect({status, stderr}).toEqual({status: 0, stderr: ''});
		expect(stdout).toMatch(new RegExp(`^ *${shared.java.pid} `, 'm'));
	});

	test('samples a JVM with the same engine as in the project', {concurrent: false}, async () => {
		const engine = async (at: string) => {
			const {status, stdout, stderr} = await run(at, [
				'--duration',
				'0.5',
				'--max-overhead',
				'100',
				'--format',
				'json',
				String(shared.java.pid),
			]);
			expect({status, stderr}).toEqual({status: 0, stderr: ''});
			const {engine: used, notes, threads} = JSON.parse(stdout) as {
				engine: string;
				notes: string[];
				threads: Array<{name: string}>;
			};
			expect(threads.map(({name}) => name)).toContain('pricing-1');
			return {engine: used, hasKoffi: !notes.some(note => note.includes('koffi'))};
		};

		expect(await engine(copy)).toEqual({...await engine(built), hasKoffi: true});
	});

	test('without the FFI binaries, it samples and says what it cannot see', {concurrent: false}, async () => {
		const {status, stdout} = await run(without('koffi-glibc-x64.node', 'koffi-musl-x64.node'), [
			'--duration',
			'0.5',
			'--max-overhead',
			'100',
			'--format',
			'json',
			String(shared.java.pid),
		]);
		expect(status).toBe(0);
		expect(JSON.parse(stdout)).toMatchObject({
			engine: 'attach',
			notes: expect.arrayContaining([expect.stringContaining('koffi')]) as unknown,
		});
	});

	test('reads regular expressions, and says so when the file for them was left out', async () => {
		const filtered = async (at: string, filter: string) =>
			run(at, ['open', path.join(copy, 'demo/recording.tprof'), '--format', 'csv', '--filter', filter]);
		expect(await filtered(copy, String.raw`/pric[aeiou]ng\.(a+)?/`)).toMatchObject({
			status: 0,
			stderr: '',
			stdout: expect.stringContaining('demo.Pricing') as unknown,
		});
		const incomplete = without('re2js.cjs');
		expect(await filtered(incomplete, '/a/')).toMatchObject({
			status: 2,
			stderr: expect.stringContaining('--filter: re2js.cjs is missing beside cli.js') as unknown,
		});
		expect(await filtered(incomplete, 'pricing')).toMatchObject({status: 0, stderr: ''});
	});

	test('has the demo, whose program ends with it; without a java its recording; and says so when both were left out', async () => {
		const demo = await run(copy, ['demo', '--duration', '1', '--max-overhead', '100']);
		expect(demo).toMatchObject({status: 0, stdout: expect.stringContaining('shop.jar') as unknown});
		expect(demo.stdout).toMatch(/demo\.Pricing/);
		expect(existsSync(`/proc/${/tprof-top (\d+)/.exec(demo.stdout)![1]}`)).toBe(false);
		const recording = await run(copy, ['demo'], {PATH: folder, JAVA_HOME: folder});
		expect(recording).toMatchObject({
			status: 0,
			stderr: expect.stringContaining('recording') as unknown,
			stdout: expect.stringMatching(/demo\.Pricing\.discount:\d+/) as unknown,
		});
		const incomplete = without('demo');
		for (const env of [{}, {PATH: folder, JAVA_HOME: folder}]) {
			expect(await run(incomplete, ['demo'], env)).toEqual({
				status: 1,
				stdout: '',
				stderr:
					'tprof-top: the demo program is missing: its place is demo/ beside tprof-top\'s cli.js\n  copy the whole dist folder, or install the package\n',
			});
		}
	});
});

describe.concurrent('what is in dist/', () => {
	test.each([
		['glibc-x64', 'libc.so.6', 62],
		['musl-x64', 'libc.musl-x86_64.so.1', 62],
		['glibc-arm64', 'libc.so.6', 183],
		['musl-arm64', 'libc.musl-aarch64.so.1', 183],
	])('the FFI binary for %s', (system, library, machine) => {
		const file = readFileSync(path.join(built, `koffi-${system}.node`));
		expect(file.toString('latin1')).toContain(`\0${library}\0`);
		expect(file.readUInt16LE(18)).toBe(machine);
	});

	const files = readdirSync(built, {recursive: true, encoding: 'utf8'});
	const scripts = files.filter(file => file.endsWith('.js')).map(file =>
		readFileSync(path.join(built, file), 'utf8'));
	/** Packages that the bundler names above each of their files. */
	const packages
		= new Set(scripts.flatMap(script =>
			[...script.matchAll(/^\/\/ node_modules\/(?:.*\/node_modules\/)?((?:@[^/\n]+\/)?[^/\n]+)\//gm)].map(match =>
				match[1])));

	test('the licence of every package that is bundled, with its text', () => {
		const notices = readFileSync(path.join(built, 'third-party-notices.txt'), 'utf8').split(`\n${'='.repeat(80)}\n`)
			.slice(1);
		const texts
			= new Map(notices.flatMap((head, index) =>
				index % 2 === 0 ? [[/^(?:@tqman\/)?(.*) \S+ \(.+\)$/.exec(head)![1], notices[index + 1]]] : []));
		expect(packages).toContain('ink');
		for (const name of [...packages, 'koffi']) {
			expect(texts.get(name), name).toMatch(/Permission to use, copy|Permission is hereby granted/);
		}
	});

	/** Opens a recording on a terminal, with options of Node, and leaves it. */
	async function opened(nodeOptions: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<TerminalSession> {
		const terminal
			= closedAfterTest(new TerminalSession(process.execPath, [
				...nodeOptions,
				path.join(copy, 'cli.js'),
				'open',
				path.join(copy, 'demo/recording.tprof'),
			], {env}));
		await terminal.until('demo.Pricing');
		await terminal.quit();
		return terminal;
	}

	test('no developer tools, and DEV=true in the environment changes nothing', beside(async () => {
		expect([...packages].filter(name => /devtools|^ws$/.test(name))).toEqual([]);
		// Ink loads its tools if this package is found.
		const tools = path.join(folder, 'node_modules/react-devtools-core');
		mkdirSync(tools, {recursive: true});
		writeFileSync(path.join(tools, 'index.js'), 'process.exit(99);');
		const {raw} = await opened([], {DEV: 'true'});
		expect(raw).not.toContain('DEV');
	}));

	test('what is loaded before a screen asks Node for no HTTP client', beside(async () => {
		await opened(['--import', 'data:text/javascript,globalThis.fetch=()=>process.exit(99)']);
	}));
});

describe.concurrent('npm install -g of what npm pack makes', () => {
	const shared = sharedShop({jvmArgs: ['-Xmx384m']});
	const prefix = mkdtempSync(path.join(folder, 'prefix-'));
	const program = path.join(prefix, 'bin/tprof-top');

	beforeAll(() => {
		const npm = (...args: readonly string[]) => execFileSync('npm', args, {cwd: root, stdio: 'ignore'});
		npm('pack', '--ignore-scripts', '--pack-destination', prefix);
		const [packed] = readdirSync(prefix);
		npm('install', '-g', '--offline', '--no-audit', '--no-fund', '--prefix', prefix, path.join(prefix, packed));
	});

	test('the program, its manual page, and no other package', () => {
		expect(execFileSync(program, ['--version'], {encoding: 'utf8'})).toMatch(/^\d+\.\d+/);
		expect(existsSync(path.join(prefix, 'share/man/man1/tprof-top.1'))).toBe(true);
		const installed = path.join(prefix, 'lib/node_modules');
		expect(readdirSync(installed)).toEqual(['tprof-top']);
		expect(existsSync(path.join(installed, 'tprof-top/node_modules'))).toBe(false);
	});

	const title = 'on Node %i the live view, a report and a trace write nothing to standard error';
	test.for([20, 22, 24, 26])(title, {concurrent: false}, async (major, {skip, onTestFinished}) => {
		const found = nodeVersion(major);
		if ('missing' in found) {
			skip(found.missing);
			return;
		}

		const env = {PATH: `${found.folder}:${process.env.PATH}`, XDG_STATE_HOME: path.join(folder, 'state')};
		const pid = String(shared.java.pid);
		const {stdout: version} = await runProgram('node', ['--version'], env);
		expect(version).toMatch(new RegExp(`^v${major}\\.`));
		const sampling = ['--max-overhead', '100'];
		const report = ['--duration', '1', ...sampling, '--format'];
		const words = path.join(folder, `words-${major}`);
		const command = ['-c', '"$@" 2>"$0"', words, program, pid, ...sampling];
		const view = new TerminalSession('/bin/sh', command, {env});
		onTestFinished(() => {
			view.close();
		});
		await view.until('demo.Pricing');
		await view.quit();
		expect(readFileSync(words, 'utf8')).toBe('');
		expect(await runProgram(program, [pid, ...report, 'csv'], env))
			.toEqual({status: 0, stderr: '', stdout: expect.stringContaining('demo.Pricing') as unknown});
		// On a busy machine the demo may be found in its loop, which would be refused.
		const trace = ['trace', pid, 'demo.Pricing#tax', '--yes', '--running-loops'];
		expect(await runProgram(program, [...trace, ...report, 'json'], env))
			.toEqual({status: 0, stderr: '', stdout: expect.stringContaining('demo.Pricing.tax') as unknown});
	});
});
