import v8 from 'node:v8';
import {constants, PerformanceObserver, type PerformanceEntry} from 'node:perf_hooks';
import {expect, test} from 'vitest';
import {trimHeap} from '../../source/runtime/heap-trimming.js';
import {until} from '../helpers/until.js';

const heapBytes = () => v8.getHeapStatistics().total_heap_size;
/** A collection of the whole heap. V8 by itself makes one; asked for all the memory there is, two or more in a row. */
const isWhole = (entry: PerformanceEntry) => (entry as PerformanceEntry & {detail: {kind: number}}).detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
const inARowMs = 500;

test('a heap that has grown has its garbage collected, and the memory given back', async () => {
	const endsMs: number[] = [];
	const observer = new PerformanceObserver(list => {
		endsMs.push(...list.getEntries().filter(entry => isWhole(entry)).map(({startTime, duration}) => startTime + duration));
	});
	observer.observe({entryTypes: ['gc']});
	const garbage = Array.from({length: 500_000}, (_, index) => ({index}));
	const fullBytes = heapBytes();
	garbage.length = 0;
	const end = trimHeap({everyMs: 20, firstAfterMs: 0});
	try {
		await until(() => endsMs.some((endMs, index) => index > 0 && endMs - endsMs[index - 1] < inARowMs));
		expect(heapBytes()).toBeLessThan(fullBytes - 10_000_000);
	} finally {
		end();
		observer.disconnect();
	}
});
