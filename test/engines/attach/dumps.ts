import {readFileSync, readdirSync} from 'node:fs';
import path from 'node:path';
import {gunzipSync} from 'node:zlib';
import {DumpParser} from '../../../source/engines/attach/dump/parser.js';
import {Sample} from '../../../source/model/sample.js';
import {AttachClient} from '../../../source/jvm/attach/client.js';
import {IdleList} from '../../../source/jvm/threads/idle.js';
import {targetOf} from '../../helpers/jvm.js';
import {patienceMs} from '../../helpers/until.js';
import {Names, rowsOf, type Row} from '../observe.js';

const directory = path.resolve(import.meta.dirname, '../../fixtures/dumps');

/** Names of the dumps of real JVMs kept as fixtures: JDK release, then what was running. */
export const dumpNames = readdirSync(directory).filter(name => name.endsWith('.txt.gz')).map(name =>
	name.slice(0, -'.txt.gz'.length));

export function dump(name: string): Buffer {
	return gunzipSync(readFileSync(path.join(directory, `${name}.txt.gz`)));
}

/** Reads dumps one after the other as a session does, and puts its samples in words. */
export class DumpReading {
	readonly sample = new Sample();
	readonly parser: DumpParser;
	readonly #names = new Names();

	constructor() {
		this.parser = new DumpParser(this.#names, {depth: Infinity, idle: new IdleList()});
	}

	/** The problem, or undefined and `rows()` is there. */
	parse(bytes: Buffer): string | undefined {
		return this.parser.parse(bytes, this.sample);
	}

	/** With the sample's CPU times, or as where none can be had. */
	settle(isCpuKnown = true): void {
		this.parser.frames.markIdle(
			this.sample,
			new Uint8Array(this.sample.count).fill(isCpuKnown ? 1 : 0),
			this.parser.attachListenerId,
		);
	}

	rows(): Row[] {
		return rowsOf(this.sample, this.#names);
	}
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
