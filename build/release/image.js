// Makes an OCI image without a daemon: the single file on nothing but the libraries that it needs, which come from
// Debian's packages. One archive has the images of all architectures.
import {createHash} from 'node:crypto';
import {existsSync} from 'node:fs';
import {
	chmod, copyFile, mkdir, readFile, readdir, rename, rm, symlink, writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import {gunzipSync} from 'node:zlib';
import {cached, runTool} from './nodes.js';
import {packTar} from './tar.js';

/** The release that the libraries are from: not older than glibc 2.28, and supported. */
const suite = 'bookworm';
const packages = ['libc6', 'libstdc++6', 'libgcc-s1'];
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** Debian's names of the architectures, and of their folders of libraries, by Node's. */
const architectures = {
	x64: {debian: 'amd64', triplet: 'x86_64-linux-gnu', loader: 'lib64/ld-linux-x86-64.so.2'},
	arm64: {debian: 'arm64', triplet: 'aarch64-linux-gnu', loader: 'lib/ld-linux-aarch64.so.1'},
};

const libraries = /^(?:ld-linux-.*|lib(?:c|m|dl|pthread)\.so\.\d|libstdc\+\+\.so\.6|libgcc_s\.so\.1)$/;

/** Downloads and unpacks the packages for an architecture with an apt that leaves the host's alone. */
async function debianFiles(architecture) {
	return cached(`debian-${suite}-${architecture}`, async into => {
		const state = path.join(into, 'apt');
		await mkdir(path.join(state, 'lists/partial'), {recursive: true});
		await mkdir(path.join(state, 'cache/archives/partial'), {recursive: true});
		await writeFile(path.join(state, 'status'), '');
		const mirror = runTool('apt-get', [
			'indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages', 'Origin: Debian', 'Component: main',
		]).toString().split('\n').find(uri => uri && !uri.includes('security'));
		if (!mirror) {
			throw new Error('apt-get knows no mirror of Debian, whose libraries the image needs');
		}

		await writeFile(path.join(state, 'sources.list'), `deb [signed-by=${keyring}] ${mirror} ${suite} main\n`);
		const own = [
			`APT::Architecture=${architecture}`,
			`APT::Architectures=${architecture}`,
			'APT::Sandbox::User=root',
			'Acquire::Languages=none',
			`Dir::Etc::sourcelist=${state}/sources.list`,
			`Dir::Etc::sourceparts=${state}/none`,
			`Dir::State=${state}`,
			`Dir::State::status=${state}/status`,
			`Dir::Cache=${state}/cache`,
		].flatMap(option => ['-o', option]);
		runTool('apt-get', ['-q', ...own, 'update']);
		runTool('apt-get', ['-q', ...own, 'download', ...packages], {cwd: into});
		for (const name of await readdir(into)) {
			if (name.endsWith('.deb')) {
				runTool('dpkg-deb', ['-x', path.join(into, name), path.join(into, 'root')]);
			}
		}

		await rm(state, {recursive: true});
	});
}

/** Lays out the root folder of the image for an architecture. */
async function layOut(root, file, {debian, triplet, loader}) {
	const from = path.join(await debianFiles(debian), 'root');
	const own = path.join(root, 'lib', triplet);
	await mkdir(own, {recursive: true});
	const places = ['lib', 'usr/lib'].map(name => path.join(from, name, triplet));
	for (const place of places.filter(place => existsSync(place))) {
		for (const name of await readdir(place)) {
			if (libraries.test(name)) {
				await copyFile(path.join(place, name), path.join(own, name));
			}
		}
	}

	await mkdir(path.join(root, path.dirname(loader)), {recursive: true});
	const atLibraries = path.relative(path.dirname(loader), path.join('lib', triplet, path.basename(loader)));
	await symlink(atLibraries, path.join(root, loader));
	for (const name of ['usr/bin', 'etc', 'tmp', 'proc', 'root']) {
		await mkdir(path.join(root, name), {recursive: true});
	}

	await chmod(path.join(root, 'tmp'), 0o1777);
	await copyFile(file, path.join(root, 'usr/bin/tprof-top'));
	await chmod(path.join(root, 'usr/bin/tprof-top'), 0o755);
	await symlink('tprof-top', path.join(root, 'usr/bin/kubectl-tprof'));
	await writeFile(path.join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/\nnobody:x:65534:65534:nobody:/:/\n');
}

const indexType = 'application/vnd.oci.image.index.v1+json';

const digest = bytes => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Makes `file`, an OCI archive, of the single files by their architectures; `folder` is for what is between. */
export async function makeImage(file, singleFiles, {version, folder}) {
	const layout = path.join(folder, 'image');
	const blobs = path.join(layout, 'blobs/sha256');
	await mkdir(blobs, {recursive: true});
	const add = async (mediaType, bytes) => {
		await writeFile(path.join(blobs, digest(bytes).slice('sha256:'.length)), bytes);
		return {mediaType, digest: digest(bytes), size: bytes.length};
	};

	const addJson = async (mediaType, value) => add(mediaType, Buffer.from(JSON.stringify(value)));
	const manifests = [];
	for (const [architecture, singleFile] of Object.entries(singleFiles)) {
		const names = architectures[architecture];
		const platform = {architecture: names.debian, os: 'linux'};
		const root = path.join(folder, `image-${architecture}`);
		await layOut(root, singleFile, names);
		const packed = path.join(folder, 'layer.tar.gz');
		packTar(packed, root, await readdir(root));
		const layer = await readFile(packed);
		const config = await addJson('application/vnd.oci.image.config.v1+json', {
			...platform,
			created: new Date(0).toISOString(),
			config: {Entrypoint: ['/usr/bin/tprof-top'], Env: ['PATH=/usr/bin', 'TERM=xterm-256color', 'LANG=C.UTF-8']},
			// eslint-disable-next-line camelcase -- the image format's own name
			rootfs: {type: 'layers', diff_ids: [digest(gunzipSync(layer))]},
		});
		const manifest = await addJson('application/vnd.oci.image.manifest.v1+json', {
			schemaVersion: 2,
			mediaType: 'application/vnd.oci.image.manifest.v1+json',
			config,
			layers: [await add('application/vnd.oci.image.layer.v1.tar+gzip', layer)],
		});
		manifests.push({...manifest, platform});
	}

	const ofAll = await addJson(indexType, {schemaVersion: 2, mediaType: indexType, manifests});
	await writeFile(path.join(layout, 'index.json'), JSON.stringify({
		schemaVersion: 2,
		mediaType: indexType,
		manifests: [{...ofAll, annotations: {'org.opencontainers.image.ref.name': version}}],
	}));
	await writeFile(path.join(layout, 'oci-layout'), JSON.stringify({imageLayoutVersion: '1.0.0'}));
	runTool('tar', ['-cf', `${file}.new`, '-C', layout, ...await readdir(layout)]);
	await rename(`${file}.new`, file);
}
