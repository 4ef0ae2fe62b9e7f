import {readFileSync, readdirSync} from 'node:fs';
import path from 'node:path';
import {gunzipSync} from 'node:zlib';
import {DumpParser} from '../../../source/engines/attach/dump/parser.js';
import {lockKinds, Sample, threadFlag} from '../../../source/model/sample.js';
import {SnapshotBuilder} from '../../../source/model/snapshot-builder.js';
import {type ThreadState, threadStates} from '../../../source/model/thread-state.js';
import {AttachClient} from '../../../source/engines/attach/socket/client.js';
import {IdleList} from '../../../source/jvm/threads/idle.js';
import {targetOf} from '../../helpers/target.js';
import {patienceMs} from '../../helpers/until.js';

const directory = path.resolve(import.meta.dirname, '../../fixtures/dumps');

/** Names of the dumps of real JVMs kept as fixtures: JDK release, then what was running. */
export const dumpNames = readdirSync(directory).filter(name => name.endsWith('.txt.gz')).map(name => name.slice(0, -'.txt.gz'.length));

export function dump(name: string): Buffer {
	return gunzipSync(readFileSync(path.join(directory, `${name}.txt.gz`)));
}

/** A row of a sample in words. */
export type Row = {
	key: number;
	nativeId: number;
	name: string;
	state: ThreadState;
	flags: string[];
	/** "Class.method:line", the top frame first. */
	frames: string[];
	/** "kind class", and who holds it, at which frame. */
	lock: string;
	owner: string;
	carrier: number;
};

/** Reads dumps one after the other as a session does, and puts its samples in words. */
export class DumpReading {
	readonly sample = new Sample();
	readonly parser: DumpParser;
	readonly #builder = new SnapshotBuilder();

	constructor() {
		this.parser = new DumpParser(this.#builder, {depth: Infinity, idle: new IdleList()});
	}

	/** The problem, or undefined and `rows()` is there. */
	parse(bytes: Buffer): string | undefined {
		return this.parser.parse(bytes, this.sample);
	}

	/** With the sample's CPU times, or as where none can be had. */
	settle(isCpuKnown = true): void {
		this.parser.frames.markIdle(this.sample, new Uint8Array(this.sample.count).fill(isCpuKnown ? 1 : 0), this.parser.attachListenerId);
	}

	rows(): Row[] {
		return wordsOf(this.sample, this.#builder);
	}
}

/** The sample in words, with the names that the builder interned. */
export function wordsOf(sample: Sample, builder: SnapshotBuilder): Row[] {
	const {dictionary} = builder.build();
	const {strings} = dictionary;
	const frameText = (frame: number) => `${strings[dictionary.frameClass[frame]]}.${strings[dictionary.frameMethod[frame]]}:${dictionary.frameLine[frame]}`;
	const rows: Row[] = [];
	for (let row = 0; row < sample.count; row++) {
		const owner = sample.lockOwner[row];
		const start = sample.stackStart[row];
		rows.push({
			key: sample.key[row],
			nativeId: sample.nativeId[row],
			name: sample.name[row],
			state: threadStates[sample.state[row]],
			flags: Object.entries(threadFlag).filter(([, bit]) => (sample.flags[row] & bit) !== 0).map(([name]) => name),
			frames: [...sample.frames.subarray(start, start + sample.stackLength[row])].map(frame => frameText(frame)),
			lock: sample.lockKind[row] === 0 ? '' : `${lockKinds[sample.lockKind[row]]} ${strings[sample.lockClass[row]]}`.trim(),
			owner: owner < 0 ? '' : `${sample.name[owner]}${sample.lockOwnerFrame[row] ? ` at ${frameText(sample.lockOwnerFrame[row])}` : ''}`,
			carrier: sample.carrier[row],
		});
	}

	return rows;
}

/** Reads one dump; throws when it cannot be counted. */
export function read(bytes: Buffer): Row[] {
	const reading = new DumpReading();
	const problem = reading.parse(bytes);
	if (problem) {
		throw new Error(problem);
	}

	return reading.rows();
}

/** Has a JVM dump its threads, and reads that. */
export async function dumpOf(java: {readonly pid: number}): Promise<Row[]> {
	const reply = await new AttachClient(await targetOf(java)).threadDump({timeoutMs: patienceMs});
	if (reply.status !== 'ok') {
		throw new Error(reply.reason);
	}

	return read(reply.bytes);
}
