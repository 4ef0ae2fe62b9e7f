import {runTool} from './nodes.js';

/** Packs files of a folder into a .tar.gz: files of the same content give the same bytes, and belong to root. */
export function packTar(file, folder, names) {
	runTool('tar', [
		'--create',
		'--file',
		file,
		'--use-compress-program',
		'gzip -n',
		'--directory',
		folder,
		'--sort=name',
		'--format=gnu',
		'--mtime=@0',
		'--owner=0',
		'--group=0',
		'--numeric-owner',
		...names,
	]);
}
