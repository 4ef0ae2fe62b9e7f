import {Buffer} from 'node:buffer';
import {mkdirSync, readFileSync, writeFileSync, closeSync, openSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {deflateRawSync} from 'node:zlib';
import {expect, test} from 'vitest';
import {printable, safe, type Printable} from '../../source/util/printable.js';
import {linesOf, sourceLibrary, mismatchOf, pathOfSource} from '../../source/sources/library.js';
import {rootOf, pathEntries, sourceJars, targetRoots} from '../../source/sources/roots.js';
import {sourceDebugExtension} from '../../source/sources/class-file.js';
import {parseSmap} from '../../source/sources/smap.js';
import {Zip} from '../../source/sources/zip.js';
import {sharedFolder} from '../helpers/for-test.js';
import {pick, seeded} from '../helpers/random.js';

type ZipEntry = {
	readonly name: string;
	readonly content: string | Buffer;
	readonly isStored?: boolean; /** As the directory says, true or not. */
	readonly bytes?: number;
	readonly packedBytes?: number;
	readonly at?: number;
};

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

const maxBytes = 100_000;
const folder = sharedFolder();

const bubble
	= 'package com.acme.sort;\n\nclass Bubble {\n\tvoid sort(int[] all) {\n\t\tswap(all, 0);\n\t}\n\n\tvoid swap(int[] all, int at) {\n\t}\n}\n';
const place = {className: safe`com.acme.sort.Bubble`, method: safe`sort`, file: safe`Bubble.java`, line: 5};

function written(name: string, content: string | Buffer): string {
	const file = path.join(folder, name);
	mkdirSync(path.dirname(file), {recursive: true});
	writeFileSync(file, content);
	return file;
}

const found = (root: string, at = place) => sourceLibrary(() => [rootOf(path.join(folder, root))]).sourceOf(at);

test.each(['plain/com/acme/sort', 'maven/src/main/java/com/acme/sort', 'parts/core/src/main/java/com/acme/sort'])(
	'a source is found in the folder %s',
	name => {
		const file = written(`${name}/Bubble.java`, bubble);
		const source = found(name.split('/', 1)[0]);
		expect(source).toMatchObject({name: 'Bubble.java', found: file});
		expect(source?.mismatch).toBeUndefined();
		expect(source?.lines).toHaveLength(10);
		expect(source?.file()).toBe(file);
	},
);

test.each(['com/acme/sort/Bubble.java', 'java.base/com/acme/sort/Bubble.java'])(
	'and in a jar that has %s; an editor is given a copy',
	name => {
		const jar = written(`${name.split('/', 1)[0]}.jar`, makeZip([{name, content: bubble}]));
		const source = found(path.basename(jar));
		expect(source?.found).toBe(`${jar}!/${name}`);
		expect(readFileSync(source!.file(), 'utf8')).toBe(bubble);
	},
);

const kotlin = path.resolve(import.meta.dirname, '../fixtures/kotlin');

test('a source in another folder than its package is found by its name and package statement, in a folder and in a jar', () => {
	written('elsewhere/other/Bubble.java', '// not this one\npackage com.acme;\n');
	const file = written('elsewhere/sort/Bubble.java', bubble);
	expect(found('elsewhere')?.found).toBe(file);
	expect(found('elsewhere', {...place, className: safe`org.acme.Bubble`})).toBeUndefined();
	const jar = written(
		'elsewhere.jar',
		makeZip([{name: 'other/Bubble.java', content: 'package com.acme;\n'}, {
			name: 'sort/Bubble.java',
			content: bubble,
		}]),
	);
	expect(found('elsewhere.jar')?.found).toBe(`${jar}!/sort/Bubble.java`);
});

test('lines of inlined code are those of its own source, by the class file; without one they are inlined code', () => {
	const [sources, jar] = [rootOf(kotlin), rootOf(path.join(kotlin, 'orders.jar'))];
	const at = (line: number) => ({
		className: safe`com.acme.orders.OrderService`,
		method: safe`checkout`,
		file: safe`OrderService.kt`,
		line,
	});
	const {inlinedOf, sourceOf} = sourceLibrary(() => [sources], () => [jar]);
	expect([9, 25, 28, 33, 36].map(line => inlinedOf(at(line)))).toEqual([
		undefined,
		undefined,
		{file: 'Timing.kt', line: 9, calledAt: 13},
		{file: 'Timing.kt', line: 14, calledAt: 13},
		{file: 'Timing.kt', line: 17, calledAt: 13},
	]);
	expect(sourceOf(at(33))).toMatchObject({name: 'Timing.kt', line: 14, mismatch: undefined});
	expect(sourceOf(at(33))!.lines[13]).toContain('spent * 31');
	expect(sourceOf(at(13))).toMatchObject({name: 'OrderService.kt', mismatch: undefined});
	expect(sourceOf(at(13))?.line).toBeUndefined();
	const withoutClass = sourceLibrary(() => [sources]);
	expect([13, 33].map(line => withoutClass.inlinedOf(at(line)))).toEqual([undefined, {}]);
	expect(withoutClass.sourceOf(at(33))?.note).toMatch(/^line 33 is inlined code/);
	// Of another version: its line 33 may be anything.
	expect(inlinedOf({...at(33), file: safe`Orders.kt`})).toBeUndefined();
});

test('a class file that is damaged or ends too early has no SMAP or another, and nothing worse', () => {
	const fd = openSync(path.join(kotlin, 'orders.jar'), 'r');
	const whole = new Zip(fd, name => name.endsWith('/OrderService.class'), maxBytes)
		.read('com/acme/orders/OrderService.class')!;
	closeSync(fd);
	expect(sourceDebugExtension(whole)).toMatch(/^SMAP\nOrderService\.kt\n/);
	for (let length = 0; length < whole.length; length++) {
		expect(sourceDebugExtension(whole.subarray(0, length))).toBeUndefined();
	}

	const random = seeded(11);
	for (let round = 0; round < 3000; round++) {
		const bytes = Buffer.from(whole);
		for (let change = 0; change < 3; change++) {
			bytes[pick(random, bytes.length)] = pick(random, 256);
		}

		const origin = parseSmap(sourceDebugExtension(bytes) ?? '')(pick(random, 100));
		expect(origin === undefined || Number.isSafeInteger(origin.line)).toBe(true);
	}
});

test.each([
	['*L\n5#1,3:20,2', [[19, undefined], [20, 5], [21, 5], [22, 6], [25, 7], [26, undefined]]],
	['*L\n5:20\n9#2:30\n7:40', [[20, 5], [30, undefined], [40, undefined]]],
	['*L\n5#1:20,0\nx\n999999999#1,999999999:1,999999999', [[20, 999_999_999]]],
	['*S Other\n*L\n5#1:20', [[20, undefined]]],
])('an SMAP with %j maps lines', (section, lines) => {
	const originOf = parseSmap(`SMAP\nA.kt\nKotlin\n*S Kotlin\n*F\n+ 1 B.kt\na/B\n${section}\n*E\n`);
	expect(lines.map(([line]) => [line, originOf(line!)?.line])).toEqual(lines);
});

test('what is no jar, is damaged or is not there has nothing', () => {
	written('no.jar', 'nothing');
	expect(found('no.jar')).toBeUndefined();
	expect(found('no.jar', {...place, className: safe`com.acme.Other`})).toBeUndefined();
	expect(found('plain', {...place, file: safe`Other.java`})).toBeUndefined();
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
	expect(pathOfSource({...place, className: printable(className), file: file as Printable})).toBe(expected);
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
	expect(mismatchOf(linesOf(Buffer.from(bubble)), {...place, method: printable(method), line})).toBe(mismatch);
});

test('of what is found it is said why it does not fit', () => {
	written('old/com/acme/sort/Bubble.java', bubble);
	expect(found('old', {...place, line: 500})?.mismatch).toContain('10 lines');
});

test('lines are what a terminal may show', () => {
	expect(linesOf(Buffer.from('\u{FEFF}a\tb\r\nc\u001B[2J\rd\u202E\n'))).toEqual([
		'a    b',
		String.raw`c\x1b[2J`,
		String.raw`d\u202e`,
	]);
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
	expect(pathEntries({
		main: 'a.Main',
		vmArgs: ['-Xmx1g', '-cp', 'a.jar:lib/*::b.jar', '--module-path=mods', '--class-path'],
	})).toEqual(['a.jar', 'lib/*', 'b.jar', 'mods']);
	expect(sourceJars(['/a.jar', '/b.jar', '/b-sources.jar'], name => name === '/b-sources.jar')).toEqual([
		'/b-sources.jar',
	]);
});

test('a process without jars has no roots, nor has one that is gone', () => {
	expect(targetRoots(process.pid)).toEqual([]);
	expect(targetRoots(2 ** 22)).toEqual([]);
});

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

const contentOf = (entries: readonly ZipEntry[], name = 'a/B.java') =>
	read(makeZip(entries), zip => zip.read(name)?.toString());

test('entries are read, packed or not, and those that nobody wants are left out', () => {
	const entries = [{name: 'a/B.java', content: 'class B {}'}, {
		name: 'a/C.java',
		content: 'class C {}',
		isStored: true,
	}, {name: 'a/B.class', content: 'x'}];
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
	const whole
		= makeZip(Array.from(
			{length: 20},
			(_, index) => ({name: `a/B${index}.java`, content: `class B${index} {}`.repeat(20)}),
		));
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
