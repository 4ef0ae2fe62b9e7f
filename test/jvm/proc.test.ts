import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import process from 'node:process';
import {expect, test} from 'vitest';
import {libcOf} from '../../source/jvm/system/koffi.js';
import {isAlive, parseStat, parseStatus, readStat, readStatus, startMs} from '../../source/jvm/system/proc.js';

const status = (lines: Record<string, string>) =>
	Object.entries({
		Name: 'java',
		State: 'S (sleeping)',
		Tgid: '70',
		Uid: '1\t2\t3\t4',
		Gid: '5\t6\t7\t8',
		NSpid: '70\t9\t1',
		SigIgn: '0000000000000000',
		SigCgt: '0000000101005ccd',
		...lines,
	}).map(([name, value]) => `${name}:\t${value}\n`).join('');

test('status gives effective ids, the innermost pid and what happens on SIGQUIT', () => {
	expect(parseStatus(status({}))).toEqual({
		processId: 70, state: 'S', uid: 2, gid: 6, nsPid: 1, catchesQuit: true, ignoresQuit: false,
	});
	expect(parseStatus(status({SigCgt: '0000000000000000'}))).toMatchObject({catchesQuit: false});
	expect(parseStatus(status({SigCgt: 'fffffffffffffffb'}))).toMatchObject({catchesQuit: false});
	expect(parseStatus(status({SigIgn: '0000000000000004'}))).toMatchObject({ignoresQuit: true});
});

test('a status without NSpid, as kernels before 4.1 write it, names the pid itself', () => {
	expect(parseStatus(status({}).replace(/NSpid.*\n/, ''))).toMatchObject({nsPid: 70});
});

test('what is no status is none', () => {
	expect(parseStatus('')).toBeUndefined();
	expect(parseStatus('Name:\tjava\nTgid:\tmany\n')).toBeUndefined();
});

test('a command name cannot fake the fields of stat', () => {
	const rest = `S 1 70 70 0 -1 4194304 1 2 3 4 111 222 0 0 20 0 9 0 123456 ${'0 '.repeat(30)}`;
	for (const name of ['java', 'a b', ') R 1 (', 'x\n) Z 0 0']) {
		expect(parseStat(`70 (${name}) ${rest}\n`)).toEqual({
			state: 'S',
			userTicks: 111,
			systemTicks: 222,
			threads: 9,
			startTicks: 123_456,
			group: 70,
			foregroundGroup: -1,
		});
	}

	for (let cut = 0; cut < 60; cut++) {
		expect(parseStat(`70 (java) ${rest}`.slice(0, cut))).toBeUndefined();
	}
});

test('our own process is alive, and a process is not once it has ended or when its start time is another', async () => {
	expect(readStatus(process.pid)).toMatchObject({
		processId: process.pid,
		uid: process.geteuid!(),
		gid: process.getegid!(),
	});
	const own = readStat(process.pid)!;
	expect(isAlive({pid: process.pid, startTicks: own.startTicks})).toBe(true);
	expect(isAlive({pid: process.pid, startTicks: own.startTicks + 1})).toBe(false);
	const startedAtMs = startMs(own.startTicks);
	expect(Math.abs(startedAtMs - (Date.now() - (process.uptime() * 1000)))).toBeLessThan(60_000);

	const child = spawn('sleep', ['60']);
	const stat = readStat(child.pid!)!;
	const looked = {pid: child.pid!, startTicks: stat.startTicks};
	expect(isAlive(looked)).toBe(true);
	child.kill('SIGKILL');
	await once(child, 'exit');
	expect(isAlive(looked)).toBe(false);
});

const node = '55d0c0000000-55d0c0960000 r--p 00000000 fe:00 1004                       /usr/local/bin/node\n';
const library = (file: string) =>
	`${node}7f358afe3000-7f358aff8000 r--p 00000000 fe:00 1005                       ${file}\n7ffd5a1e0000-7ffd5a201000 rw-p 00000000 00:00 0                          [stack]\n`;

test.each([
	['/lib/ld-musl-x86_64.so.1', 'musl'],
	['/usr/lib/ld-musl-x86_64.so.1', 'musl'],
	['/usr/lib/x86_64-linux-gnu/libc.so.6', 'glibc'],
	['/opt/ld-musl-tools/x86_64-linux-gnu/libc.so.6', 'glibc'],
])('a process with %s mapped runs with %s', (file, libc) => {
	expect(libcOf(library(file))).toBe(libc);
});

test('this process runs with the C library that Node reports', () => {
	const {header} = process.report.getReport() as unknown as {header: {glibcVersionRuntime?: string}};
	expect(libcOf(readFileSync('/proc/self/maps', 'latin1'))).toBe(header.glibcVersionRuntime ? 'glibc' : 'musl');
});
