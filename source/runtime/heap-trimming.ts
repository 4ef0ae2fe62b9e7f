import v8 from 'node:v8';

/** By then the first numbers are on the screen. */
const collectEarlyAfterMs = 10_000;
/** By then hot functions are compiled: the sampler's within seconds, the screen's within a minute. */
const warmAfterMs = 120_000;
/** Bytecode that a function must run before V8 optimizes it, at first and later; V8's own budget is 66,000. */
const budgetBytes = {first: 300_000, warm: 20_000_000};

/** Least growth since the last collection that is worth another one. */
const leastBytes = 2 ** 21;
/** Part of the time that collections may take: with 50 ms, one in 100 seconds. */
const maxTimeShare = 1 / 2000;

/**
Makes V8 collect early, release what it does not need (--optimize-for-size), and optimize only what becomes really hot:
our garbage comes slowly, and by default V8 would keep a third more memory. Returns what ends it.
*/
export function startHeapTrimming(): () => void {
	const timers = [
		setTimeout(() => {
			v8.setFlagsFromString('--optimize-for-size');
		}, collectEarlyAfterMs),
		setTimeout(() => {
			setBudget(budgetBytes.warm);
		}, warmAfterMs),
	];
	for (const timer of timers) {
		timer.unref();
	}

	const endTrimming = trimHeap();
	return () => {
		endTrimming();
		for (const timer of timers) {
			clearTimeout(timer);
		}
	};
}

/** Gives memory back whenever the heap has grown enough, if Node has an inspector. Returns what ends it. */
export function trimHeap({everyMs = 20_000, firstAfterMs = 30_000} = {}): () => void {
	let notBeforeMs = performance.now() + firstAfterMs;
	let floorBytes = 0;
	const trim = async () => {
		if (performance.now() < notBeforeMs || heldBytes() < floorBytes + leastBytes) {
			return;
		}

		notBeforeMs = Infinity;
		notBeforeMs = performance.now() + (await collect() / maxTimeShare);
		floorBytes = heldBytes();
	};

	const timer = setInterval(() => {
		void trim();
	}, everyMs).unref();
	return () => {
		clearInterval(timer);
	};
}

/** Bytes of the heap, and of memory outside that its objects hold. */
function heldBytes(): number {
	const {total_heap_size: heap, external_memory: external} = v8.getHeapStatistics();
	return heap + external;
}

/** Collects all garbage of this thread; gives the milliseconds that it took, Infinity if it cannot be done. */
async function collect(): Promise<number> {
	try {
		const {Session} = await import('node:inspector/promises');
		const session = new Session();
		session.connect();
		const startMs = performance.now();
		await session.post('HeapProfiler.collectGarbage');
		const tookMs = performance.now() - startMs;
		session.disconnect();
		return tookMs;
	} catch {
		return Infinity;
	}
}

/** Has V8 optimize only what runs often in the first minutes too: the rest costs more to compile than it saves. */
export function optimizeLess(): void {
	setBudget(budgetBytes.first);
}

/** V8 reads it whenever it begins to count anew, for all threads of the process. */
function setBudget(bytes: number): void {
	v8.setFlagsFromString(`--interrupt-budget=${bytes}`);
}
