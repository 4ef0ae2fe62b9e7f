import {type Interner} from '../../model/frame.js';
import {resolveLayout, type Layout} from './hotspot/layout.js';
import {findSymbols, type Symbols, readVmStructs} from './hotspot/vm-structs.js';
import {ProcessMemory} from './target/memory.js';
import {ownArchitecture} from './target/own-architecture.js';
import {readersOf, type Jvm} from './hotspot/jvm.js';
import {loadPerfCalls, type BreakpointCalls} from './cpu/perf/perf-calls.js';
import {loadPtrace, type Ptrace} from './cpu/ptrace/ptrace.js';
import {Reader} from './target/memory-reader.js';
import {openVm} from './hotspot/vm.js';

/** A live JVM, and the system calls for its threads. */
export type LiveJvm = Jvm & {
	readonly memory: ProcessMemory;
	readonly ptrace: Ptrace;
	readonly perf: BreakpointCalls;
	readonly symbols: Symbols;
};

/** Opens a process's memory and reads HotSpot's tables. Throws `Unreadable`, or an error with a code or a message. */
export function openJvm(pid: number, interner: Interner): LiveJvm {
	const symbols = findSymbols(pid);
	const calls = loadCalls();
	const memory = new ProcessMemory(pid);
	try {
		const reader = new Reader(memory);
		const vm = openVm(reader, layoutOf(pid, reader, symbols), ownArchitecture);
		return {...readersOf(vm, interner), ...calls, memory, symbols};
	} catch (error) {
		memory.close();
		throw error;
	}
}

/** The layout of the JVM opened last: a session opens the same JVM right after the check. */
let lastLayout: {readonly pid: number; readonly tables: number | undefined; readonly layout: Layout} | undefined;

function layoutOf(pid: number, reader: Reader, symbols: Symbols): Layout {
	// After an exec, the tables are at another address.
	const tables = symbols.get('gHotSpotVMStructs');
	if (lastLayout?.pid !== pid || lastLayout.tables !== tables) {
		const layout = resolveLayout(readVmStructs(reader, symbols));
		if (layout.missing.length > 0) {
			throw new Error(`the tables of this JVM have no ${layout.missing[0]}: it is too new or too unusual for this version of tprof-top`);
		}

		lastLayout = {pid, tables, layout};
	}

	return lastLayout.layout;
}

function loadCalls(): Pick<LiveJvm, 'ptrace' | 'perf'> {
	try {
		return {ptrace: loadPtrace(), perf: loadPerfCalls()};
	} catch (error) {
		const [reason] = (error as Error).message.split('\n');
		throw new Error(`the stacks of running threads cannot be read: koffi does not load here: ${reason}`, {cause: error});
	}
}
