import {ifReadable} from '../target/reader.js';
import {type Vm} from './vm.js';
import {klassSymbol, symbolName} from './methods.js';

/** Maximum number of class loaders; hidden classes have one each. */
const loaderLimit = 1 << 17;

/** Maximum number of classes read in one call. */
const classesPerUpdate = 256;

/** Finds classes loaded by the boot loader, by name. They are never unloaded. */
export class BootClasses {
	readonly #vm: Vm;
	readonly #found = new Map<string, number>();
	readonly #wanted: ReadonlySet<string>;
	readonly #lengths: ReadonlySet<number>;
	#loader = 0;
	/** In the list of classes, newest first: its head when the walk began, the next class, and where the walk ends. */
	#newest = 0;
	#next = 0;
	#end = 0;

	/** `names`: of the classes to find, with dots, in ASCII. */
	constructor(vm: Vm, names: readonly string[]) {
		this.#vm = vm;
		this.#wanted = new Set(names);
		this.#lengths = new Set(names.map(({length}) => length));
	}

	/** Returns a class's address; undefined if it has not been found. */
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

	/** Returns the address of the slot with a class's mirror, which contains its static fields. Throws `Unreadable`. */
	mirrorOf(klass: number): number {
		return this.#vm.reader.pointer(klass + this.#vm.layout.fields.klassMirror);
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

	/** Returns the boot loader, whose loader object is null, as may be hidden classes'; 0 if not found. */
	#findLoader(): number {
		const {reader, layout: {fields}} = this.#vm;
		let loader = reader.word(fields.loaderGraph);
		for (let left = loaderLimit; loader !== 0 && left > 0; left--) {
			if (reader.word(loader + fields.loaderObject) === 0 && reader.u8(loader + fields.loaderHasMirrorHolder) === 0) {
				return loader;
			}

			loader = reader.word(loader + fields.loaderNext);
		}

		return 0;
	}
}
