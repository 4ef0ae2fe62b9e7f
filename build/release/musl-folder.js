// Makes the program for musl: a folder with a Node, its two libraries and dist/, as one archive. Not every root file
// system has these libraries, and a Node cannot hold them, so it is not one file.
import {chmod, cp, mkdir, readdir, rename, symlink, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {nodeForMusl} from './nodes.js';
import {packTar} from './tar.js';

const start = `#!/bin/sh
# Starts the program with the Node beside it.
here=$(dirname "$(readlink -f "$0")")
case "\${0##*/}" in
	kubectl-tprof) program=kubectl-tprof.js ;;
	*) program=cli.js ;;
esac
if [ "\${1:-}" = kubectl ]; then
	program=kubectl-tprof.js
	shift
fi
exec "$here/lib/node/bin/node" "$here/dist/$program" "$@"
`;

/** Makes `file`, a .tar.gz, for an architecture of dist/; `folder` is for what is between. */
export async function makeMuslFolder(file, architecture, {folder}) {
	const name = path.basename(file, '.tar.gz');
	const root = path.join(folder, name);
	const node = await nodeForMusl(architecture);
	const libraries = path.join(root, 'lib', path.basename(node.libraries));
	await mkdir(path.join(root, 'lib/node/bin'), {recursive: true});
	await cp(node.file, path.join(root, 'lib/node/bin/node'));
	await chmod(path.join(root, 'lib/node/bin/node'), 0o755);
	await cp(node.libraries, libraries, {recursive: true});
	for (const library of await readdir(libraries)) {
		const [, plain, number] = /^(lib\w+(?:\+\+)?)-\w+(\.so\.\d+)/.exec(library);
		await symlink(library, path.join(libraries, `${plain}${number}`));
	}

	await cp('dist', path.join(root, 'dist'), {
		recursive: true, filter: name => !name.includes('/koffi-') || name.endsWith(`/koffi-musl-${architecture}.node`),
	});
	await writeFile(path.join(root, 'tprof-top'), start, {mode: 0o755});
	await symlink('tprof-top', path.join(root, 'kubectl-tprof'));
	packTar(`${file}.new`, folder, [name]);
	await rename(`${file}.new`, file);
}
