import {spawnSync} from 'node:child_process';
import {copyFileSync, existsSync, symlinkSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {expect, test} from 'vitest';
import {isRoot} from '../helpers/as-root.js';
import {otherUser} from '../helpers/other-user.js';
import {folderForTest} from '../helpers/for-test.js';

const tools = path.resolve(import.meta.dirname, '../../.ci/tools');

test('what the tests need is there: nothing is said and nothing installed', () => {
	const {status, stdout, stderr} = spawnSync(tools, {encoding: 'utf8'});
	expect({status, stdout, stderr}).toEqual({status: 0, stdout: '', stderr: ''});
});

// Only root can hide the JDKs of the machine (in a namespace of mounts) and go on as somebody who may not install any.
test.skipIf(!isRoot)('without a JDK, and without the right to install one, one line says what to type (needs root: nobody else can hide the JDKs)', () => {
	const folder = folderForTest();
	for (const name of ['sh', 'bash', 'id', 'tr', 'sed', 'dirname', 'readlink', 'unshare', 'setpriv', 'objcopy', 'apt-get', 'dnf', 'apk']) {
		const found = (process.env.PATH ?? '').split(':').map(at => path.join(at, name)).find(file => existsSync(file));
		if (found) {
			symlinkSync(found, path.join(folder, name));
		}
	}

	// Where the other user can read it: this clone may be private.
	const copy = path.join(folder, 'tools');
	copyFileSync(tools, copy);
	spawnSync('chmod', ['755', folder, copy]);
	const hide = 'if [ -d /usr/lib/jvm ]; then mount -t tmpfs none /usr/lib/jvm; fi; exec setpriv --reuid "$1" --regid "$2" --clear-groups env -i PATH="$3" sh "$0"';
	const {status, stdout, stderr} = spawnSync('unshare', ['--mount', 'sh', '-c', hide, copy, String(otherUser.uid), String(otherUser.gid), folder], {encoding: 'utf8'});
	expect({status, stdout}).toEqual({status: 1, stdout: ''});
	expect(stderr).toMatch(/^npm test needs a JDK with javac: (type sudo \S+ \S+ \S*(jdk|openjdk)\S*|install that, .*)\n$/);
});
