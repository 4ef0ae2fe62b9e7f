import {gzipSync} from 'node:zlib';
import {
	Profile, StringTable, type FunctionInput, type LocationInput, type SampleInput,
} from 'pprof-format';
import {noFrame, rootNode} from '../../model/frame.js';
import {piecesOf} from '../../model/schema.js';
import {threadFlag} from '../../model/sample.js';
import {engineName, type Snapshot} from '../../model/snapshot.js';
import {threadStates} from '../../model/thread-state.js';
import {settledCounters} from '../../query/counters/aligned.js';
import type {ExportFormat} from '../formats/export-format.js';
import {windowSnapshot} from '../formats/window-snapshot.js';
import {pprofTraces} from '../traces/pprof.js';
import {labelKey, placeholders} from './names.js';
import {withSession} from './session.js';

const nsPerMs = 1_000_000;

/** The only format that tprof-top can open again. It holds everything, not only what the view shows. */
export const pprof: ExportFormat = {
	id: 'pprof',
	title: 'pprof',
	extension: '.pb.gz',
	usualFor: 'save',
	description: 'the whole snapshot: opens again with tprof-top open, in go tool pprof and in speedscope',
	streaming: false,
	binary: true,
	traces: pprofTraces,
	write: (snapshot, baseline, {version}) => writePprof(windowSnapshot(snapshot, baseline), version),
};

/**
The snapshot as gzip-compressed pprof (https://github.com/google/pprof/blob/main/proto/profile.proto): one sample for
each counter; values ticks (count), CPU (nanoseconds), and the records and samples that these rest on (counts); labels
for thread and state. A comment that starts with `#` (which pprof tools do not print) holds the session, so that
`readPprof` gives the snapshot back. The same snapshot always gives the same bytes.
*/
export function writePprof(original: Snapshot, version: string): Uint8Array {
	const counters = settledCounters(original.dictionary, original.counters);
	const snapshot: Snapshot = {...original, counters};
	const {target, session} = snapshot;
	const tables = new Tables(snapshot);
	const text = (value: string) => tables.strings.dedup(value);
	const mapping = {
		id: 1, filename: text(target.mainClass || 'java'), hasFunctions: true, hasFilenames: true, hasLineNumbers: true, hasInlineFrames: true,
	};
	const sample = Array.from({length: counters.count}, (_, counter) => tables.sample(counter));
	const hasCpu = counters.cpuNs.subarray(0, counters.count).some(ns => ns > 0);
	const ticksType = {type: text('ticks'), unit: text('count')};
	const cpuType = {type: text('cpu'), unit: text('nanoseconds')};
	const profile = new Profile({
		sampleType: [ticksType, cpuType, {type: text('records'), unit: text('count')}, {type: text('samples'), unit: text('count')}],
		sample,
		mapping: [mapping],
		location: tables.locations,
		function: tables.functions,
		timeNanos: BigInt(Math.round(sane(session.startedAtMs))) * BigInt(nsPerMs),
		durationNanos: Math.round(sane(session.durationMs) * nsPerMs),
		periodType: {type: text('wall'), unit: text('nanoseconds')},
		period: Math.round(sane(session.intervalMs) * nsPerMs),
		// The last one is the session, which is added behind all other strings.
		comment: [...readableComments(snapshot, version).map(line => text(line)), tables.strings.strings.length],
		defaultSampleType: hasCpu ? cpuType.type : ticksType.type,
		stringTable: tables.strings,
	});
	return gzipSync(withSession(profile.encode(), snapshot));
}

/** The number, or 0 for a negative one, an infinite one or none. */
function sane(value: number): number {
	return value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : 0;
}

function readableComments({target, session}: Snapshot, version: string): string[] {
	return [
		`tprof-top ${version}`,
		`pid ${target.pid} ${target.command || target.mainClass}`,
		`JVM ${target.jvmVersion} ${target.vm}`,
		`engine ${engineName(session)} interval ${Math.round(session.intervalMs)} ms samples ${session.samples} late ${session.late} failed ${session.failed}`,
	];
}

class Tables {
	readonly strings = new StringTable();
	readonly functions: FunctionInput[] = [];
	readonly locations: LocationInput[] = [];
	readonly #snapshot: Snapshot;
	readonly #functionIds = new Map<string, number>();
	readonly #locationOfFrame = new Map<number, number>();
	readonly #stackOfNode = new Map<number, number[]>();
	readonly #placeholders = new Map<string, number>();

	constructor(snapshot: Snapshot) {
		this.#snapshot = snapshot;
	}

	/** Location id of a frame, 0 for no frame. */
	location(frame: number): number {
		if (frame === noFrame) {
			return 0;
		}

		const known = this.#locationOfFrame.get(frame);
		if (known !== undefined) {
			return known;
		}

		const {strings, frameClass, frameMethod, frameFile, frameLine} = this.#snapshot.dictionary;
		const functionId = this.#function(strings[frameClass[frame]], strings[frameMethod[frame]], strings[frameFile[frame]]);
		const id = this.#addLocation(functionId, Math.max(frameLine[frame], 0));
		this.#locationOfFrame.set(frame, id);
		return id;
	}

	/** Location ids of a stack, innermost first. */
	stack(node: number): number[] {
		const known = this.#stackOfNode.get(node);
		if (known) {
			return known;
		}

		const {nodeParent, nodeFrame} = this.#snapshot.dictionary;
		const stack = [];
		for (let at = node; at !== rootNode; at = nodeParent[at]) {
			stack.push(this.location(nodeFrame[at]));
		}

		this.#stackOfNode.set(node, stack);
		return stack;
	}

	sample(counter: number): SampleInput {
		const {counters, threads} = this.#snapshot;
		const thread = counters.thread[counter];
		const text = (value: string) => this.strings.dedup(value);
		const label = [
			{key: text(labelKey.thread), str: text(threads.name[thread])},
			{key: text(labelKey.javaId), num: threads.key[thread]},
			{key: text(labelKey.state), str: text(threadStates[counters.state[counter]])},
		];
		if (threads.nativeId[thread] > 0) {
			label.push({key: text(labelKey.tid), num: threads.nativeId[thread]});
		}

		return {
			locationId: counters.node[counter] === rootNode ? [this.#placeholder(threads.flags[thread])] : this.stack(counters.node[counter]),
			value: [counters.ticks[counter], Math.round(counters.cpuNs[counter]), piecesOf(counters.cpuNs[counter] / 1000, counters.squaredUs[counter]), piecesOf(counters.ticks[counter], counters.squaredTicks[counter])],
			label,
		};
	}

	/** Without a location, tools would leave the CPU time of threads without Java frames out of the picture. */
	#placeholder(flags: number): number {
		const name = (flags & threadFlag.vmInternal) ? placeholders.vm : ((flags & threadFlag.compiler) ? placeholders.jit : placeholders.other);
		let id = this.#placeholders.get(name);
		if (id === undefined) {
			id = this.#addLocation(this.#function('', name, ''), 0);
			this.#placeholders.set(name, id);
		}

		return id;
	}

	#addLocation(functionId: number, line: number): number {
		const id = this.locations.length + 1;
		this.locations.push({id, mappingId: 1, line: [{functionId, line}]});
		return id;
	}

	#function(className: string, method: string, file: string): number {
		const key = `${className}\0${method}\0${file}`;
		const known = this.#functionIds.get(key);
		if (known !== undefined) {
			return known;
		}

		const id = this.functions.length + 1;
		const fullName = className === '' ? method : `${className}.${method}`;
		const name = this.strings.dedup(fullName);
		this.functions.push({
			id, name, systemName: name, filename: this.strings.dedup(file),
		});
		this.#functionIds.set(key, id);
		return id;
	}
}
