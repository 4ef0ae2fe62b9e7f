import {resolveLayout, type Layout} from './hotspot/layout.js';
import {findSymbols, type Symbols} from './process/libjvm.js';
import {ProcessMemory} from './process/memory.js';
import {HeapClock} from './hotspot/collections.js';
import {Heap} from './hotspot/heap.js';
import {loadPerfCalls, type PerfCalls} from './timer/perf-calls.js';
import {loadPtrace, type Ptrace} from './process/ptrace.js';
import {Reader} from './process/reader.js';
import {ThreadObjects} from './threads/thread-object.js';
import {openVm, type Vm} from './hotspot/vm.js';
import {readVmStructs} from './hotspot/vm-structs.js';

/** A JVM whose tables have been read and whose memory is open. */
export type Opened = {
	readonly memory: ProcessMemory;
	readonly vm: Vm;
	readonly heap: Heap;
	readonly objects: ThreadObjects;
	readonly clock: HeapClock;
	/** Missing if the FFI package does not load: threads in Java code then have no stack. */
	readonly ptrace?: Ptrace;
	/** There where `ptrace` is. */
	readonly perf?: PerfCalls;
	/** What cannot be seen, as one printable line. */
	readonly note?: string;
};

/** JEP 444. */
const firstWithVirtualThreads = 21;

/** This JVM's tables lack what the walk needs. */
export class MissingFields extends Error {
	readonly fields: readonly string[];

	constructor(fields: readonly string[]) {
		super(`this JVM's tables have no ${fields.join(', ')}`);
		this.fields = fields;
	}
}

/**
Opens a process's memory and reads HotSpot's tables and what is needed of some classes. Throws the system's error,
`MissingFields`, `Unreadable` or a plain message.
*/
export function openJvm(pid: number): Opened {
	const symbols = findSymbols(pid);
	const memory = new ProcessMemory(pid);
	try {
		const reader = new Reader(memory);
		const layout = layoutOf(pid, reader, symbols);
		const vm = openVm(reader, layout);
		const heap = new Heap(vm);
		const ptrace = optional(loadPtrace);
		return {
			memory, vm, heap, objects: new ThreadObjects(vm, heap), clock: new HeapClock(vm), ptrace, perf: optional(loadPerfCalls), note: noteFor(vm, ptrace !== undefined),
		};
	} catch (error) {
		memory.close();
		throw error;
	}
}

/** The JVM opened last: its library's tables do not change, and a session opens it again right after the probe. */
let last: {readonly pid: number; readonly tables: number | undefined; readonly layout: Layout} | undefined;

function layoutOf(pid: number, reader: Reader, symbols: Symbols): Layout {
	// Another program in the same process has its library elsewhere.
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

/** What needs the FFI package. */
function optional<T>(load: () => T): T | undefined {
	try {
		return load();
	} catch {
		return undefined;
	}
}

/** What this engine cannot see in this JVM. */
function noteFor({release}: Vm, canStop: boolean): string | undefined {
	const notes = [
		...(canStop ? [] : ['the stacks of running threads are unknown (the koffi package does not load here)']),
		...(release >= firstWithVirtualThreads ? ['virtual threads are seen only while mounted'] : []),
	];
	return notes.length > 0 ? notes.join('; ') : undefined;
}
