import {Buffer} from 'node:buffer';
import {gunzipSync} from 'node:zlib';
import {piecesOf, type ExportOptions, type Written} from '../../source/exports/common/export-format.js';
import {formatOf} from '../../source/exports/formats/registry.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {sum} from '../helpers/sum.js';

/** Rows of a CSV document (RFC 4180) by the names in its header row; throws where it is not one. */
export function parseCsv(text: string): Array<Record<string, string>> {
	const records: string[][] = [];
	let record: string[] = [];
	let at = 0;
	while (at < text.length) {
		const match = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
		match.lastIndex = at;
		const found = match.exec(text);
		if (!found) {
			throw new Error(`no CSV at ${at}: ${text.slice(at, at + 40)}`);
		}

		record.push(found[1] === undefined ? found[2] : found[1].replaceAll('""', '"'));
		if (found[3] === '\r\n') {
			records.push(record);
			record = [];
		}

		at = match.lastIndex;
	}

	const [header, ...rows] = records;
	return rows.map(cells => {
		if (cells.length !== header.length) {
			throw new Error(`${cells.length} cells in a row of ${header.length}`);
		}

		return Object.fromEntries(header.map((name, index) => [name, cells[index]]));
	});
}

/** Lines of collapsed stacks, frames outermost first. */
export function parseCollapsed(text: string): Array<{count: number; frames: string[]}> {
	return [...text.matchAll(/^(.*) (\d+)\n/gm)].map(([, stack, count]) => ({count: Number(count), frames: stack.split(';')}));
}

/** The profiles of a speedscope file by name: stacks of frame names, outermost first. Throws where its schema is broken. */
export function parseSpeedscope(text: string): Map<string, Array<{count: number; frames: string[]}>> {
	const {$schema, shared, profiles, ...rest} = JSON.parse(text) as {$schema: string; shared: {frames: Array<Record<string, unknown>>}; profiles: Array<Record<string, unknown>>};
	const check = (isSo: boolean, rule: string) => {
		if (!isSo) {
			throw new Error(`not so: ${rule}`);
		}
	};

	const isNumbers = (values: unknown): values is number[] => Array.isArray(values) && values.every(value => typeof value === 'number');
	check($schema === 'https://www.speedscope.app/file-format-schema.json', 'it names the schema');
	check(Object.entries(rest).every(([key, value]) => ['name', 'exporter'].includes(key) && typeof value === 'string'), 'name and exporter are texts');
	for (const {name, file = '', line = 0, ...others} of shared.frames) {
		check(typeof name === 'string' && typeof file === 'string' && typeof line === 'number' && Object.keys(others).length === 0, 'a frame has a name, a file and a line');
	}

	return new Map(profiles.map(({type, name, unit, startValue, endValue, samples, weights, ...others}) => {
		check(type === 'sampled' && typeof name === 'string' && ['microseconds', 'none'].includes(String(unit)) && startValue === 0 && Object.keys(others).length === 0, 'a profile is a sampled one');
		check(isNumbers(weights) && Array.isArray(samples) && samples.length === weights.length && endValue === sum(weights), 'each sample has a weight');
		return [name as string, (samples as unknown[]).map((sample, index) => {
			check(isNumbers(sample) && sample.every(frame => frame in shared.frames), 'a sample has frames of the list');
			return {count: (weights as number[])[index], frames: (sample as number[]).map(frame => shared.frames[frame].name as string)};
		})];
	}));
}

type FlameSide = {readonly stackSteps: number[]; readonly states: number[]; readonly ticks: number[]; readonly cpuUs: number[]; readonly cpuScale: number};
type FlameData = {readonly names: string[]; readonly callerSteps: number[]; readonly frameOf: number[]; readonly threads: string[]; readonly now: FlameSide; readonly was?: FlameSide};

/** The data in a flame graph's page. */
export function parseFlameGraph(page: string): FlameData {
	const [, base64] = /<script type="text\/plain" id="data">([\w+/=]*)<\/script>/.exec(page)!;
	return JSON.parse(gunzipSync(Buffer.from(base64, 'base64')).toString()) as FlameData;
}

/** The stacks in it, frames outermost first: CPU microseconds, or ticks of some states. */
export function flameStacks({names, callerSteps, frameOf, now}: FlameData, states?: readonly number[]): Array<{count: number; frames: string[]}> {
	let stack = 0;
	return now.stackSteps.map((step, index) => {
		stack += step;
		const frames: string[] = [];
		for (let at = stack; at !== 0; at -= callerSteps[at]) {
			frames.unshift(names[frameOf[at]]);
		}

		return {frames, count: states ? (states.includes(now.states[index]) ? now.ticks[index] : 0) : now.cpuUs[index]};
	}).filter(({count}) => count > 0);
}

/** Stacks of the votes format. */
export function parseVotes(text: string): Array<{votes: number; fingerprint: string; frames: string[]}> {
	return text.split('\n\n').slice(0, -1).map(block => {
		const [head, ...frames] = block.split('\n');
		const [votes, fingerprint] = head.trim().split(' ');
		return {votes: Number(votes), fingerprint, frames: frames.map(frame => frame.slice(1))};
	});
}

/** A snapshot, or what came since another, in a format of text. */
export function textOf(id: string, snapshot: Snapshot, options: Partial<ExportOptions> = {}, since?: Snapshot): string {
	return String(whole(formatOf(id).write(snapshot, since, {query: defaultQuery, version: '1.2.3', ...options})));
}

/** A document as one text, or its bytes. */
export function whole(written: Written): string | Uint8Array {
	return written instanceof Uint8Array ? written : [...piecesOf(written)].join('');
}
