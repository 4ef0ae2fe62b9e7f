import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync} from 'node:fs';
import {
	copyFile, mkdir, readdir, readFile, rename, rm,
} from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';

const fetchMs = 60_000;

/** The architectures of the memory engine, as Node and koffi name them; and a folder for each C library. */
const architectures = ['x64', 'arm64'];
const folders = {glibc: 'linux', musl: 'musl'};

/** Copies koffi's binaries to where source/jvm/system/koffi.ts finds them: beside the bundle. */
export async function copyKoffi(bundle) {
	await Promise.all(architectures.map(async arch => {
		const installed = await packageFor(arch);
		if (!installed) {
			process.stderr.write(`no koffi for ${arch}: the memory engine will be missing there\n`);
			return;
		}

		await Promise.all(Object.entries(folders).map(async ([libc, folder]) =>
			copyFile(
				path.join(installed, `${folder}_${arch}`, 'koffi.node'),
				path.join(bundle, `koffi-${libc}-${arch}.node`),
			)));
	}));
}

/**
Returns the folder of koffi's package for Linux on an architecture. npm installs only the one for this machine: others
are fetched once, as package-lock.json has them. Undefined if it cannot be had.
*/
async function packageFor(arch) {
	const name = `@koromix/koffi-linux-${arch}`;
	const installed = path.join('node_modules', name);
	if (existsSync(installed)) {
		return installed;
	}

	const lock = JSON.parse(await readFile('package-lock.json', 'utf8'));
	const {version, integrity} = lock.packages[installed];
	const fetched = path.resolve(`node_modules/.cache/koffi-${version}-${arch}`);
	if (existsSync(fetched)) {
		return fetched;
	}

	const fresh = `${fetched}-${process.pid}`;
	try {
		await mkdir(fresh, {recursive: true});
		execFileSync('npm', ['pack', '--silent', `${name}@${version}`], {cwd: fresh, timeout: fetchMs, stdio: 'ignore'});
		const [archive] = await readdir(fresh);
		const sum = createHash('sha512').update(await readFile(path.join(fresh, archive))).digest('base64');
		if (`sha512-${sum}` !== integrity) {
			throw new Error(`${archive} is not what package-lock.json has`);
		}

		execFileSync('tar', ['-xzf', archive, '--strip-components=1'], {cwd: fresh});
		await rename(fresh, fetched);
		return fetched;
	} catch (error) {
		process.stderr.write(`${error.message}\n`);
		await rm(fresh, {recursive: true, force: true});
		return existsSync(fetched) ? fetched : undefined;
	}
}
