import {safe} from '../../util/printable.js';
import {getOrCreate} from '../../util/get-or-create.js';
import {isInvocationGlue} from '../../model/class-name.js';
import {nativeCodeLine, rootNode, unattributed, unknownLine} from '../../model/frame.js';
import {isJvmWork} from '../../model/jvm-stacks.js';
import type {Dictionary} from '../../model/snapshot.js';
import type {GroupBy, Location} from '../types/query.js';
import {isPseudoClass, type OwnCode} from './own-code.js';
import {locationKey, locationOfFrame} from './location.js';

/** Frames grouped by line, method or class. Group ids are dense; 0 is "no frame". */
export type Grouping = {
	readonly by: GroupBy;
	readonly locations: readonly Location[];
	readonly keys: readonly string[];
	readonly groupOfKey: ReadonlyMap<string, number>;
	readonly groupOfFrame: Int32Array;
	/** By node: 1 if no caller is of the same group, so that a recursive location counts once per stack. */
	readonly outermost: Uint8Array;
};

/** At which frame of their stack samples count. */
type Attribution = {
	/** By node: the node of the frame at which samples with this stack count; the root's is the root. */
	readonly attributed: Int32Array;
	/** Returns, by node, the innermost own frame that can count, else the innermost own frame, else as `attributed`. */
	ownAttributed(own: OwnCode): Int32Array;
	/** As `ownAttributed`, but a node without own frames has itself. */
	ownEnds(own: OwnCode): Int32Array;
};

type StackIndex = {
	/** The node of unattributed CPU time; 0 if there is none yet. */
	readonly unattributed: number;
	/**
	By node: itself or the first caller that is not native code, or else the outermost; undefined if none is native.
	*/
	readonly folded: Int32Array | undefined;
	/** By node: 1 if it and its caller are the JVM's own work, as `[jit] C2` below `[jit]`; undefined if none is. */
	readonly isBelowWork: Uint8Array | undefined;
	/** `isFirstLine`: only frames with a line number can count; otherwise Java methods without one can, too. */
	attribution(isFirstLine?: boolean): Attribution;
	grouping(by: GroupBy): Grouping;
};

/** By the strings of a session, the same append-only array in all its snapshots: ids never change their meaning. */
const indexes = new WeakMap<readonly string[], GrowingIndex>();

/** Returns the index of a dictionary, after adding what is new since the last call. */
export function stackIndex(dictionary: Dictionary): StackIndex {
	const index = getOrCreate(indexes, dictionary.strings, () => new GrowingIndex());
	index.update(dictionary);
	return index;
}

class GrowingIndex implements StackIndex {
	unattributed = 0;
	#isBelowWork = new Uint8Array(1);
	#hasWork = false;
	#hasNative = false;
	#folded = new Int32Array(1);
	#nodeCount = 1;
	#dictionary!: Dictionary;
	readonly #groupings = new Map<GroupBy, GrowingGrouping>();
	readonly #attributions = new Map<boolean, GrowingAttribution>();

	update(dictionary: Dictionary): void {
		this.#dictionary = dictionary;
		const {nodeCount, nodeParent, nodeFrame, frameLine, frameClass, strings} = dictionary;
		if (nodeCount <= this.#nodeCount) {
			return;
		}

		this.#folded = withRoom(this.#folded, nodeCount);
		this.#isBelowWork = withRoom(this.#isBelowWork, nodeCount);
		for (let node = this.#nodeCount; node < nodeCount; node++) {
			const isNative = frameLine[nodeFrame[node]] === nativeCodeLine;
			this.#hasNative ||= isNative;
			this.#folded[node] = isNative && nodeParent[node] !== rootNode ? this.#folded[nodeParent[node]] : node;
			const className = strings[frameClass[nodeFrame[node]]];
			const isBelowWork = nodeParent[node] !== rootNode && isJvmWork(className);
			this.#hasWork ||= isBelowWork;
			this.#isBelowWork[node] = Number(isBelowWork);
			if (nodeParent[node] === rootNode && className === unattributed.className) {
				this.unattributed = node;
			}
		}

		this.#nodeCount = nodeCount;
	}

	get folded(): Int32Array | undefined {
		return this.#hasNative ? this.#folded : undefined;
	}

	get isBelowWork(): Uint8Array | undefined {
		return this.#hasWork ? this.#isBelowWork : undefined;
	}

	attribution(isFirstLine = false): Attribution {
		const attribution = getOrCreate(this.#attributions, isFirstLine, () => new GrowingAttribution(isFirstLine));
		attribution.update(this.#dictionary);
		return attribution;
	}

	grouping(by: GroupBy): Grouping {
		const grouping = getOrCreate(this.#groupings, by, () => new GrowingGrouping(by));
		grouping.update(this.#dictionary);
		return grouping;
	}
}

/** Samples count at the innermost frame that can count; if none can, or native code is innermost, at the innermost. */
class GrowingAttribution implements Attribution {
	attributed = new Int32Array(1);
	/** By node: the first node from it to the root whose frame can count, or the root. */
	#nearest = new Int32Array(1);
	/** By frame: 1 if samples can count there. */
	#canCount = new Uint8Array(1);
	#frameCount = 1;
	#nodeCount = 1;
	#dictionary!: Dictionary;
	/** By class: whether its methods can count without a line number. */
	readonly #isProgram = new Map<number, boolean>();
	readonly #owns = new Map<string, GrowingOwn>();

	constructor(readonly isFirstLine: boolean) {}

	update(dictionary: Dictionary): void {
		this.#dictionary = dictionary;
		this.#addFrames(dictionary);
		const {nodeCount, nodeParent, nodeFrame, frameLine} = dictionary;
		this.attributed = withRoom(this.attributed, nodeCount);
		this.#nearest = withRoom(this.#nearest, nodeCount);
		for (let node = this.#nodeCount; node < nodeCount; node++) {
			const frame = nodeFrame[node];
			const nearest = this.#canCount[frame] === 1 ? node : this.#nearest[nodeParent[node]];
			this.#nearest[node] = nearest;
			this.attributed[node] = nearest === rootNode || frameLine[frame] === nativeCodeLine ? node : nearest;
		}

		this.#nodeCount = Math.max(this.#nodeCount, nodeCount);
	}

	ownAttributed(own: OwnCode): Int32Array {
		return this.#ofOwn(own).attributed;
	}

	ownEnds(own: OwnCode): Int32Array {
		return this.#ofOwn(own).ends;
	}

	#addFrames({frameCount, frameLine, frameClass, strings}: Dictionary): void {
		this.#canCount = withRoom(this.#canCount, frameCount);
		for (let frame = this.#frameCount; frame < frameCount; frame++) {
			const isMethod = frameLine[frame] === unknownLine && !this.isFirstLine
				&& getOrCreate(this.#isProgram, frameClass[frame], () => isProgramClass(strings[frameClass[frame]]));
			this.#canCount[frame] = Number(frameLine[frame] >= 0 || isMethod);
		}

		this.#frameCount = Math.max(this.#frameCount, frameCount);
	}

	#ofOwn(own: OwnCode): GrowingOwn {
		const growing = getOrCreate(this.#owns, own.key, () => new GrowingOwn(own));
		growing.update(this.#dictionary, this.#canCount, this.attributed);
		return growing;
	}
}

/** Whether a class has methods of a program: it is neither a pseudo-frame's nor does it only pass calls on. */
function isProgramClass(className: string): boolean {
	return className !== '' && !isPseudoClass(className) && !isInvocationGlue(className);
}

class GrowingOwn {
	attributed = new Int32Array(1);
	ends = new Int32Array(1);
	readonly #isOwnClass = new Map<number, boolean>();
	/** By node: the first own node from it to the root whose frame can count, or the root. */
	#countable = new Int32Array(1);
	/** By node: the first own node from it to the root, or the root. */
	#nearest = new Int32Array(1);
	#nodeCount = 1;

	constructor(readonly own: OwnCode) {}

	/** `canCount`: by frame; `defaults`: by node, where stacks without own frames count. */
	update(dictionary: Dictionary, canCount: Uint8Array, defaults: Int32Array): void {
		const {nodeCount, nodeParent, nodeFrame, frameLine, frameClass, strings} = dictionary;
		this.attributed = withRoom(this.attributed, nodeCount);
		this.ends = withRoom(this.ends, nodeCount);
		this.#countable = withRoom(this.#countable, nodeCount);
		this.#nearest = withRoom(this.#nearest, nodeCount);
		for (let node = this.#nodeCount; node < nodeCount; node++) {
			const frame = nodeFrame[node];
			const isOwn = frameLine[frame] !== nativeCodeLine
				&& getOrCreate(this.#isOwnClass, frameClass[frame], () => this.own.isOwn(strings[frameClass[frame]]));
			this.#countable[node] = isOwn && canCount[frame] === 1 ? node : this.#countable[nodeParent[node]];
			this.#nearest[node] = isOwn ? node : this.#nearest[nodeParent[node]];
			const end = this.#countable[node] || this.#nearest[node];
			this.attributed[node] = end || defaults[node];
			this.ends[node] = end || node;
		}

		this.#nodeCount = Math.max(this.#nodeCount, nodeCount);
	}
}

class GrowingGrouping implements Grouping {
	readonly locations: Location[] = [{className: safe``, method: safe``, file: safe``, line: -1}];

	readonly keys = [''];
	readonly groupOfKey = new Map<string, number>();
	groupOfFrame = new Int32Array(1);
	outermost = new Uint8Array(1);
	#frameCount = 1;
	#nodeCount = 1;

	constructor(readonly by: GroupBy) {}

	update(dictionary: Dictionary): void {
		this.#addFrames(dictionary);
		this.#addNodes(dictionary);
	}

	#addFrames(dictionary: Dictionary): void {
		const {frameCount} = dictionary;
		this.groupOfFrame = withRoom(this.groupOfFrame, frameCount);
		for (let frame = this.#frameCount; frame < frameCount; frame++) {
			const location = locationOfFrame(dictionary, frame, this.by);
			const key = locationKey(location, this.by);
			this.groupOfFrame[frame] = getOrCreate(this.groupOfKey, key, () => {
				this.keys.push(key);
				return this.locations.push(location) - 1;
			});
		}

		this.#frameCount = Math.max(this.#frameCount, frameCount);
	}

	/** Walks from each node's caller to the next one's, which is near, and counts the groups on the path. */
	#addNodes({nodeCount, nodeParent, nodeFrame}: Dictionary): void {
		if (nodeCount <= this.#nodeCount) {
			return;
		}

		this.outermost = withRoom(this.outermost, nodeCount);
		const {groupOfFrame, outermost} = this;
		const onPath = new Int32Array(this.locations.length);
		const groupOf = (node: number) => groupOfFrame[nodeFrame[node]];
		const down: number[] = [];
		let end = rootNode;
		for (let node = this.#nodeCount; node < nodeCount; node++) {
			// Callers have smaller ids: the node with the greater id is not on the other's path.
			for (let caller = nodeParent[node]; end !== caller;) {
				if (end > caller) {
					onPath[groupOf(end)]--;
					end = nodeParent[end];
				} else {
					down.push(caller);
					caller = nodeParent[caller];
				}
			}

			for (const passed of down) {
				onPath[groupOf(passed)]++;
			}

			down.length = 0;
			end = nodeParent[node];
			const group = groupOf(node);
			outermost[node] = onPath[group] === 0 ? 1 : 0;
		}

		this.#nodeCount = nodeCount;
	}
}

function withRoom<T extends Int32Array | Uint8Array>(array: T, length: number): T {
	if (length <= array.length) {
		return array;
	}

	const longer = new (array.constructor as new (length: number) => T)(Math.max(length, array.length * 2));
	longer.set(array);
	return longer;
}

/** Returns the innermost `depth` frames of a stack as lines, innermost first. */
export function framesOf(dictionary: Dictionary, from: number, depth = Infinity): Location[] {
	const {groupOfFrame, locations} = stackIndex(dictionary).grouping('line');
	const frames: Location[] = [];
	for (let node = from; node !== rootNode && frames.length < depth; node = dictionary.nodeParent[node]) {
		frames.push(locations[groupOfFrame[dictionary.nodeFrame[node]]]);
	}

	return frames;
}
