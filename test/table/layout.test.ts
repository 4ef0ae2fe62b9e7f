import {expect, test} from 'vitest';
import {
	createTable, defaultShape, headerBytes, shapeOf, slabLayout, type TableShape,
} from '../../source/table/layout.js';
import {SlabColumn, TableViews} from '../../source/table/views.js';

const small: TableShape = {
	strings: 8, bytes: 2048, frames: 16, nodes: 32, threads: 8, counters: 64, contention: 8, maxSlabs: 3,
};

test('a table knows its shape', () => {
	expect(shapeOf(createTable(small))).toEqual(small);
	expect(shapeOf(createTable())).toEqual(defaultShape);
});

test('a buffer that is none is refused', () => {
	expect(() => shapeOf(new SharedArrayBuffer(headerBytes))).toThrow('not a table');
});

test.each([{counters: 7}, {nodes: 48}, {frames: 0}, {bytes: 1024}, {counters: 2 ** 27}])('a share of %o is refused', wrong => {
	expect(() => slabLayout({...small, ...wrong})).toThrow('share of');
});

test('a slab of the default shape is as large as docs and memory limits say', () => {
	const {byteLength} = slabLayout(defaultShape);
	expect(byteLength).toBeLessThan(3.25 * 1024 * 1024);
	expect(byteLength * defaultShape.maxSlabs).toBeLessThan(52 * 1024 * 1024);
});

test('columns do not overlap, over slabs too: each record keeps what was written', () => {
	const views = new TableViews(createTable(small));
	expect(views.growFor('counters', 191)).toBe(true);
	expect(views.growFor('counters', 192)).toBe(false);
	const columns = Object.values(views.regions).flatMap(region => Object.values(region)).map(({slabs}) => slabs);
	for (const [number, column] of columns.entries()) {
		for (const [slab, array] of column.entries()) {
			array.fill(number + (100 * slab));
		}
	}

	for (const [number, column] of columns.entries()) {
		expect(column.map(array => [...new Set(array)])).toEqual([[number], [number + 100], [number + 200]].map(([value]) => [column[0] instanceof Uint8Array ? value % 256 : value]));
	}

	expect(shapeOf(views.buffer)).toEqual(small);
});

test('a column is copied from anywhere to anywhere', () => {
	const column = new SlabColumn(8);
	column.slabs.push(...[0, 1, 2].map(slab => Int32Array.from({length: 8}, (_, index) => (slab * 8) + index)));
	for (let from = 0; from <= 24; from++) {
		for (let to = from; to <= 24; to++) {
			const into = new Int32Array(24).fill(-1);
			column.copy(from, to, into);
			expect([...into]).toEqual(Array.from({length: 24}, (_, index) => index >= from && index < to ? index : -1));
		}
	}
});
