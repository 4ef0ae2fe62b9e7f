import {PerformanceObserver} from 'node:perf_hooks';
import {setTimeout as sleep} from 'node:timers/promises';
import v8 from 'node:v8';

/** Bytes that it must have grown by since garbage was collected last. */
const leastBytes = 2 ** 21;

/** Collecting may take so small a part of the time: with 50 ms, once in 100 seconds. */
const shareOfTime = 1 / 2000;

/** So long it is waited for word of what collecting took, milliseconds: the sampler's event loop turns twice a second. */
const toldWithinMs = 2000;

/**
How often a thread's heap is looked at, and when garbage is collected first, milliseconds: then what the start has left
behind, which is the most.
*/
const usual = {lookEveryMs: 20_000, firstAfterMs: 30_000};

/**
Has V8 collect all garbage of this thread now and then, when there is enough of it, and give the memory back: by itself
it lets garbage that comes slowly grow by several megabytes for minutes, and keeps pages that are in part empty. Returns
what ends it. Does nothing where Node has no inspector, whose call it is (`HeapProfiler.collectGarbage`; nobody is let
in from outside by that).
*/
export function giveMemoryBack({lookEveryMs, firstAfterMs} = usual): () => void {
	let notBeforeMs = performance.now() + firstAfterMs;
	let floorBytes = 0;
	let isCollecting = false;
	const look = async () => {
		if (isCollecting || performance.now() < notBeforeMs || heldBytes() < floorBytes + leastBytes) {
			return;
		}

		isCollecting = true;
		const tookMs = await collect();
		isCollecting = false;
		floorBytes = heldBytes();
		notBeforeMs = performance.now() + (tookMs / shareOfTime);
	};

	const timer = setInterval(() => {
		void look();
	}, lookEveryMs).unref();
	return () => {
		clearInterval(timer);
	};
}

/** What the heap holds, and what is held for its objects elsewhere. */
function heldBytes(): number {
	const {total_heap_size: heap, external_memory: external} = v8.getHeapStatistics();
	return heap + external;
}

/**
Collects all garbage of this thread; gives how long that took, milliseconds, or how long it was waited for where that is
not said; Infinity where it cannot be.
*/
async function collect(): Promise<number> {
	let tookMs = 0;
	const observer = new PerformanceObserver(list => {
		for (const {duration} of list.getEntries()) {
			tookMs += duration;
		}
	});
	try {
		const {Session} = await import('node:inspector/promises');
		const session = new Session();
		session.connect();
		observer.observe({entryTypes: ['gc']});
		const startMs = performance.now();
		await session.post('HeapProfiler.collectGarbage');
		const answeredMs = performance.now() - startMs;
		session.disconnect();
		// The observer is told in a later turn of the event loop.
		await sleep(toldWithinMs, undefined, {ref: false});
		return tookMs || answeredMs;
	} catch {
		return Infinity;
	} finally {
		observer.disconnect();
	}
}
