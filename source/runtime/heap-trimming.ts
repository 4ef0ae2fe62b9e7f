import v8 from 'node:v8';

/** After this time the first numbers are on the screen. */
const optimizeForSizeAfterMs = 10_000;
/** After this time hot functions are compiled: the sampler's within seconds, the screen's within a minute. */
const warmAfterMs = 120_000;
/** Bytes of bytecode that a function must run before V8 optimizes it, at first and once warm; V8's default is 66,000. */
const interruptBudget = {first: 300_000, warm: 20_000_000};

/** Growth since the last collection that makes another one worthwhile. */
const minGrowthBytes = 2 ** 21;
/** Maximum fraction of wall time for collections: one that takes 50 ms may run every 100 seconds. */
const maxTimeFraction = 1 / 2000;

/**
Trims the main thread's heap with `trimHeap`. After `optimizeForSizeAfterMs` V8 favours size over speed
(--optimize-for-size), after `warmAfterMs` it optimizes only very hot functions: our garbage grows slowly, and by default
V8 keeps much more memory. Returns a stop function.
*/
export function startHeapTrimming(): () => void {
	const favourSize = setTimeout(() => {
		v8.setFlagsFromString('--optimize-for-size');
	}, optimizeForSizeAfterMs).unref();
	const optimizeLittle = setTimeout(() => {
		setInterruptBudget(interruptBudget.warm);
	}, warmAfterMs).unref();
	const stopTrimming = trimHeap();
	return () => {
		stopTrimming();
		clearTimeout(favourSize);
		clearTimeout(optimizeLittle);
	};
}

/** Collects this thread's garbage when its heap has grown enough, if Node has an inspector. Returns a stop function. */
export function trimHeap({everyMs = 20_000, firstAfterMs = 30_000} = {}): () => void {
	let notBeforeMs = performance.now() + firstAfterMs;
	let lastBytes = 0;
	const trim = async () => {
		if (performance.now() < notBeforeMs || heldBytes() < lastBytes + minGrowthBytes) {
			return;
		}

		// No second collection while this one runs.
		notBeforeMs = Infinity;
		notBeforeMs = performance.now() + (await collect() / maxTimeFraction);
		lastBytes = heldBytes();
	};

	const timer = setInterval(() => {
		void trim();
	}, everyMs).unref();
	return () => {
		clearInterval(timer);
	};
}

/** Returns the bytes of the heap and of external memory that its objects hold. */
function heldBytes(): number {
	const {total_heap_size: heap, external_memory: external} = v8.getHeapStatistics();
	return heap + external;
}

/** Collects all garbage of this thread; returns the milliseconds that took, Infinity without an inspector. */
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

/** Makes V8 optimize only hot functions from the start: others cost more to compile than they save. */
export function optimizeLess(): void {
	setInterruptBudget(interruptBudget.first);
}

/** Sets the budget for all threads of the process; it applies to a function when its count restarts. */
function setInterruptBudget(bytes: number): void {
	v8.setFlagsFromString(`--interrupt-budget=${bytes}`);
}
