import {spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {
	chmodSync,
	chownSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import {createServer} from 'node:net';
import path from 'node:path';
import process from 'node:process';
import {describe, expect, test} from 'vitest';
import {createAttachFile} from '../../../source/jvm/attach/attach-file.js';
import {AttachClient} from '../../../source/jvm/attach/client.js';
import {attachSocketOf} from '../../../source/jvm/attachability/attach-socket.js';
import {readPerfData} from '../../../source/jvm/counters/hsperfdata.js';
import {readJavaCommand} from '../../../source/jvm/identity/java-command.js';
import {jdkVersionOf} from '../../../source/jvm/identity/libraries.js';
import {isRoot, namespaceRefusal, otherUser, rootless} from '../../helpers/users.js';
import {compileProgram, type JavaProcess, jdk, jdks, rawTarget, targetOf} from '../../helpers/jvm.js';
import {until, patienceMs} from '../../helpers/until.js';
import {
	atTestEnd,
	closedAfterTest,
	folderForTest,
	javaForTest,
	programForTest,
	spawnForTest,
} from '../../helpers/for-test.js';

const unshare = [...rootless, '--mount'];

/** Why no chroot can be made here; undefined if one can. */
const chrootRefusal = namespaceRefusal(unshare);

/** What a program needs to see of the system; binds of its folders, in mounts of its own. */
const shared = ['bin', 'sbin', 'lib', 'lib64', 'usr', 'etc', 'proc', 'dev', 'root', 'home'];
const enter = `
root=$1 outside=$2; shift 2
for folder in ${
	shared.join(' ')
}; do [ -d /$folder ] && mkdir -p $root/$folder && mount --rbind /$folder $root/$folder; done
[ -d $root/srv ] && mount --bind "$1" $root/srv; shift
exec nsenter --root=$root --wd=$outside "$@"`;

type Chroot = {
	/** The folder that is the program's root. */
	readonly root: string;
	/** A folder of ours, not below that root. */
	readonly outside: string;
	/** Starts a program in it, in `outside` or another folder of ours, with `srv` as its /srv. */
	start(command: readonly string[], options?: {readonly cwd?: string; readonly srv?: string}): JavaProcess;
};

/**
Makes an empty root folder, and one outside of it, until the test ends; neither is in a folder that the programs share
with us.
*/
function chrootForTest(): Chroot {
	const folder = mkdtempSync('/var/tmp/tprof-chroot-');
	atTestEnd(() => {
		rmSync(folder, {recursive: true, force: true});
	});
	const [root, outside] = [path.join(folder, 'root'), path.join(folder, 'outside')];
	for (const each of [root, outside, path.join(root, 'srv'), path.join(root, 'var/tmp')]) {
		mkdirSync(each, {recursive: true});
	}

	return {
		root,
		outside,
		start: (command, {cwd = outside, srv = outside} = {}) =>
			programForTest('unshare', [...unshare, 'sh', '-ec', enter, 'sh', root, cwd, srv, ...command]),
	};
}

/** When something was last made or removed in a folder, however short a time it was there. */
const touched = (folder: string) => statSync(folder, {bigint: true}).mtimeNs;

/** Starts a program that does nothing in the chroot; its pid. */
async function idler(inside: Chroot, options?: {cwd?: string; command?: string[]}): Promise<number> {
	const command = options?.command ?? ['sleep', '1000'];
	const {pid} = inside.start(command, options);
	await until(() =>
		readlinkSync(`/proc/${pid}/root`) === inside.root
		&& readFileSync(`/proc/${pid}/comm`, 'utf8') === `${command[0]}\n`);
	return pid;
}

describe.skipIf(chrootRefusal)(
	`a process in a chroot of its own${chrootRefusal ? ` (none can be made here: ${chrootRefusal})` : ''}`,
	() => {
		test.each(jdks())('JDK $release: where its /tmp is a link, that is followed inside', async on => {
			const inside = chrootForTest();
			// The same path appears twice: in its own root, where the JVM keeps its socket, and in ours.
			symlinkSync(inside.outside, path.join(inside.root, 'tmp'));
			mkdirSync(path.join(inside.root, inside.outside), {recursive: true});
			const before = touched(inside.outside);
			const java = inside.start([
				path.join(on.home, 'bin/java'),
				'-Xmx64m',
				'-cp',
				'/srv',
				'ParkedAndEcho',
				'3',
				'3',
			], {cwd: inside.root, srv: compileProgram('ParkedAndEcho', on)});
			await java.waitFor(/^ready$/m);
			const target = await targetOf(java);
			expect(target).toMatchObject({jdk: on.release, facts: {mainClass: 'ParkedAndEcho'}});
			expect(await new AttachClient(target).threadDump({timeoutMs: patienceMs})).toMatchObject({status: 'ok'});
			expect(readdirSync(path.join(inside.root, inside.outside))).toContain(`.java_pid${java.pid}`);
			expect(touched(inside.outside)).toBe(before);
			expect(java.output()).not.toMatch(/Full thread dump/);
		});

		test.each([
			['an absolute link', (inside: Chroot) => inside.outside],
			['a link upwards', () => '../outside'],
			['a link by way of its own /proc', (inside: Chroot) => `/proc/self/root${inside.outside}`],
		])('a socket outside is not reached through %s', async (_, linkOf) => {
			const inside = chrootForTest();
			symlinkSync(linkOf(inside), path.join(inside.root, 'tmp'));
			const pid = await idler(inside);
			let connections = 0;
			const server = closedAfterTest(createServer(() => {
				connections++;
			}).listen(path.join(inside.outside, `.java_pid${pid}`)));
			await once(server, 'listening');
			expect(attachSocketOf(rawTarget(pid))).toEqual({state: 'absent'});
			expect(await new AttachClient(rawTarget(pid)).threadDump({timeoutMs: 1000})).toMatchObject({
				status: 'failed',
			});
			expect(connections).toBe(0);
		});

		test('no attach file is made outside, neither through /tmp nor in the working directory', async () => {
			const inside = chrootForTest();
			symlinkSync(inside.outside, path.join(inside.root, 'tmp'));
			const pid = await idler(inside);
			const before = touched(inside.outside);
			expect(createAttachFile(rawTarget(pid))).toMatchObject({state: 'impossible', code: 'ENOENT'});
			rmSync(path.join(inside.root, 'tmp'));
			mkdirSync(path.join(inside.root, 'tmp'));
			const file = createAttachFile(rawTarget(pid)) as {remove(): void};
			expect(readdirSync(path.join(inside.root, 'tmp'))).toEqual([`.attach_pid${pid}`]);
			file.remove();
			expect(readdirSync(path.join(inside.root, 'tmp'))).toEqual([]);
			expect(touched(inside.outside)).toBe(before);
		});

		test('its counters, its JDK and its argument files are looked for inside', async () => {
			const inside = chrootForTest();
			const {outside, root} = inside;
			const java = await javaForTest('ParkedAndEcho');
			symlinkSync(outside, path.join(root, 'tmp'));
			symlinkSync(outside, path.join(root, 'jdk'));
			writeFileSync(path.join(outside, 'release'), 'JAVA_VERSION="17.0.1"\n');
			writeFileSync(path.join(outside, 'args'), 'secret.Main');
			const pid = await idler(inside, {command: ['sh', '-c', 'read line', '@/jdk/args', '@args']});
			const user = spawnSync('id', ['-un'], {encoding: 'utf8'}).stdout.trim();
			mkdirSync(path.join(outside, `hsperfdata_${user}`));
			writeFileSync(
				path.join(outside, `hsperfdata_${user}/${pid}`),
				readFileSync(`/tmp/hsperfdata_${user}/${java.pid}`),
			);
			/** The counters if the process mapped the file at this path, as a JVM would. */
			const readIf = (file: string) => readPerfData({pid, nsPid: pid, uid: process.geteuid!()}, [{
				start: 0,
				bytes: 0,
				inode: statSync(file).ino,
				folder: `hsperfdata_${user}`,
				name: String(pid),
			}]);
			expect(readIf(path.join(outside, `hsperfdata_${user}/${pid}`))).toBeUndefined();
			expect(jdkVersionOf('/jdk/lib/server/libjvm.so', pid)).toBe('');
			expect(JSON.stringify(readJavaCommand(pid))).not.toContain('secret');
			// The same inside is found.
			rmSync(path.join(root, 'tmp'));
			renameSync(path.join(outside, `hsperfdata_${user}`), path.join(outside, 'kept'));
			mkdirSync(path.join(root, 'tmp'));
			spawnSync('cp', ['-r', path.join(outside, 'kept'), path.join(root, `tmp/hsperfdata_${user}`)]);
			const counters = path.join(root, `tmp/hsperfdata_${user}/${pid}`);
			expect(readIf(counters)?.size).toBeGreaterThan(100);
			// A pipe in their place is left alone.
			rmSync(counters);
			spawnSync('mkfifo', [counters]);
			expect(readIf(counters)).toBeUndefined();
		});
	},
);

test.skipIf(!isRoot)(
	'root makes no file for another user\'s process in a folder that it may not write itself (needs root: nobody else can start one)',
	async () => {
		const folder = folderForTest();
		chmodSync(folder, 0o775);
		const child = spawnForTest('sleep', ['1000'], {cwd: folder, ...otherUser});
		await until(() => readFileSync(`/proc/${child.pid}/comm`, 'utf8') === 'sleep\n');
		const before = touched(folder);
		const file = createAttachFile(rawTarget(child.pid)) as {remove(): void};
		const inTmp = `/tmp/.attach_pid${child.pid}`;
		expect(statSync(inTmp)).toMatchObject(otherUser);
		file.remove();
		expect(existsSync(inTmp)).toBe(false);
		expect(touched(folder)).toBe(before);
		chownSync(folder, otherUser.uid, otherUser.gid);
		const own = createAttachFile(rawTarget(child.pid)) as {remove(): void};
		expect(readdirSync(folder)).toEqual([`.attach_pid${child.pid}`]);
		own.remove();
		expect(readdirSync(folder)).toEqual([]);
	},
);

test('a listener that is not the JVM is sent nothing, and is named; the JVM itself is reached when it is gone', async () => {
	const java = await javaForTest('ParkedAndEcho', {jdk: jdk()});
	const target = await targetOf(java);
	const socket = `/tmp/.java_pid${java.pid}`;
	const listener = programForTest(process.execPath, [
		'-e',
		'require("node:net").createServer(peer => peer.on("data", () => console.log("got bytes")).on("close", () => console.log("closed"))).listen(process.argv[1], () => console.log("ready"))',
		socket,
	]);
	await listener.waitFor(/ready/);
	const client = new AttachClient(target);
	expect(await client.threadDump({timeoutMs: patienceMs})).toMatchObject({
		status: 'failed',
		reason: `a process other than JVM ${java.pid} is listening on its attach socket`,
		hint: expect.stringContaining(socket) as string,
	});
	await listener.waitFor(/closed/);
	expect(listener.output()).toBe('ready\nclosed\n');
	await listener.stop();
	rmSync(socket, {force: true});
	expect(await client.threadDump({timeoutMs: patienceMs})).toMatchObject({status: 'ok'});
	expect(java.output()).not.toMatch(/Full thread dump/);
});
