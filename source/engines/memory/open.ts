import {resolveLayout, type Layout} from './hotspot/layout.js';
import {findSymbols, type Symbols} from './target/libjvm.js';
import {ProcessMemory} from './target/memory.js';
import {Heap, HeapClock} from './hotspot/heap.js';
import {loadPerfCalls, type PerfCalls} from './cpu/perf/perf-calls.js';
import {loadPtrace, type Ptrace} from './cpu/ptrace/ptrace.js';
import {Reader} from './target/reader.js';
import {ThreadObjects} from './threads/thread-object.js';
import {openVm, type Vm} from './hotspot/vm.js';
import {readVmStructs} from './hotspot/vm-structs.js';

/** An open JVM: its memory, and its tables as read. */
export type Opened = {
	readonly memory: ProcessMemory;
	readonly vm: Vm;
	readonly heap: Heap;
	readonly objects: ThreadObjects;
	readonly clock: HeapClock;
	readonly ptrace: Ptrace;
	readonly perf: PerfCalls;
};

/** The tables of this JVM lack required fields. */
export class MissingFields extends Error {
	readonly fields: readonly string[];

	constructor(fields: readonly string[]) {
		super(`this JVM's tables have no ${fields.join(', ')}`);
		this.fields = fields;
	}
}

/**
Opens a process's memory and reads HotSpot's tables and the layout of some classes. Throws the system's error,
`MissingFields`, `Unreadable` or a plain message.
*/
export function openJvm(pid: number): Opened {
	const symbols = findSymbols(pid);
	const calls = loadCalls();
	const memory = new ProcessMemory(pid);
	try {
		const reader = new Reader(memory);
		const layout = layoutOf(pid, reader, symbols);
		const vm = openVm(reader, layout);
		const heap = new Heap(vm);
		return {
			...calls, memory, vm, heap, objects: new ThreadObjects(vm, heap), clock: new HeapClock(vm),
		};
	} catch (error) {
		memory.close();
		throw error;
	}
}

/** The layout of the JVM opened last: a session opens it right after the check. */
let last: {readonly pid: number; readonly tables: number | undefined; readonly layout: Layout} | undefined;

function layoutOf(pid: number, reader: Reader, symbols: Symbols): Layout {
	// After an exec, the library is at another address.
	const tables = symbols.get('gHotSpotVMStructs');
	if (last?.pid !== pid || last.tables !== tables) {
		const layout = resolveLayout(readVmStructs(reader, symbols));
		if (layout.missing.length > 0) {
			throw new MissingFields(layout.missing);
		}

		last = {pid, tables, layout};
	}

	return last.layout;
}

/** The calls that need the FFI package. */
function loadCalls(): Pick<Opened, 'ptrace' | 'perf'> {
	try {
		return {ptrace: loadPtrace(), perf: loadPerfCalls()};
	} catch {
		throw new Error('what running threads do cannot be seen: koffi does not load here');
	}
}
