import {nativeCodeLine, noFrame, otherFrame, rootNode, unknownLine, type Interner} from '../model/frame.js';
import {printable} from '../util/printable.js';
import {TupleIndex} from '../util/tuple-index.js';
import {otherName, otherNode, otherString} from './table-layout.js';
import type {TableViews} from './views.js';

/** Below all lines of frames. */
const noSuchLine = nativeCodeLine - 1;

/**
Writes the dictionary: strings, frames and the trie of stacks. Everything is appended beyond the published counts,
without the lock, and never changed. When a region is full, its "(other)" entry is used.
*/
export class DictionaryWriter implements Interner {
	stringCount = 0;
	/** Bytes in use by strings, including those skipped at the end of a slab. */
	byteCount = 0;
	readonly #views: TableViews;
	readonly #stringIds = new Map<string, number>();
	/** Tuples of class, method, file and line. */
	readonly #frames = new TupleIndex(4);
	/** Tuples of parent and frame. */
	readonly #nodes = new TupleIndex(2, 4096);
	/** In `internStack`: the nodes of the stack `like`, innermost first. */
	readonly #likeNodes: number[] = [];
	readonly #encoder = new TextEncoder();

	constructor(views: TableViews) {
		this.#views = views;
		this.internString('');
		this.internString(otherName);
		// `noFrame` is interned with another line than the table has: else frames without names and line would be it.
		this.internFrame(0, 0, 0, noSuchLine);
		views.regions.frames.frameLine.set(noFrame, unknownLine);
		this.internFrame(otherString, otherString, 0, unknownLine);
		this.#addNode(rootNode, noFrame);
		this.#addNode(rootNode, otherFrame);
	}

	get frameCount(): number {
		return this.#frames.size;
	}

	get nodeCount(): number {
		return this.#nodes.size;
	}

	internString(text: string): number {
		const safe = printable(text);
		return this.#stringIds.get(safe) ?? this.#addString(safe);
	}

	internFrame(classId: number, methodId: number, fileId: number, line: number): number {
		const index = this.#frames;
		index.key[0] = classId;
		index.key[1] = methodId;
		index.key[2] = fileId;
		index.key[3] = line;
		const found = index.find();
		if (found >= 0) {
			return found;
		}

		if (!this.#views.growFor('frames', index.size)) {
			return otherFrame;
		}

		const id = index.add();
		const {frames} = this.#views.regions;
		frames.frameClass.set(id, classId);
		frames.frameMethod.set(id, methodId);
		frames.frameFile.set(id, fileId);
		frames.frameLine.set(id, line);
		return id;
	}

	/**
	Returns the node of the stack with `length` frames from `start` (innermost) on. `like`: a stack that probably has
	the same callers; as long as frames are equal, its nodes are used, which is faster than a lookup. Throws if a frame
	was never interned.
	*/
	internStack(frames: Int32Array, start: number, length: number, like: number = rootNode): number {
		const index = this.#nodes;
		const {key} = index;
		const frameCount = this.#frames.size;
		const likeNodes = this.#likeNodes;
		let likeCount = 0;
		for (let caller = like; caller > otherNode; caller = index.get(caller, 0)) {
			likeNodes[likeCount++] = caller;
		}

		let node: number = rootNode;
		for (let at = start + length - 1; at >= start; at--) {
			const frame = frames[at];
			if (likeCount > 0 && index.get(likeNodes[--likeCount], 1) === frame) {
				node = likeNodes[likeCount];
				continue;
			}

			likeCount = 0;
			if (frame <= noFrame || frame >= frameCount) {
				throw new Error(`frame ${frame} was never interned`);
			}

			key[0] = node;
			key[1] = frame;
			const found = index.find();
			node = found > 0 ? found : this.#addNode(node, frame);
			if (node === otherNode) {
				return otherNode;
			}
		}

		return node;
	}

	frameOf(node: number): number {
		return this.#nodes.get(node, 1);
	}

	#addString(text: string): number {
		const bytes = this.#encoder.encode(text);
		const id = this.stringCount;
		const {strings, bytes: {value}} = this.#views.regions;
		const start = value.startFor(this.byteCount, bytes.length);
		if (!this.#views.growFor('strings', id) || !this.#views.growFor('bytes', start + bytes.length - 1)) {
			return otherString;
		}

		value.part(start, bytes.length).set(bytes);
		strings.start.set(id, start);
		strings.length.set(id, bytes.length);
		this.byteCount = start + bytes.length;
		this.stringCount++;
		this.#stringIds.set(text, id);
		return id;
	}

	#addNode(parent: number, frame: number): number {
		const index = this.#nodes;
		if (!this.#views.growFor('nodes', index.size)) {
			return otherNode;
		}

		index.key[0] = parent;
		index.key[1] = frame;
		const id = index.add();
		const {nodes} = this.#views.regions;
		nodes.nodeParent.set(id, parent);
		nodes.nodeFrame.set(id, frame);
		return id;
	}
}
