import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {describe, expect, test} from 'vitest';
import {linesOf, sourceLibrary, misfitOf, pathOfSource} from '../../source/sources/library.js';
import {rootOf, pathEntries, sourceJars, targetRoots} from '../../source/sources/roots.js';
import {sharedFolder} from '../helpers/for-test.js';
import {makeZip} from './make-zip.js';

const folder = sharedFolder();

const bubble = 'package com.acme.sort;\n\nclass Bubble {\n\tvoid sort(int[] all) {\n\t\tswap(all, 0);\n\t}\n\n\tvoid swap(int[] all, int at) {\n\t}\n}\n';
const place = {
	className: 'com.acme.sort.Bubble', method: 'sort', file: 'Bubble.java', line: 5,
};

function written(name: string, content: string | Buffer): string {
	const file = path.join(folder, name);
	mkdirSync(path.dirname(file), {recursive: true});
	writeFileSync(file, content);
	return file;
}

const found = (root: string, at = place) => sourceLibrary(() => [rootOf(path.join(folder, root))])(at);

test.each(['plain/com/acme/sort', 'maven/src/main/java/com/acme/sort', 'parts/core/src/main/java/com/acme/sort'])('a source is found in the folder %s', name => {
	const file = written(`${name}/Bubble.java`, bubble);
	const source = found(name.split('/', 1)[0]);
	expect(source).toMatchObject({name: 'Bubble.java', found: file});
	expect(source?.misfit).toBeUndefined();
	expect(source?.lines).toHaveLength(10);
	expect(source?.file()).toBe(file);
});

test.each(['com/acme/sort/Bubble.java', 'java.base/com/acme/sort/Bubble.java'])('and in a jar that has %s; an editor is given a copy', name => {
	const jar = written(`${name.split('/', 1)[0]}.jar`, makeZip([{name, content: bubble}]));
	const source = found(path.basename(jar));
	expect(source?.found).toBe(`${jar}!/${name}`);
	expect(readFileSync(source!.file(), 'utf8')).toBe(bubble);
});

test('what is no jar, is damaged or is not there has nothing', () => {
	written('no.jar', 'nothing');
	expect(found('no.jar')).toBeUndefined();
	expect(found('no.jar', {...place, className: 'com.acme.Other'})).toBeUndefined();
	expect(found('plain', {...place, file: 'Other.java'})).toBeUndefined();
});

test.each([
	['com.acme.sort.Bubble$Inner', 'Bubble.java', 'com/acme/sort/Bubble.java'],
	['Main', 'Main.java', 'Main.java'],
	['a.Größe', 'Größe.java', 'a/Größe.java'],
	['com.acme.Bubble', '../../../etc/passwd', undefined],
	['...etc.Bubble', 'passwd', undefined],
	['com/acme.Bubble', 'Bubble.java', undefined],
	['a.B', '', undefined],
	['a.B', '..', undefined],
	['..a.B', 'B.java', undefined],
	['a.B', 'B\u0000.java', undefined],
])('the source of %s in %s is asked for as %s', (className, file, expected) => {
	expect(pathOfSource({...place, className, file})).toBe(expected);
});

describe('a source fits', () => {
	const lines = linesOf(Buffer.from(bubble));

	test.each([['sort', 5], ['sort', 4], ['swap', 9], ['lambda$sort$0', 5], ['<init>', 3], ['<clinit>', 5], ['sort', -1]])('method %s at line %i', (method, line) => {
		expect(misfitOf(lines, {...place, method, line})).toBeUndefined();
	});

	test.each([['sort', 11, 'it has 10 lines, and 11 runs'], ['swap', 4, 'line 4 is not in a method swap'], ['sor', 5, 'line 5 is not in a method sor'], ['<init>', 2, 'line 2 is not in a method Bubble']])('not with method %s at line %i', (method, line, misfit) => {
		expect(misfitOf(lines, {...place, method, line})).toBe(misfit);
	});

	test('which is said of what is found', () => {
		written('old/com/acme/sort/Bubble.java', bubble);
		expect(found('old', {...place, line: 500})?.misfit).toContain('10 lines');
	});
});

test('lines are what a terminal may show', () => {
	expect(linesOf(Buffer.from('\u{FEFF}a\tb\r\nc\u001B[2J\rd\u202E\n'))).toEqual(['a    b', String.raw`c\x1b[2J`, String.raw`d\u202e`]);
	expect(linesOf(Buffer.from('x'.repeat(5000)))[0]).toHaveLength(500);
	expect(linesOf(Buffer.alloc(0))).toEqual([]);
});

test('a huge file, a folder and a pipe of that name are no sources', () => {
	written('huge/com/acme/sort/Bubble.java', Buffer.alloc(3_000_000, 'x'));
	mkdirSync(path.join(folder, 'odd/com/acme/sort/Bubble.java'), {recursive: true});
	expect(found('huge')).toBeUndefined();
	expect(found('odd')).toBeUndefined();
});

test('the class path of a command line, and the jars of sources beside its jars', () => {
	expect(pathEntries({main: 'app.jar', vmArgs: []})).toEqual(['app.jar']);
	expect(pathEntries({main: 'a.Main', vmArgs: ['-Xmx1g', '-cp', 'a.jar:lib/*::b.jar', '--module-path=mods', '--class-path']})).toEqual(['a.jar', 'lib/*', 'b.jar', 'mods']);
	expect(sourceJars(['/a.jar', '/b.jar', '/b-sources.jar'], name => name === '/b-sources.jar')).toEqual(['/b-sources.jar']);
});

test('a process without jars has no roots, nor has one that is gone', () => {
	expect(targetRoots(process.pid)).toEqual([]);
	expect(targetRoots(2 ** 22)).toEqual([]);
});
