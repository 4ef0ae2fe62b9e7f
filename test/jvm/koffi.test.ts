import {readFileSync} from 'node:fs';
import process from 'node:process';
import {expect, test} from 'vitest';
import {libcOf} from '../../source/jvm/system/koffi.js';

const node = '55d0c0000000-55d0c0960000 r--p 00000000 fe:00 1004                       /usr/local/bin/node\n';
const library = (file: string) => `${node}7f358afe3000-7f358aff8000 r--p 00000000 fe:00 1005                       ${file}\n7ffd5a1e0000-7ffd5a201000 rw-p 00000000 00:00 0                          [stack]\n`;

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
