import {getOrCreate} from '../../../model/get-or-create.js';
import {BootClasses} from '../hotspot/boot-classes.js';
import {type Heap} from '../hotspot/heap.js';
import {klassName} from '../hotspot/methods.js';
import {type Vm} from '../hotspot/vm.js';
import {fail, ifReadable} from '../target/reader.js';
import {bounded} from './virtual-kinds.js';

const mapClass = 'java.util.concurrent.ConcurrentHashMap';
const mapSignature = 'Ljava/util/concurrent/ConcurrentHashMap';

/** Maximum array elements, bins of a map, and entries of a bin that are read. */
const elementLimit = 10_000;
const binLimit = 1 << 26;
const entryLimit = 10_000;

/** An entry of a map: its key, its node, and the bin that it is in. */
export type MapEntry = {readonly key: number; readonly node: number; readonly bin: number};

/**
Reads objects of the JDK's own classes, which are never unloaded, by field names, and its ConcurrentHashMaps. While the
program changes a map, an entry may be missed or returned twice. Objects must not move meanwhile. Methods throw
`Unreadable`.
*/
export class JdkObjects {
	/** The classes whose static fields can be read. */
	readonly classes: BootClasses;
	readonly #vm: Vm;
	readonly #heap: Heap;
	/** Field offsets by class, then by name and type, NaN for a missing field; class names. */
	readonly #offsets = new Map<number, Map<string, number>>();
	readonly #names = new Map<number, string>();

	/** `classNames`: the classes of the boot loader whose static fields are read. */
	constructor(vm: Vm, heap: Heap, classNames: readonly string[]) {
		this.#vm = vm;
		this.#heap = heap;
		this.classes = new BootClasses(vm, classNames);
	}

	/** Returns the object in a field; 0 for null or a missing field. */
	field(object: number, name: string, signature: string): number {
		return this.#fieldOf(this.#heap.klassOf(object), object, name, signature);
	}

	/** Returns the object in a static field; 0 for null or a missing field. */
	staticField(className: string, name: string, signature: string): number {
		const klass = this.classes.get(className) ?? fail();
		const offset = this.#offsetOf(klass, name, signature);
		return Number.isNaN(offset) ? 0 : this.#heap.reference(this.#heap.reference(this.classes.mirrorOf(klass), true) + offset);
	}

	/** Returns the value of a java.lang.Integer. */
	integer(object: number): number {
		return this.#vm.reader.u32(this.#address(object, 'value', 'I'));
	}

	/** Returns the class name of an object, `com.acme.Foo$Bar`. */
	classOf(object: number): string {
		const klass = this.#heap.klassOf(object);
		return getOrCreate(bounded(this.#names), klass, () => klassName(this.#vm, klass));
	}

	/** Yields the elements of an array of objects, null as 0; nothing if the array is 0. */
	* elements(array: number): Generator<number> {
		const {length, start, bytes} = array === 0 ? {length: 0, start: 0, bytes: 0} : this.#heap.elements(array);
		for (let index = 0; index < Math.min(length, elementLimit); index++) {
			yield this.#heap.reference(start + (bytes * index));
		}
	}

	/** Returns the map of a set made by ConcurrentHashMap.newKeySet; 0 for null. */
	mapOfSet(set: number): number {
		return set === 0 ? 0 : this.field(set, 'map', `${mapSignature};`);
	}

	/** Returns the number of entries of a map. */
	size(map: number): number {
		let size = this.#long(map, 'baseCount');
		for (const cell of this.elements(this.field(map, 'counterCells', `[${mapSignature}$CounterCell;`))) {
			size += cell === 0 ? 0 : this.#long(cell, 'value');
		}

		return size;
	}

	/** Yields the entries of a map from a bin on; nothing if the map is 0. */
	* entries(map: number, fromBin = 0): Generator<MapEntry> {
		const {length, start, bytes} = this.#table(map);
		for (let bin = fromBin; bin < Math.min(length, binLimit); bin++) {
			yield * this.#entriesOfBin(start + (bytes * bin), bin);
		}
	}

	/** Returns the value of the key with this hash code that `isKey` accepts; 0 if there is none. */
	valueOf(map: number, hash: number, isKey: (key: number) => boolean): number {
		const {length, start, bytes} = this.#table(map);
		// As ConcurrentHashMap.spread does; the length is a power of two.
		const bin = (hash ^ (hash >>> 16)) & (length - 1);
		for (const {key, node} of length === 0 ? [] : this.#entriesOfBin(start + (bytes * bin), bin)) {
			if (isKey(key)) {
				return this.value(node);
			}
		}

		return 0;
	}

	/** Returns the value of an entry's node. */
	value(node: number): number {
		return this.field(node, 'val', 'Ljava/lang/Object;');
	}

	#table(map: number): {readonly length: number; readonly start: number; readonly bytes: number} {
		const table = map === 0 ? 0 : this.field(map, 'table', `[${mapSignature}$Node;`);
		return table === 0 ? {length: 0, start: 0, bytes: 0} : this.#heap.elements(table);
	}

	* #entriesOfBin(address: number, bin: number): Generator<MapEntry> {
		let node = this.#firstNode(this.#heap.reference(address));
		for (let left = entryLimit; node !== 0 && left > 0; left--) {
			const klass = this.#heap.klassOf(node);
			const key = this.#fieldOf(klass, node, 'key', 'Ljava/lang/Object;');
			if (key !== 0) {
				yield {key, node, bin};
			}

			node = this.#fieldOf(klass, node, 'next', `${mapSignature}$Node;`);
		}
	}

	/** Returns the first entry of a bin; 0 if it is empty, or being moved to a larger table. */
	#firstNode(node: number): number {
		const name = node === 0 ? '' : this.classOf(node);
		return name === `${mapClass}$TreeBin` ? this.field(node, 'first', `${mapSignature}$TreeNode;`) : (name === `${mapClass}$Node` ? node : 0);
	}

	#long(object: number, name: string): number {
		return Number(BigInt.asIntN(64, this.#vm.reader.bigWord(this.#address(object, name, 'J'))));
	}

	#fieldOf(klass: number, object: number, name: string, signature: string): number {
		const offset = this.#offsetOf(klass, name, signature);
		return Number.isNaN(offset) ? 0 : this.#heap.reference(object + offset);
	}

	#address(object: number, name: string, signature: string): number {
		const offset = this.#offsetOf(this.#heap.klassOf(object), name, signature);
		return Number.isNaN(offset) ? fail() : object + offset;
	}

	#offsetOf(klass: number, name: string, signature: string): number {
		const ofClass = getOrCreate(bounded(this.#offsets), klass, () => new Map<string, number>());
		return getOrCreate(ofClass, name + signature, () => ifReadable(() => this.#heap.inheritedOffset(klass, name, signature), Number.NaN));
	}
}
