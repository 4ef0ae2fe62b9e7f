import {Buffer} from 'node:buffer';
import {gunzipSync} from 'node:zlib';
import {expect} from 'vitest';
import {piecesOf, type ExportOptions, type Written} from '../../source/exports/common/export-format.js';
import {formatOf} from '../../source/exports/formats/format-registry.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {sum} from '../helpers/sum.js';

/** Rows of a CSV document (RFC 4180) by the names in its header row; throws where it is not one. */
export function parseCsv(text: string): Array<Record<string, string>> {
	const fields = [...text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy)];
	expect(fields.map(([field]) => field).join('')).toBe(text);
	const lines: string[][] = [[]];
	for (const [, quoted, plain, end] of fields) {
		lines.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain);
		if (end === '\r\n') {
			lines.push([]);
		}
	}

	const [header, ...rows] = lines.slice(0, -1);
	expect(rows.filter(row => row.length !== header.length)).toEqual([]);
	return rows.map(row => Object.fromEntries(header.map((name, index) => [name, row[index]])));
}

/** Lines of collapsed stacks, frames outermost first. */
export function parseCollapsed(text: string): Array<{count: number; frames: string[]}> {
	return [...text.matchAll(/^(.*) (\d+)\n/gm)].map(([, stack, count]) => ({
		count: Number(count),
		frames: stack.split(';'),
	}));
}

type SpeedscopeFile = {
	readonly $schema: string;
	readonly shared: {readonly frames: ReadonlyArray<{readonly name: string}>};
	readonly profiles: ReadonlyArray<
		{
			readonly type: string;
			readonly name: string;
			readonly unit: string;
			readonly startValue: number;
			readonly endValue: number;
			readonly samples: ReadonlyArray<readonly number[]>;
			readonly weights: readonly number[];
		}
	>;
};

/**
The profiles of a speedscope file by name: stacks of frame names, outermost first. Throws where its schema is broken.
*/
export function parseSpeedscope(text: string): Map<string, Array<{count: number; frames: string[]}>> {
	const {$schema, shared: {frames}, profiles} = JSON.parse(text) as SpeedscopeFile;
	expect($schema).toBe('https://www.speedscope.app/file-format-schema.json');
	return new Map(profiles.map(({type, name, unit, startValue, endValue, samples, weights}) => {
		expect({type, startValue, endValue, samples: samples.length}).toEqual({
			type: 'sampled',
			startValue: 0,
			endValue: sum(weights),
			samples: weights.length,
		});
		expect(unit).toBe(name === 'CPU time' ? 'microseconds' : (name === 'bytes allocated' ? 'bytes' : 'none'));
		return [
			name,
			samples.map((sample, index) => ({count: weights[index], frames: sample.map(frame => frames[frame].name)})),
		];
	}));
}

type FlameSide = {
	readonly stackSteps: number[];
	readonly states: number[];
	readonly ticks: number[];
	readonly amounts: number[];
	readonly amountScale: number;
};
type FlameData = {
	readonly names: string[];
	readonly callerSteps: number[];
	readonly frameOf: number[];
	readonly threads: string[];
	readonly unit: string;
	readonly amountTitle: string;
	readonly now: FlameSide;
	readonly was?: FlameSide;
};

/** The data in a flame graph's page. */
export function parseFlameGraph(page: string): FlameData {
	const [, base64] = /<script type="text\/plain" id="data">([\w+/=]*)<\/script>/.exec(page)!;
	return JSON.parse(gunzipSync(Buffer.from(base64, 'base64')).toString()) as FlameData;
}

/** The stacks in it, frames outermost first: their amounts, or ticks of some states. */
export function flameStacks(
	{names, callerSteps, frameOf, now}: FlameData,
	states?: readonly number[],
): Array<{count: number; frames: string[]}> {
	let stack = 0;
	return now.stackSteps.map((step, index) => {
		stack += step;
		const frames: string[] = [];
		for (let at = stack; at !== 0; at -= callerSteps[at]) {
			frames.unshift(names[frameOf[at]]);
		}

		const ticks = states?.includes(now.states[index]) ? now.ticks[index] : 0;
		return {frames, count: states ? ticks : now.amounts[index]};
	}).filter(({count}) => count > 0);
}

/** Stacks of the votes format. */
export function parseVotes(text: string): Array<{votes: number; fingerprint: string}> {
	return [...text.matchAll(/^ *(\d+) ([\da-f]{32})$/gm)].map(([, votes, fingerprint]) => ({
		votes: Number(votes),
		fingerprint,
	}));
}

/** A snapshot, or what came since another, in a format of text. */
export function textOf(id: string, snapshot: Snapshot, options: Partial<ExportOptions> = {}, since?: Snapshot): string {
	return String(whole(formatOf(id).write(snapshot, since, {query: defaultQuery, version: '1.2.3', ...options})));
}

/** A document as one text, or its bytes. */
export function whole(written: Written): string | Uint8Array {
	return written instanceof Uint8Array ? written : [...piecesOf(written)].join('');
}
