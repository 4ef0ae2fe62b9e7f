import {existsSync} from 'node:fs';
import path from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

/** The folder of the package: the one above this file that holds package.json, in the source tree as in dist/. */
export function packageRoot(): string {
	let directory = path.dirname(fileURLToPath(import.meta.url));
	while (!existsSync(path.join(directory, 'package.json')) && directory !== path.dirname(directory)) {
		directory = path.dirname(directory);
	}

	return directory;
}

/** The sampler worker's bundle. */
export function workerUrl(): URL {
	return pathToFileURL(path.join(packageRoot(), 'dist/worker.js'));
}
