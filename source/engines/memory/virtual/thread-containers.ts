import {BootClasses} from '../hotspot/boot-classes.js';
import {type Heap} from '../hotspot/heap.js';
import {klassName} from '../hotspot/methods.js';
import {type Vm} from '../hotspot/vm.js';
import {fail, ifReadable} from '../target/reader.js';
import {bounded} from './virtual-kinds.js';

const rootContainer = 'jdk.internal.vm.ThreadContainers$RootContainer$TrackingRootContainer';
const containers = 'jdk.internal.vm.ThreadContainers';
const virtualThread = 'java.lang.VirtualThread';
const map = 'java.util.concurrent.ConcurrentHashMap';
const setSignature = 'Ljava/util/Set;';

/** The field of each class of containers that has its virtual threads. */
const threadFields: ReadonlyMap<string, string> = new Map([
	['java.util.concurrent.ThreadPerTaskExecutor', 'threads'],
	['jdk.internal.vm.SharedThreadContainer', 'virtualThreads'],
]);

/** Maximum number of containers, of bins of a map, and of entries in a bin. */
const containerLimit = 10_000;
const binLimit = 1 << 26;
const entryLimit = 10_000;

/** A place in the list of all threads: the set, and the bin of its map. */
export type ContainerPlace = {set: number; bin: number};

/**
The virtual threads that the JDK keeps track of for thread dumps: those started directly, and those of executors
(jdk.internal.vm.ThreadContainers). All are in ConcurrentHashMaps, read while the program changes them: a thread may be
missed or listed twice. Objects must not move meanwhile. Methods throw `Unreadable`.
*/
export class ThreadContainers {
	readonly #vm: Vm;
	readonly #heap: Heap;
	readonly #classes: BootClasses;
	/** Offsets of fields by class and name; names of classes. Classes of the JDK are never unloaded. */
	readonly #offsets = new Map<string, number>();
	readonly #names = new Map<number, string>();

	constructor(vm: Vm, heap: Heap) {
		this.#vm = vm;
		this.#heap = heap;
		this.#classes = new BootClasses(vm, [rootContainer, containers, virtualThread]);
	}

	/** Whether the program has begun to use virtual threads, and they are kept track of. Never throws. */
	isInUse(): boolean {
		this.#classes.update();
		return this.#classes.get(rootContainer) !== undefined && this.virtualThreadKlass !== 0;
	}

	/** java.lang.VirtualThread; 0 if it is not found. */
	get virtualThreadKlass(): number {
		return this.#classes.get(virtualThread) ?? 0;
	}

	/** The maps of all sets of threads. */
	maps(): number[] {
		const found = [this.#mapIn(this.#staticSet(rootContainer, 'VTHREADS'))];
		const registry = this.#classes.get(containers) === undefined ? 0 : this.#mapIn(this.#staticSet(containers, 'CONTAINER_REGISTRY'));
		for (const {key} of this.keys(registry, 0)) {
			found.push(ifReadable(() => this.#mapOfContainer(key), 0));
			if (found.length >= containerLimit) {
				break;
			}
		}

		return found.filter(address => address !== 0);
	}

	/** Number of entries of a map. */
	size(address: number): number {
		const {reader} = this.#vm;
		const klass = this.#heap.klassOf(address);
		let size = signed(reader.bigWord(address + this.#offset(klass, 'baseCount', 'J')));
		const cells = this.#heap.reference(address + this.#offset(klass, 'counterCells', `[L${map.replaceAll('.', '/')}$CounterCell;`));
		if (cells !== 0) {
			for (const cell of this.#elements(cells)) {
				size += cell === 0 ? 0 : signed(reader.bigWord(cell + this.#offset(this.#heap.klassOf(cell), 'value', 'J')));
			}
		}

		return size;
	}

	/** The keys of a map from a bin on, each with its bin. */
	* keys(address: number, fromBin: number): Generator<{readonly key: number; readonly bin: number}> {
		if (address === 0) {
			return;
		}

		const table = this.#heap.reference(address + this.#offset(this.#heap.klassOf(address), 'table', `[L${map.replaceAll('.', '/')}$Node;`));
		if (table === 0) {
			return;
		}

		const {length, start, bytes} = this.#heap.elements(table);
		let [known, keyOffset, nextOffset] = [0, 0, 0];
		for (let bin = fromBin; bin < Math.min(length, binLimit); bin++) {
			let node = this.#firstNode(this.#heap.reference(start + (bytes * bin)));
			for (let left = entryLimit; node !== 0 && left > 0; left--) {
				const klass = this.#heap.klassOf(node);
				if (klass !== known) {
					keyOffset = this.#offset(klass, 'key', 'Ljava/lang/Object;');
					nextOffset = this.#offset(klass, 'next', `L${map.replaceAll('.', '/')}$Node;`);
					known = klass;
				}

				const key = this.#heap.reference(node + keyOffset);
				if (key !== 0) {
					yield {key, bin};
				}

				node = this.#heap.reference(node + nextOffset);
			}
		}
	}

	/** The first entry of a bin; 0 for one that is empty, or being moved to a larger table. */
	#firstNode(node: number): number {
		if (node === 0) {
			return 0;
		}

		const klass = this.#heap.klassOf(node);
		const name = this.#nameOf(klass);
		return name === `${map}$TreeBin`
			? this.#heap.reference(node + this.#offset(klass, 'first', `L${map.replaceAll('.', '/')}$TreeNode;`))
			: (name === `${map}$Node` ? node : 0);
	}

	* #elements(array: number): Generator<number> {
		const {length, start, bytes} = this.#heap.elements(array);
		for (let index = 0; index < Math.min(length, entryLimit); index++) {
			yield this.#heap.reference(start + (bytes * index));
		}
	}

	/** The map of the threads of the container in a weak reference; 0 if there is none. */
	#mapOfContainer(reference: number): number {
		const container = this.#heap.reference(reference + this.#offset(this.#heap.klassOf(reference), 'referent', 'Ljava/lang/Object;'));
		if (container === 0) {
			return 0;
		}

		const klass = this.#heap.klassOf(container);
		const field = threadFields.get(this.#nameOf(klass));
		return field === undefined ? 0 : this.#mapIn(this.#heap.reference(container + this.#offset(klass, field, setSignature)));
	}

	#staticSet(className: string, field: string): number {
		const klass = this.#classes.get(className) ?? fail();
		const mirror = this.#heap.reference(this.#classes.mirrorOf(klass), true);
		return this.#heap.reference(mirror + this.#offset(klass, field, setSignature));
	}

	/** The map behind a set made by ConcurrentHashMap.newKeySet; 0 for null. */
	#mapIn(set: number): number {
		return set === 0 ? 0 : this.#heap.reference(set + this.#offset(this.#heap.klassOf(set), 'map', `L${map.replaceAll('.', '/')};`));
	}

	#offset(klass: number, name: string, signature: string): number {
		const key = `${klass} ${name}`;
		const offset = this.#offsets.get(key) ?? this.#heap.inheritedOffset(klass, name, signature);
		bounded(this.#offsets).set(key, offset);
		return offset;
	}

	#nameOf(klass: number): string {
		const name = this.#names.get(klass) ?? klassName(this.#vm, klass);
		bounded(this.#names).set(klass, name);
		return name;
	}
}

function signed(word: bigint): number {
	return Number(BigInt.asIntN(64, word));
}
