import {type Interner} from '../../../model/frame.js';
import {type Memory} from '../target/memory.js';
import {CodeCache} from './code-cache.js';
import {Heap, Collections} from './heap.js';
import {Methods} from './methods.js';
import {ThreadObjects} from './thread-object.js';
import {type Vm} from './vm.js';

/** An open JVM: its memory and constants, and the readers of its heap, methods and code. */
export type Jvm = {
	readonly memory: Memory;
	readonly vm: Vm;
	readonly heap: Heap;
	readonly collections: Collections;
	readonly objects: ThreadObjects;
	readonly methods: Methods;
	readonly code: CodeCache;
	readonly interner: Interner;
};

/** Makes a JVM's readers, which get the ids of names and frames from `interner`. Throws `Unreadable`. */
export function readersOf(vm: Vm, interner: Interner): Jvm {
	const heap = new Heap(vm);
	const methods = new Methods(vm, interner);
	return {
		memory: vm.reader.memory,
		vm,
		heap,
		collections: new Collections(vm),
		objects: new ThreadObjects(vm, heap),
		methods,
		code: new CodeCache(vm, methods),
		interner,
	};
}
