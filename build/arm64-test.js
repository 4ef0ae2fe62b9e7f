// npm run test:arm64 [-- JDK...]: runs test/arm64/engine-check.ts in an emulated arm64 Linux (build/arm64-vm) on these
// JDKs, by default all that are in the machine. Skipped, with the reason, where the machine cannot be had.
import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {
	cp, mkdir, mkdtemp, readdir, rm,
} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {build} from 'esbuild';
import {bundleOptions} from './bundle-options.js';
import {copyKoffi} from './koffi.js';

const machine = path.join(import.meta.dirname, 'arm64-vm');
const jdks = process.argv.length > 2 ? process.argv.slice(2) : (process.env.ARM64_VM_JDKS ?? '17 21 25').split(' ');
const env = {ARM64_VM_JDKS: '17 21 25', ...process.env};

/** Programs of test/programs, and the release for which each is compiled. */
const programs = {WaitsEveryWay: 17, KnownCalls: 17, KnownTruth: 17, VirtualThreads: 21};

/** Returns the newest javac of the usual place, else that on the PATH. */
async function newestCompiler() {
	const homes = existsSync('/usr/lib/jvm') ? await readdir('/usr/lib/jvm') : [];
	const compilers = homes.map(name => ({
		file: `/usr/lib/jvm/${name}/bin/javac`, release: Number(/\d+/.exec(name)?.[0] ?? 0),
	})).filter(({file}) => existsSync(file)).sort((a, b) => b.release - a.release);
	return compilers[0]?.file ?? 'javac';
}

/** Runs the machine's script; returns the exit code. */
const inMachine = (...args) => spawnSync(machine, args, {stdio: 'inherit', env}).status;

if (inMachine('start') !== 0) {
	process.stdout.write('skipped: no arm64 machine can be had here (see above)\n');
	process.exit(0);
}

const folder = await mkdtemp(path.join(tmpdir(), 'tprof-arm64-'));
const content = path.join(folder, 'check');
// As deep as tests are, so that what they find from their own places is found.
const bundle = path.join(content, 'test/engine');
try {
	await mkdir(path.join(bundle, 'classes'), {recursive: true});
	await mkdir(path.join(content, 'fixtures/dumps'), {recursive: true});
	await cp('test/programs/KnownCalls.java', path.join(content, 'programs/KnownCalls.java'));
	const javac = await newestCompiler();
	for (const [name, release] of Object.entries(programs)) {
		execFileSync(javac, [
			'-g', '-nowarn', '--release', release, '-d', path.join(bundle, 'classes'), `test/programs/${name}.java`,
		], {stdio: ['ignore', 'inherit', 'pipe']});
	}

	await build({
		...bundleOptions,
		entryPoints: ['test/arm64/engine-check.ts', 'test/arm64/record-stacks.ts'],
		outdir: bundle,
		alias: {...bundleOptions.alias, vitest: path.resolve('test/arm64/no-vitest.ts')},
	});
	await copyKoffi(bundle);
	process.exitCode = inMachine('push', content, '/root') || inMachine(
		'run',
		`cd /root/check/test/engine && node engine-check.js ${jdks.map(jdk => `/opt/jdk-${jdk}`).join(' ')}`,
	);
} finally {
	await rm(folder, {recursive: true, force: true});
	if (!process.env.ARM64_VM_KEEP) {
		inMachine('stop');
	}
}
