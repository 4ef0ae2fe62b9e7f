// Makes packages of the single file for Debian's and Red Hat's kind of host: the file, the manual page and completions.
// Nothing is run when they are installed.
import {chmod, copyFile, mkdir, readFile, rename, symlink, writeFile} from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import {gzipSync} from 'node:zlib';
import {runTool} from './nodes.js';

const about = {
	summary: 'top for the source lines of a running JVM',
	description: 'Shows which lines of a running Java program use the CPU, where its threads wait and who holds them up.',
	maintainer: 'tprof-top <tprof-top@localhost>',
};

/** The architectures' names, by Node's. */
const debian = {x64: 'amd64', arm64: 'arm64'};
const redHat = {x64: 'x86_64', arm64: 'aarch64'};

/** Where a shell's completions lie in a package. */
const completions = {
	bash: 'usr/share/bash-completion/completions/tprof-top',
	zsh: 'usr/share/zsh/site-functions/_tprof-top',
	fish: 'usr/share/fish/vendor_completions.d/tprof-top.fish',
};

/** Lays the files out below a folder as they are to lie on a host. */
async function layOut(root, file, licenses) {
	const put = async (name, content, mode = 0o644) => {
		await mkdir(path.join(root, path.dirname(name)), {recursive: true, mode: 0o755});
		await writeFile(path.join(root, name), content, {mode});
	};

	await put('usr/bin/tprof-top', '', 0o755);
	await copyFile(file, path.join(root, 'usr/bin/tprof-top'));
	await chmod(path.join(root, 'usr/bin/tprof-top'), 0o755);
	await symlink('tprof-top', path.join(root, 'usr/bin/kubectl-tprof'));
	await put('usr/share/man/man1/tprof-top.1.gz', gzipSync(await readFile('dist/tprof-top.1')));
	await put('usr/share/doc/tprof-top/copyright', licenses);
	for (const [shell, name] of Object.entries(completions)) {
		await put(name, runTool(process.execPath, ['dist/cli.js', 'completion', shell]));
	}
}

/** Makes `tprof-top_VERSION_ARCHITECTURE.deb` in the folder `into`. Returns its path. */
export async function makeDeb(into, {file, architecture, version, licenses, folder}) {
	const root = path.join(folder, 'deb');
	await layOut(root, file, licenses);
	await mkdir(path.join(root, 'DEBIAN'), {mode: 0o755});
	await writeFile(path.join(root, 'DEBIAN/control'), [
		'Package: tprof-top',
		`Version: ${version}`,
		`Architecture: ${debian[architecture]}`,
		`Maintainer: ${about.maintainer}`,
		'Depends: libc6 (>= 2.28), libstdc++6',
		'Section: utils',
		'Priority: optional',
		`Description: ${about.summary}`,
		` ${about.description}`,
		'',
	].join('\n'), {mode: 0o644});
	const made = path.join(into, `tprof-top_${version}_${debian[architecture]}.deb`);
	// Debian 11 cannot unpack zstd, and xz takes minutes.
	runTool('dpkg-deb', ['--root-owner-group', '-Zgzip', '--build', root, `${made}.new`]);
	await rename(`${made}.new`, made);
	return made;
}

/** Makes `tprof-top-VERSION-1.ARCHITECTURE.rpm` in the folder `into`. Returns its path. */
export async function makeRpm(into, {file, architecture, version, licenses, folder}) {
	const root = path.join(folder, 'rpm-root');
	await layOut(root, file, licenses);
	const spec = path.join(folder, 'tprof-top.spec');
	const [top, rpms] = ['rpm-build', 'rpms'].map(name => path.join(folder, name));
	// Stripping would break the file, and what it needs is asked for by name, not by its symbols' versions.
	await writeFile(spec, `
%global debug_package %{nil}
%global __os_install_post %{nil}
%global _build_id_links none
%global _binary_payload w6.gzdio
AutoReqProv: no
Name: tprof-top
Version: ${version}
Release: 1
Summary: ${about.summary}
License: MIT
Requires: glibc >= 2.28, libstdc++
%description
${about.description}
%install
cp -a ${root}/. %{buildroot}
%files
/usr/bin/tprof-top
/usr/bin/kubectl-tprof
/usr/share/man/man1/tprof-top.1.gz
/usr/share/doc/tprof-top
${Object.values(completions).map(name => `/${name}`).join('\n')}
`);
	runTool('rpmbuild', [
		'-bb',
		'--quiet',
		'--target',
		redHat[architecture],
		'--define',
		`_topdir ${top}`,
		'--define',
		`_rpmdir ${rpms}`,
		'--define',
		'_rpmfilename %{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm',
		spec,
	]);
	const name = `tprof-top-${version}-1.${redHat[architecture]}.rpm`;
	await copyFile(path.join(rpms, name), path.join(into, `${name}.new`));
	await rename(path.join(into, `${name}.new`), path.join(into, name));
	return path.join(into, name);
}
