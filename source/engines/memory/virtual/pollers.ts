import {type JdkObjects} from './jdk-objects.js';

const poller = 'sun.nio.ch.Poller';
const signature = 'Lsun/nio/ch/Poller;';

/** The classes whose static fields lead to all pollers. */
export const pollerClasses: readonly string[] = [poller];

/** A poller's map, and whether its threads wait to read (otherwise to write). */
export type PollerMap = {readonly map: number; readonly isRead: boolean};

/**
Finds the open files that virtual threads wait for: sun.nio.ch.Poller maps each to the thread that is parked until it is
ready. Objects must not move meanwhile. Methods throw `Unreadable`.
*/
export class Pollers {
	readonly #objects: JdkObjects;
	/** Descriptor and index of the map by thread id, as of when the maps were read. */
	readonly #files = new Map<number, {readonly fd: number; readonly poller: number}>();

	constructor(objects: JdkObjects) {
		this.#objects = objects;
	}

	/** Returns the maps of all pollers (descriptor to thread), in the same order each time. */
	maps(): PollerMap[] {
		const objects = this.#objects;
		if (objects.classes.get(poller) === undefined) {
			return [];
		}

		// JDK 22 to 26 and 27; 21 has static arrays instead.
		const group = objects.staticField(poller, 'POLLERS', 'Lsun/nio/ch/Poller$Pollers;') || objects.staticField(poller, 'POLLER_GROUP', 'Lsun/nio/ch/Poller$PollerGroup;');
		const field = (name: string, type: string) => group === 0 ? 0 : objects.field(group, name, type);
		const reading = [
			// Other pollers wait at this one.
			field('masterPoller', signature),
			...objects.elements(field('readPollers', `[${signature}`) || objects.staticField(poller, 'READ_POLLERS', `[${signature}`)),
			...Array.from(objects.entries(objects.mapOfSet(field('readPollers', 'Ljava/util/Set;'))), ({key}) => key),
		];
		const writing = objects.elements(field('writePollers', `[${signature}`) || objects.staticField(poller, 'WRITE_POLLERS', `[${signature}`));
		return [...reading.map(each => ({each, isRead: true})), ...Array.from(writing, each => ({each, isRead: false}))]
			.map(({each, isRead}) => ({map: each === 0 ? 0 : objects.field(each, 'map', 'Ljava/util/Map;'), isRead}));
	}

	/** Removes all files. */
	clear(): void {
		this.#files.clear();
	}

	/** Records that a thread waits for the descriptor `key` of the `index`-th map. */
	add(threadId: number, key: number, index: number): void {
		this.#files.set(threadId, {fd: this.#objects.integer(key), poller: index});
	}

	/** Returns the recorded file of a thread if it still waits for it; otherwise undefined. */
	fileOf(thread: number, id: number, maps: readonly PollerMap[]): {readonly fd: number; readonly isRead: boolean} | undefined {
		const file = this.#files.get(id);
		const found = file && maps.at(file.poller);
		return found && this.#objects.valueOf(found.map, file.fd, key => this.#objects.integer(key) === file.fd) === thread ? {fd: file.fd, isRead: found.isRead} : undefined;
	}
}
