import {expect, test} from 'vitest';
import {recordsInWindow} from '../../source/model/records-in-window.js';

const columns = {
	thread: {unit: 'thread', role: 'key'}, ticks: {unit: 'ticks', role: 'counter'}, cpuNs: {unit: 'ns', role: 'counter'},
} as const;
const records = (rows: ReadonlyArray<readonly [number, number, number]>) => ({
	count: rows.length, thread: Int32Array.from(rows, row => row[0]), ticks: Float64Array.from(rows, row => row[1]), cpuNs: Float64Array.from(rows, row => row[2]),
});
const rowsOf = ({count, thread, ticks, cpuNs}: {readonly count: number; readonly thread: ArrayLike<number>; readonly ticks: ArrayLike<number>; readonly cpuNs: ArrayLike<number>}) => Array.from({length: count}, (_, row) => [thread[row], ticks[row], cpuNs[row]]);

const then = records([[7, 1, 10], [8, 2, 20], [9, 5, 50], [6, 5, 50]]);
const now = records([[7, 3, 10], [8, 2, 20], [9, 4, 60], [6, 4, 40], [7, 1, 0], [5, 0, 0]]);

test('rows that grew, their counters subtracted; none below zero', () => {
	expect(rowsOf(recordsInWindow(columns, now, then))).toEqual([[7, 2, 0], [9, 0, 10], [7, 1, 0]]);
	expect(rowsOf(recordsInWindow(columns, now, undefined))).toEqual(rowsOf(now).slice(0, 5));
});

test('of wanted rows only', () => {
	expect(rowsOf(recordsInWindow(columns, now, then, index => now.thread[index] === 7))).toEqual([[7, 2, 0], [7, 1, 0]]);
});

test('since the start nothing is copied where every row counts, by whatever counter', () => {
	const all = records([[7, 3, 0], [8, 0, 20]]);
	expect(recordsInWindow(columns, all, undefined)).toBe(all);
});
