import {cached} from '../../../util/get-or-create.js';
import {type ArrayElements} from '../hotspot/heap.js';
import {type Jvm} from '../hotspot/jvm.js';
import {has} from '../hotspot/layout.js';
import {klassName, klassSymbol, symbolName} from '../hotspot/methods.js';
import {type Vm} from '../hotspot/vm.js';
import {fail, ifReadable} from '../target/memory-reader.js';

const mapClass = 'java.util.concurrent.ConcurrentHashMap';
const mapSignature = 'Ljava/util/concurrent/ConcurrentHashMap';

/** Bounds on elements of an array, bins of a map (slots of its hash table), and entries of a bin. */
const elementLimit = 10_000;
const binLimit = 1 << 26;
const entryLimit = 10_000;

const cachedClassNamesLimit = 1024;

/** From this release on, a class refers to its mirror by a handle, not by address (JDK-8186777). */
const firstWithMirrorHandles = 10;

/** An entry of a map: addresses of its key and node, and the index of its bin. */
export type MapEntry = {readonly key: number; readonly node: number; readonly bin: number};

/**
Reads objects of the JDK's own classes, which are never unloaded, by field names, and its ConcurrentHashMaps. While the
program changes a map, an entry may be missed or returned twice. Objects must not move meanwhile. Methods throw
`Unreadable`.
*/
export class JdkObjects {
	readonly classes: BootClasses;
	readonly #jvm: Jvm;
	readonly #classNames = new Map<number, string>();

	/** `classNames`: classes of the boot loader whose static fields can be read. */
	constructor(jvm: Jvm, classNames: readonly string[]) {
		this.#jvm = jvm;
		this.classes = new BootClasses(jvm.vm, classNames);
	}

	/** Returns the object in a field; 0 for null or a missing field. */
	field(object: number, name: string, signature: string): number {
		return this.#fieldOf(this.#jvm.heap.klassOf(object), object, name, signature);
	}

	/** Returns the object in a static field; 0 for null or a missing field. */
	staticField(className: string, name: string, signature: string): number {
		const klass = this.classes.get(className) ?? fail();
		return this.#fieldOf(klass, this.#mirrorOf(klass), name, signature);
	}

	/** Returns the address of a static field of a class. */
	staticAddress(className: string, name: string, signature: string): number {
		const klass = this.classes.get(className) ?? fail();
		return this.#mirrorOf(klass) + this.#jvm.heap.requiredOffset(klass, name, signature);
	}

	/** Returns the number in a field. */
	int(object: number, name: string): number {
		return this.#jvm.vm.reader.i32(this.#address(object, name, 'I'));
	}

	long(object: number, name: string): number {
		return Number(BigInt.asIntN(64, this.#jvm.vm.reader.bigWord(this.#address(object, name, 'J'))));
	}

	/** Returns the 64 bits of a field of type long. */
	big(object: number, name: string): bigint {
		return this.#jvm.vm.reader.bigWord(this.#address(object, name, 'J'));
	}

	/** Returns the String in a field; empty for null or a missing field. */
	text(object: number, name: string): string {
		const string = this.field(object, name, 'Ljava/lang/String;');
		return string === 0 ? '' : this.#jvm.heap.string(string);
	}

	/** Returns the number of elements of an array of objects. */
	length(array: number): number {
		return this.#jvm.heap.elements(array).length;
	}

	/** Returns an element of an array of objects; 0 for null. */
	element(array: number, index: number): number {
		const {length, start, bytes} = this.#jvm.heap.elements(array);
		return index < length ? this.#jvm.heap.reference(start + (bytes * index)) : fail();
	}

	/** Returns the object in the first field whose declared type begins and ends with these texts; 0 for none. */
	fieldEndingIn(object: number, start: string, end: string): number {
		const {heap} = this.#jvm;
		const field = heap.referenceFields(heap.klassOf(object)).find(({signature}) =>
			signature.startsWith(start) && signature.endsWith(end));
		return field ? heap.reference(object + field.offset) : 0;
	}

	/** Returns the class name of an object, `com.acme.Foo$Bar`. */
	classOf(object: number): string {
		const klass = this.#jvm.heap.klassOf(object);
		return cached(this.#classNames, klass, cachedClassNamesLimit, () => klassName(this.#jvm.vm, klass));
	}

	/** Yields the elements of an array of objects, null as 0; nothing if the array is 0. */
	* elements(array: number): Generator<number> {
		const {length, start, bytes} = this.#jvm.heap.elements(array);
		for (let index = 0; index < Math.min(length, elementLimit); index++) {
			yield this.#jvm.heap.reference(start + (bytes * index));
		}
	}

	/** Returns the map of a set made by ConcurrentHashMap.newKeySet; 0 for null. */
	mapOfSet(set: number): number {
		return set === 0 ? 0 : this.field(set, 'map', `${mapSignature};`);
	}

	/** Returns the number of entries of a map, as ConcurrentHashMap.sumCount does. */
	size(map: number): number {
		let size = this.long(map, 'baseCount');
		for (const cell of this.elements(this.field(map, 'counterCells', `[${mapSignature}$CounterCell;`))) {
			size += cell === 0 ? 0 : this.long(cell, 'value');
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
				return this.valueOfNode(node);
			}
		}

		return 0;
	}

	valueOfNode(node: number): number {
		return this.field(node, 'val', 'Ljava/lang/Object;');
	}

	#table(map: number): ArrayElements {
		return this.#jvm.heap.elements(map === 0 ? 0 : this.field(map, 'table', `[${mapSignature}$Node;`));
	}

	* #entriesOfBin(address: number, bin: number): Generator<MapEntry> {
		let node = this.#firstNode(this.#jvm.heap.reference(address));
		for (let left = entryLimit; node !== 0 && left > 0; left--) {
			const klass = this.#jvm.heap.klassOf(node);
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
		return name === `${mapClass}$TreeBin`
			? this.field(node, 'first', `${mapSignature}$TreeNode;`)
			: (name === `${mapClass}$Node` ? node : 0);
	}

	/** Returns the java.lang.Class object of a class, which has its static fields. */
	#mirrorOf(klass: number): number {
		const {vm: {reader, release, layout: {fields}}, heap} = this.#jvm;
		const slot = klass + fields.klassMirror;
		const mirror = heap.wideReference(release < firstWithMirrorHandles ? slot : reader.pointer(slot));
		return mirror === 0 ? fail() : mirror;
	}

	#fieldOf(klass: number, object: number, name: string, signature: string): number {
		const offset = this.#jvm.heap.fieldOffset(klass, name, signature);
		return has(offset) ? this.#jvm.heap.reference(object + offset) : 0;
	}

	#address(object: number, name: string, signature: string): number {
		return object + this.#jvm.heap.requiredOffset(this.#jvm.heap.klassOf(object), name, signature);
	}
}

/** Each hidden class may have a ClassLoaderData. */
const loaderLimit = 1 << 17;

/** Maximum number of classes that `update` checks. */
const classesPerUpdate = 256;

/** The same in the hash table of JDK 8 once all of it has been searched, and the bound on entries of a bucket. */
const laterClassesPerUpdate = 32;
const entriesPerBucket = 1024;

/** Finds classes loaded by the boot loader, by name. They are never unloaded. */
class BootClasses {
	readonly #vm: Vm;
	readonly #found = new Map<string, number>();
	readonly #wanted: ReadonlySet<string>;
	/** Lengths of the wanted names: other names need not be read. */
	readonly #lengths: ReadonlySet<number>;
	/** The boot loader's ClassLoaderData; 0 until found. */
	#loader = 0;
	/** The walk along the list of classes, newest first: the head when it began, the next class, and where it ends. */
	#newest = 0;
	#next = 0;
	#end = 0;
	/** The next bucket of the hash table of JDK 8, and whether all of it has been searched. */
	#bucket = 0;
	#isTableSearched = false;

	/** `names`: of the classes to find, with dots, in ASCII. */
	constructor(vm: Vm, names: readonly string[]) {
		this.#vm = vm;
		this.#wanted = new Set(names);
		this.#lengths = new Set(names.map(({length}) => length));
	}

	get(name: string): number | undefined {
		return this.#found.get(name);
	}

	/** Continues the search with a bounded number of classes. The loader's list has the newest class at its head. */
	update(): void {
		if (this.#found.size === this.#wanted.size) {
			return;
		}

		ifReadable(() => {
			const {reader, layout: {fields}} = this.#vm;
			if (!has(fields.loaderKlasses)) {
				this.#searchTable();
				return;
			}

			this.#loader = this.#loader === 0 ? this.#findLoader() : this.#loader;
			if (this.#next === this.#end) {
				this.#end = this.#newest;
				this.#newest = this.#loader === 0 ? 0 : reader.word(this.#loader + fields.loaderKlasses);
				this.#next = this.#newest;
			}

			for (let left = classesPerUpdate; left > 0 && this.#next !== this.#end && this.#next !== 0; left--) {
				this.#check(this.#next);
				this.#next = reader.word(this.#next + fields.klassNextLink);
			}
		}, undefined);
	}

	/**
	Continues the search in the hash table of JDK 8, more slowly once all of it has been searched. An entry refers to
	the next one by a pointer whose lowest bit is a mark.
	*/
	#searchTable(): void {
		const {reader, layout: {fields}} = this.#vm;
		const table = reader.pointer(fields.dictionary);
		const buckets = reader.pointer(table + fields.tableBuckets);
		const size = reader.u32(table + fields.tableSize);
		let left = this.#isTableSearched ? laterClassesPerUpdate : classesPerUpdate;
		for (; left > 0 && this.#bucket < size; this.#bucket++) {
			left--;
			let entry = reader.word(buckets + (8 * this.#bucket));
			for (let inBucket = entriesPerBucket; inBucket > 0 && entry > 1; inBucket--) {
				entry -= entry % 2;
				left--;
				// The boot loader's object is null.
				if (reader.word(reader.pointer(entry + fields.entryLoader) + fields.loaderObject) === 0) {
					this.#check(reader.pointer(entry + fields.entryClass));
				}

				entry = reader.word(entry + fields.entryNext);
			}
		}

		if (this.#bucket >= size) {
			this.#bucket = 0;
			this.#isTableSearched = true;
		}
	}

	#check(klass: number): void {
		const {reader, layout: {fields}} = this.#vm;
		const symbol = klassSymbol(this.#vm, klass);
		if (this.#lengths.has(reader.u16(symbol + fields.symbolLength))) {
			const name = symbolName(this.#vm, symbol);
			if (this.#wanted.has(name)) {
				this.#found.set(name, klass);
			}
		}
	}

	/** Returns the boot loader; 0 if not found. Its loader object is null; so may be those of hidden classes. */
	#findLoader(): number {
		const {reader, layout: {fields}} = this.#vm;
		let loader = reader.word(fields.loaderGraph);
		for (let left = loaderLimit; loader !== 0 && left > 0; left--) {
			if (
				reader.word(loader + fields.loaderObject) === 0
				&& reader.u8(loader + fields.loaderHasMirrorHolder) === 0
			) {
				return loader;
			}

			loader = reader.word(loader + fields.loaderNext);
		}

		return 0;
	}
}
