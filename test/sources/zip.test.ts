import {Buffer} from 'node:buffer';
import {closeSync, openSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {Zip} from '../../source/sources/zip.js';
import {pick, seeded} from '../helpers/random.js';
import {sharedFolder} from '../helpers/for-test.js';
import {makeZip, type ZipEntry} from './make-zip.js';

const folder = sharedFolder();

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

test('what is larger than it may be is not unpacked, whatever its size is said to be', () => {
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
