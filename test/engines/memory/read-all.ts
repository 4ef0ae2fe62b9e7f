import {Continuations} from '../../../source/engines/memory/unwind/continuation.js';
import {Descriptions} from '../../../source/engines/memory/threads/descriptions.js';
import {JavaThreads} from '../../../source/engines/memory/threads/java-threads.js';
import {readersOf} from '../../../source/engines/memory/hotspot/jvm.js';
import {resolveLayout} from '../../../source/engines/memory/hotspot/layout.js';
import {Locks} from '../../../source/engines/memory/locks/locks.js';
import {type Memory} from '../../../source/engines/memory/target/memory.js';
import {Reader} from '../../../source/engines/memory/target/reader.js';
import {openVm} from '../../../source/engines/memory/hotspot/vm.js';
import {readVmStructs, type Symbols} from '../../../source/engines/memory/hotspot/vm-structs.js';
import {Walker} from '../../../source/engines/memory/unwind/walker.js';
import {lockKinds} from '../../../source/model/sample.js';
import {threadStates} from '../../../source/model/thread-state.js';
import {NativeIds} from '../../../source/jvm/threads/native-ids.js';
import {WaitingStacks} from '../../../source/engines/memory/thread-stacks.js';
import {Names} from '../observe.js';

/** Reads all that can be read of a JVM without stopping it; each thread as one text. */
export function readAll(memory: Memory, symbols: Symbols): {release: number; missing: readonly string[]; threads: string[]} {
	const reader = new Reader(memory);
	const layout = resolveLayout(readVmStructs(reader, symbols));
	if (layout.missing.length > 0) {
		return {release: 0, missing: layout.missing, threads: []};
	}

	const names = new Names();
	const vm = openVm(reader, layout);
	const jvm = readersOf(vm, names);
	const threads = new JavaThreads(vm, new NativeIds({pid: 1, nsPid: 1}));
	const stacks = new WaitingStacks(jvm, threads, new Walker(jvm), new Continuations(jvm));
	const locks = new Locks(jvm);
	jvm.methods.nextRound();
	jvm.code.nextRound();
	const all = threads.list();
	for (const thread of all.filter(({isInJava}) => !isInJava)) {
		stacks.walk(thread);
	}

	new Descriptions(jvm, 1, threads).describe(all, all);
	locks.start(all);
	const found = all.map(thread => locks.of(thread, thread.description.state));
	return {
		release: vm.release, missing: [],
		threads: all.map((thread, index) => {
			const lock = found[index];
			return [
				`"${thread.description.name}" #${thread.description.key} ${threadStates[thread.description.state]} ${thread.stack.end}`,
				`${lockKinds[lock.kind]} ${names.strings[lock.className]} ${lock.holder?.thread ? `held by #${lock.holder.thread.description.key}` : ''}`,
				...[...thread.stack.frames].map(frame => names.frames[frame].replace(/:(-?\d+)$/, `(${names.files[frame]}:$1)`)),
			].join('\n');
		}),
	};
}
