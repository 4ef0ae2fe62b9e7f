import {execFileSync, spawn, spawnSync} from 'node:child_process';
import {
	copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {
	afterEach, beforeEach, describe, expect, test,
} from 'vitest';
import {isRoot} from '../../helpers/as-root.js';
import {
	compileProgram, javaProcess, jdk, type JavaProcess,
} from '../../helpers/jvm.js';
import {patienceMs} from '../../helpers/patience.js';
import {targetOf} from '../../helpers/target.js';

const root = path.resolve(import.meta.dirname, '../../..');
const cli = path.join(root, 'dist/cli.js');

describe('a pipe in the place of the libjvm.so that a JVM runs', () => {
	let folder: string;
	let java: JavaProcess | undefined;
	let library: string;

	beforeEach(async () => {
		folder = mkdtempSync(path.join(tmpdir(), 'tprof-replaced-'));
		library = await startOwn();
		rmSync(library);
		execFileSync('mkfifo', [library]);
	});

	afterEach(async () => {
		await java?.stop();
		rmSync(folder, {recursive: true});
	});

	/** A JVM with a libjvm.so of its own, the rest of the JDK borrowed; the path of that file. */
	async function startOwn(): Promise<string> {
		const {home, release} = jdk(each => each >= 9);
		const [bin, lib, server] = ['bin', 'lib', 'lib/server'].map(name => path.join(folder, name));
		mkdirSync(bin);
		mkdirSync(server, {recursive: true});
		copyFileSync(path.join(home, 'bin/java'), path.join(bin, 'java'));
		symlinkSync(path.join(home, 'conf'), path.join(folder, 'conf'));
		for (const name of readdirSync(path.join(home, 'lib')).filter(each => each !== 'server' && each !== 'src.zip')) {
			symlinkSync(realpathSync(path.join(home, 'lib', name)), path.join(lib, name));
		}

		cpSync(path.join(home, 'lib/server'), server, {recursive: true, dereference: true});
		const program = ['-Xmx64m', '-cp', compileProgram('CpuAndSleep', {home, release}), 'CpuAndSleep'];
		java = javaProcess(spawn(path.join(bin, 'java'), program, {stdio: ['pipe', 'pipe', 'pipe'], env: {...process.env, LD_LIBRARY_PATH: lib}}));
		await java.waitFor(/^ready$/m);
		await targetOf(java);
		return path.join(server, 'libjvm.so');
	}

	test('is not opened: the library is read through its mapping, or the engine says that it cannot', () => {
		const {status, stdout, stderr} = spawnSync(process.execPath, [cli, String(java!.pid), '--engine', 'memory', '--duration', '1'], {encoding: 'utf8', timeout: patienceMs, killSignal: 'SIGKILL'});
		if (isRoot) {
			expect({status, stderr}).toEqual({status: 0, stderr: ''});
			expect(stdout).toMatch(/engine memory/);
		} else {
			expect(status).toBe(1);
			expect(stderr).toMatch(/libjvm\.so that this process runs cannot be opened|closed to us/);
		}
	});
});
