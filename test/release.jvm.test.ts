import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {expect, test} from 'vitest';
import {makeImage} from '../build/release/image.js';
import {makeDeb, makeRpm} from '../build/release/packages.js';
import {folderForTest} from './helpers/for-test.js';
import {run} from './helpers/run.js';

/** Stands for the single file, whose 130 MB say nothing about the packages that have it. */
const program = '#!/bin/sh\necho started\n';
const version = '1.2.3';

/** A folder for packages, with the program, and what the functions that make them ask for. */
function forPackages() {
	const into = folderForTest();
	const file = path.join(into, 'program');
	writeFileSync(file, program);
	const folder = path.join(into, 'between');
	mkdirSync(folder);
	return {into, details: {file, architecture: 'x64' as const, version, licenses: 'The licences.\n', folder}};
}

const isInstalled = (tool: string) => existsSync(`/usr/bin/${tool}`);
const hasApt = isInstalled('apt-get') && existsSync('/usr/share/keyrings/debian-archive-keyring.gpg');

/** The files on a host, with what is in them, after a package was unpacked below `root`. */
async function expectProgramBelow(root: string): Promise<void> {
	expect(await run(path.join(root, 'usr/bin/tprof-top'), [])).toMatchObject({status: 0, stdout: 'started\n'});
	expect(await run(path.join(root, 'usr/bin/kubectl-tprof'), [])).toMatchObject({stdout: 'started\n'});
	const {stdout: page} = await run('gzip', ['-dc', path.join(root, 'usr/share/man/man1/tprof-top.1.gz')]);
	expect(page).toBe(readFileSync('dist/tprof-top.1', 'utf8'));
	for (const name of ['bash-completion/completions/tprof-top', 'zsh/site-functions/_tprof-top']) {
		expect(readFileSync(path.join(root, 'usr/share', name), 'utf8')).toContain('tprof-top');
	}

	expect(readFileSync(path.join(root, 'usr/share/doc/tprof-top/copyright'), 'utf8')).toBe('The licences.\n');
}

test.skipIf(!isInstalled('dpkg-deb'))('a .deb has the program, its page and completions; nothing runs (needs dpkg-deb)', async () => {
	const {into, details} = forPackages();
	const made = await makeDeb(into, details);
	expect(path.basename(made)).toBe('tprof-top_1.2.3_amd64.deb');
	const root = folderForTest();
	await run('dpkg-deb', ['--extract', made, root]);
	await expectProgramBelow(root);
	const control = folderForTest();
	await run('dpkg-deb', ['--control', made, control]);
	expect(readdirSync(control)).toEqual(['control']);
	const {stdout: contents} = await run('dpkg-deb', ['--contents', made]);
	expect(contents).toMatch(/^-rwxr-xr-x root\/root .* \.\/usr\/bin\/tprof-top$/m);
});

test.skipIf(!isInstalled('rpmbuild'))('an .rpm has the same; nothing runs (needs rpmbuild)', async () => {
	const {into, details} = forPackages();
	const made = await makeRpm(into, details);
	expect(path.basename(made)).toBe('tprof-top-1.2.3-1.x86_64.rpm');
	const root = folderForTest();
	await run('rpm2archive', [made]);
	await run('tar', ['-xzf', `${made}.tgz`, '-C', root]);
	await expectProgramBelow(root);
	expect(await run('rpm', ['-qp', '--scripts', '--triggers', made])).toMatchObject({status: 0, stdout: ''});
	const {stdout: required} = await run('rpm', ['-qp', '--requires', made]);
	expect(required).toMatch(/^glibc >= 2\.28\nlibstdc\+\+\n/);
});

type Descriptor = {readonly digest: string; readonly size: number; readonly platform?: {readonly architecture: string}};

test.skipIf(!hasApt)('an image has each architecture, and what its sums say (needs apt-get of Debian)', async () => {
	const {into, details: {file, folder}} = forPackages();
	const image = path.join(into, 'image.tar');
	await makeImage(image, {x64: file, arm64: file}, {version, folder});
	const layout = folderForTest();
	await run('tar', ['-xf', image, '-C', layout]);
	const blob = ({digest, size}: Descriptor) => {
		const bytes = readFileSync(path.join(layout, 'blobs', digest.replace(':', '/')));
		expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(digest);
		expect(bytes.length).toBe(size);
		return bytes;
	};

	const json = (descriptor: Descriptor) =>
		JSON.parse(blob(descriptor).toString()) as {manifests: Descriptor[]; config: Descriptor; layers: Descriptor[]};
	const index = JSON.parse(readFileSync(path.join(layout, 'index.json'), 'utf8')) as {manifests: Descriptor[]};
	const {manifests} = json(index.manifests[0]);
	expect(manifests.map(({platform}) => platform!.architecture)).toEqual(['amd64', 'arm64']);
	for (const manifest of manifests) {
		const {config, layers: [layer]} = json(manifest);
		expect(json(config)).toMatchObject({config: {Entrypoint: ['/usr/bin/tprof-top']}});
		const packed = path.join(mkdtempSync(path.join(folder, 'layer-')), 'layer.tar.gz');
		writeFileSync(packed, blob(layer));
		const {stdout} = await run('tar', ['-tzf', packed]);
		expect(stdout).toMatch(/^usr\/bin\/tprof-top$/m);
		expect(stdout).toMatch(/^lib\/[\w-]+\/libstdc\+\+\.so\.6$/m);
	}
});

/** Runs the install script with the files of a release, as a user who is not root. */
async function install(from: string) {
	const into = path.join(folderForTest(), 'bin');
	return {...await run('sh', ['build/release/install.sh', from, into]), into};
}

test('the install script picks the file for the host, and compares its sum', async () => {
	const from = folderForTest();
	const name = `tprof-top-linux-${process.arch}`;
	writeFileSync(path.join(from, name), program);
	const sum = createHash('sha256').update(program).digest('hex');
	writeFileSync(path.join(from, 'checksums.txt'), `${sum}  ${name}\n`);
	const {status, into} = await install(from);
	expect(status).toBe(0);
	expect(await run(path.join(into, 'tprof-top'), [])).toMatchObject({status: 0, stdout: 'started\n'});
	writeFileSync(path.join(from, name), `${program}# changed`);
	const changed = await install(from);
	expect(changed).toMatchObject({status: 1, stderr: expect.stringContaining(`${name} is not what checksums.txt says`) as string});
	expect(existsSync(changed.into)).toBe(false);
	expect(await install(path.join(from, 'nowhere'))).toMatchObject({
		status: 1, stderr: expect.stringContaining('no checksums.txt in') as string,
	});
});
