import {ifReadable} from '../target/memory-reader.js';
import {type JdkObjects} from './jdk-objects.js';

const rootContainer = 'jdk.internal.vm.ThreadContainers$RootContainer$TrackingRootContainer';
const containers = 'jdk.internal.vm.ThreadContainers';
const virtualThread = 'java.lang.VirtualThread';
const flockContainer = 'jdk.internal.misc.ThreadFlock$ThreadContainerImpl';
const setSignature = 'Ljava/util/Set;';
const scopeSignature = 'Ljdk/internal/vm/StackableScope;';

/** Classes whose static fields lead to the containers, and the classes of virtual threads and scopes. */
export const containerClasses: readonly string[] = [rootContainer, containers, virtualThread, flockContainer];

const threadsFieldByClass: ReadonlyMap<string, string> = new Map([
	['java.util.concurrent.ThreadPerTaskExecutor', 'threads'],
	['jdk.internal.vm.SharedThreadContainer', 'virtualThreads'],
]);

/** Bounds on containers, and on nested scopes of a thread. */
const containerLimit = 10_000;
const scopeLimit = 64;

/**
Finds the virtual threads that the JDK tracks for thread dumps (jdk.internal.vm.ThreadContainers): those started
directly, those of executors, and those in the scopes (StructuredTaskScope) that a thread has opened. All are in
ConcurrentHashMaps. Objects must not move meanwhile. Methods throw `Unreadable`.
*/
export class ThreadContainers {
	readonly #objects: JdkObjects;

	constructor(objects: JdkObjects) {
		this.#objects = objects;
	}

	/** Whether the program uses virtual threads and the JDK tracks them. Never throws. */
	isInUse(): boolean {
		this.#objects.classes.update();
		return this.#objects.classes.get(rootContainer) !== undefined && this.virtualThreadKlass !== 0;
	}

	get virtualThreadKlass(): number {
		return this.#objects.classes.get(virtualThread) ?? 0;
	}

	/** Whether a thread may have opened a StructuredTaskScope. */
	get mayHaveScopes(): boolean {
		return this.#objects.classes.get(flockContainer) !== undefined;
	}

	/** Returns the maps behind all sets of threads, except those of scopes. */
	maps(): number[] {
		const maps = [this.#objects.mapOfSet(this.#objects.staticField(rootContainer, 'VTHREADS', setSignature))];
		const registry = this.#objects.classes.get(containers) === undefined
			? 0
			: this.#objects.mapOfSet(this.#objects.staticField(containers, 'CONTAINER_REGISTRY', setSignature));
		for (const {key} of this.#objects.entries(registry)) {
			maps.push(ifReadable(() => this.#mapOfContainer(key), 0));
			if (maps.length >= containerLimit) {
				break;
			}
		}

		return maps.filter(address => address !== 0);
	}

	/** Returns the maps of the threads in the scopes that a java.lang.Thread has opened. */
	scopesOf(thread: number): number[] {
		const maps: number[] = [];
		let scope = this.#objects.field(thread, 'headStackableScopes', scopeSignature);
		for (let left = scopeLimit; scope !== 0 && left > 0; left--) {
			const flock = this.#objects.classOf(scope) === flockContainer
				? this.#objects.field(scope, 'flock', 'Ljdk/internal/misc/ThreadFlock;')
				: 0;
			if (flock !== 0) {
				maps.push(this.#objects.mapOfSet(this.#objects.field(flock, 'threads', setSignature)));
			}

			scope = this.#objects.field(scope, 'previous', scopeSignature);
		}

		return maps.filter(address => address !== 0);
	}

	/** Returns the map of the container in a weak reference; 0 if there is none. */
	#mapOfContainer(reference: number): number {
		const container = this.#objects.field(reference, 'referent', 'Ljava/lang/Object;');
		const name = container === 0 ? undefined : threadsFieldByClass.get(this.#objects.classOf(container));
		return name === undefined ? 0 : this.#objects.mapOfSet(this.#objects.field(container, name, setSignature));
	}
}
