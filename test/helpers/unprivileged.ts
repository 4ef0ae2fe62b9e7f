import {execFileSync, spawnSync} from 'node:child_process';
import {chmodSync, constants, copyFileSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {fileURLToPath} from 'node:url';
import {bundle} from './bundle.js';
import {folderForTest} from './for-test.js';
import {isRoot, otherUser} from './users.js';

/** The value of an expression of a module's exports (`module`) in a process that is not root. */
export async function seenWithoutRights(entry: string, expression: string): Promise<unknown> {
	const folder = folderForTest();
	chmodSync(folder, 0o755);
	const file = path.join(folder, 'module.mjs');
	copyFileSync(fileURLToPath(await bundle(entry)), file);
	chmodSync(file, 0o644);
	const code = `import * as module from ${JSON.stringify(file)}; console.log(JSON.stringify(${expression}));`;
	const user = isRoot ? otherUser : {};
	return JSON.parse(execFileSync(nodeFor(user, folder), ['--input-type=module', '-e', code], {
		...user,
		cwd: '/',
		encoding: 'utf8',
	})) as unknown;
}

/** Node for a user: ours or, where the user may not run it, a copy in a folder. */
function nodeFor(user: {readonly uid?: number; readonly gid?: number}, folder: string): string {
	if (spawnSync(process.execPath, ['--version'], {...user, cwd: '/'}).status === 0) {
		return process.execPath;
	}

	const copy = path.join(folder, 'node');
	copyFileSync(process.execPath, copy, constants.COPYFILE_FICLONE);
	chmodSync(copy, 0o755);
	return copy;
}
