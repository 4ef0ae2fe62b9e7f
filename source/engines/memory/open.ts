import {type Interner} from '../../model/frame.js';
import {resolveLayout, type Layout} from './hotspot/layout.js';
import {findSymbols, type Symbols, readVmStructs} from './hotspot/vm-structs.js';
import {ProcessMemory} from './target/memory.js';
import {readersOf, type Jvm} from './hotspot/jvm.js';
import {loadPerfCalls, type PerfCalls} from './cpu/perf/perf-calls.js';
import {loadPtrace, type Ptrace} from './cpu/ptrace/ptrace.js';
import {Reader} from './target/reader.js';
import {openVm} from './hotspot/vm.js';

/** A live JVM, and the system calls for its threads. */
export type LiveJvm = Jvm & {
	readonly memory: ProcessMemory;
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
Opens a process's memory and reads HotSpot's tables. Throws a system error, `MissingFields`, `Unreadable`, or an error
with a message for the user.
*/
export function openJvm(pid: number, interner: Interner): LiveJvm {
	const symbols = findSymbols(pid);
	const calls = loadCalls();
	const memory = new ProcessMemory(pid);
	try {
		const reader = new Reader(memory);
		const vm = openVm(reader, layoutOf(pid, reader, symbols));
		return {...readersOf(vm, interner), ...calls, memory};
	} catch (error) {
		memory.close();
		throw error;
	}
}

/** The layout of the JVM opened last: a session opens the same JVM right after the check. */
let last: {readonly pid: number; readonly tables: number | undefined; readonly layout: Layout} | undefined;

function layoutOf(pid: number, reader: Reader, symbols: Symbols): Layout {
	// After an exec, the tables are at another address.
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

function loadCalls(): Pick<LiveJvm, 'ptrace' | 'perf'> {
	try {
		return {ptrace: loadPtrace(), perf: loadPerfCalls()};
	} catch {
		throw new Error('the stacks of running threads cannot be read: koffi does not load here');
	}
}
