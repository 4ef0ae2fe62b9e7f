import {Buffer} from 'node:buffer';
import {mkdirSync, readFileSync, writeFileSync, closeSync, openSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {deflateRawSync} from 'node:zlib';
import {expect, test} from 'vitest';
import {linesOf, sourceLibrary, mismatchOf, pathOfSource} from '../../source/sources/library.js';
import {rootOf, pathEntries, sourceJars, targetRoots} from '../../source/sources/roots.js';
import {Zip} from '../../source/sources/zip.js';
import {sharedFolder} from '../helpers/for-test.js';
import {pick, seeded} from '../helpers/random.js';

type ZipEntry = {readonly name: string; readonly content: string | Buffer; readonly isStored?: boolean; /** As the directory says, true or not. */ readonly bytes?: number; readonly packedBytes?: number; readonly at?: number};

/** A zip file of these entries. */
function makeZip(entries: readonly ZipEntry[], comment = ''): Buffer {
	const [parts, directory] = [[] as Buffer[], [] as Buffer[]];
	let at = 0;
	for (const entry of entries) {
		const content = Buffer.from(entry.content);
		const packed = entry.isStored ? content : deflateRawSync(content);
		const name = Buffer.from(entry.name);
		const local = Buffer.alloc(30);
		local.writeUInt32LE(0x04_03_4B_50, 0);
		local.writeUInt16LE(name.length, 26);
		const central = Buffer.alloc(46);
		central.writeUInt32LE(0x02_01_4B_50, 0);
		central.writeUInt16LE(entry.isStored ? 0 : 8, 10);
		central.writeUInt32LE(entry.packedBytes ?? packed.length, 20);
		central.writeUInt32LE(entry.bytes ?? content.length, 24);
		central.writeUInt16LE(name.length, 28);
		central.writeUInt32LE(entry.at ?? at, 42);
		parts.push(local, name, packed);
		directory.push(central, name);
		at += local.length + name.length + packed.length;
	}

	const end = Buffer.alloc(22);
	const directoryBytes = Buffer.concat(directory);
	end.writeUInt32LE(0x06_05_4B_50, 0);
	end.writeUInt16LE(entries.length, 10);
	end.writeUInt32LE(directoryBytes.length, 12);
	end.writeUInt32LE(at, 16);
	end.writeUInt16LE(comment.length, 20);
	return Buffer.concat([...parts, directoryBytes, end, Buffer.from(comment)]);
}

const folder = sharedFolder();

const bubble = 'package com.acme.sort;\n\nclass Bubble {\n\tvoid sort(int[] all) {\n\t\tswap(all, 0);\n\t}\n\n\tvoid swap(int[] all, int at) {\n\t}\n}\n';
const place = {className: 'com.acme.sort.Bubble', method: 'sort', file: 'Bubble.java', line: 5};

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
	expect(source?.mismatch).toBeUndefined();
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

test.each([
	['sort', 5],
	['sort', 4],
	['swap', 9],
	['lambda$sort$0', 5],
	['<init>', 3],
	['<clinit>', 5],
	['sort', -1],
	['sort', 11, 'it has 10 lines, but line 11 runs'],
	['swap', 4, 'line 4 is not in a method swap'],
	['sor', 5, 'line 5 is not in a method sor'],
	['<init>', 2, 'line 2 is not in a method Bubble'],
])('how a source fits method %s at line %i', (method, line, mismatch?: string) => {
	expect(mismatchOf(linesOf(Buffer.from(bubble)), {...place, method, line})).toBe(mismatch);
});

test('of what is found it is said why it does not fit', () => {
	written('old/com/acme/sort/Bubble.java', bubble);
	expect(found('old', {...place, line: 500})?.mismatch).toContain('10 lines');
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

const maxBytes = 100_000;
let files = 0;

function read<T>(bytes: Buffer, work: (zip: Zip) => T): T {
	const file = path.join(folder, `${files++}.zip`);
	writeFileSync(file, bytes);
	const fd = openSync(file, 'r');
	try {
		return work(new Zip(fd, name => name.endsWith('.java'), maxBytes));
	} finally {
		closeSync(fd);
	}
}

const contentOf = (entries: readonly ZipEntry[], name = 'a/B.java') => read(makeZip(entries), zip => zip.read(name)?.toString());

test('entries are read, packed or not, and those that nobody wants are left out', () => {
	const entries = [{name: 'a/B.java', content: 'class B {}'}, {name: 'a/C.java', content: 'class C {}', isStored: true}, {name: 'a/B.class', content: 'x'}];
	expect(contentOf(entries)).toBe('class B {}');
	expect(contentOf(entries, 'a/C.java')).toBe('class C {}');
	expect(contentOf(entries, 'a/D.java')).toBeUndefined();
	expect(read(makeZip(entries, 'a comment'), zip => [...zip.names])).toEqual(['a/B.java', 'a/C.java']);
	expect(read(makeZip([]), zip => [...zip.names])).toEqual([]);
});

test('what is too large is not unpacked, even if its size is said to be small', () => {
	const bomb = Buffer.alloc(50_000_000);
	expect(contentOf([{name: 'a/B.java', content: bomb}])).toBeUndefined();
	expect(() => contentOf([{name: 'a/B.java', content: bomb, bytes: 10}])).toThrow();
});

test.each([
	['of no zip file', Buffer.from('not a zip file, and long enough to be one')],
	['of nothing', Buffer.alloc(0)],
	['that begins beyond the end', makeZip([{name: 'a/B.java', content: 'x', at: 4_000_000_000}])],
	['that is not where it should be', makeZip([{name: 'a/B.java', content: 'x', at: 3}])],
	['that goes on beyond the end', makeZip([{name: 'a/B.java', content: 'x', packedBytes: 90_000}])],
	['whose directory is cut off', makeZip([{name: 'a/B.java', content: 'x'.repeat(500)}]).subarray(60)],
])('an entry %s is an error', (_, bytes) => {
	expect(() => read(bytes, zip => zip.read('a/B.java'))).toThrow();
});

test('any damage is an error or other content, and nothing worse', () => {
	const random = seeded(7);
	const whole = makeZip(Array.from({length: 20}, (_, index) => ({name: `a/B${index}.java`, content: `class B${index} {}`.repeat(20)})));
	for (let round = 0; round < 400; round++) {
		const bytes = Buffer.from(whole);
		for (let change = 0; change < 4; change++) {
			bytes[pick(random, bytes.length)] = pick(random, 256);
		}

		try {
			read(bytes, zip => {
				for (const name of zip.names) {
					expect(zip.read(name)!.length).toBeLessThanOrEqual(maxBytes);
				}
			});
		} catch (error) {
			expect(error).toBeInstanceOf(Error);
		}
	}
});
