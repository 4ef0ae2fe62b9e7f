import {gunzipSync} from 'node:zlib';
import {Profile} from 'pprof-format';
import {expect} from 'vitest';
import {windowSnapshot} from '../../source/exports/common/window-snapshot.js';
import {unattributed} from '../../source/model/frame.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import {stateCode} from '../../source/model/thread-state.js';
import {safe} from '../../source/util/printable.js';
import {VarintReader} from '../../source/util/varints.js';
import {hostileSnapshot, randomSnapshot, serviceSnapshots} from '../exports/snapshots.js';
import {sumsByName} from '../helpers/sum.js';

const {first, whole} = serviceSnapshots();

/** A window with CPU time and events of all kinds; more bytes are known than one thread has allocated. */
export function eventsWindow(): Snapshot {
	const builder = new SnapshotBuilder();
	const [fast, slow] = [builder.addThread({key: 1, name: safe`fast`}), builder.addThread({key: 2, name: safe`slow`})];
	const [run, copy] = [1, 5].map(line => builder.addFrame('a.Main', line === 1 ? 'run' : 'copy', 'Main.java', line));
	const atCopy = builder.addStack([copy, run]);
	const unknown = builder.addStack([builder.addFrame(unattributed.className, unattributed.method, '', -1)]);
	builder.count(fast, atCopy, stateCode.RUNNABLE, 1, 1e9);
	builder.countEvent(fast, atCopy, 'alloc', 6e6);
	builder.countEvent(slow, atCopy, 'alloc', 2e6);
	builder.countEvent(slow, unknown, 'alloc', -1e6);
	builder.countEvent(fast, builder.addStack([builder.addFrame('a.NotFound', '<init>', '', -1), run]), 'exceptions', 12);
	builder.countEvent(fast, atCopy, 'starts', 3);
	return builder.build({session: {durationMs: 1000, eventsMs: 500, samples: 50, requestedIntervalMs: 20}});
}

/** What is sent in tests, and the labels of all of it. */
export const windows: Readonly<Record<string, Snapshot>> = {
	'a window': windowSnapshot(whole, first),
	'a session': whole,
	'hostile names': hostileSnapshot(),
	events: eventsWindow(),
	...Object.fromEntries([1, 2, 3].map(seed => [`random ${seed}`, randomSnapshot(seed)])),
};
export const labels = {
	service_name: 'shop', hostname: 'host-1', pid: '4711', jvm_version: '17.0.15', 'k8s.pod': 'shop-0',
};

/** A profile as a backend reads it; the same as those of backend/main.go. */
export type Decoded = {
	readonly Labels: Readonly<Record<string, string>>;
	readonly Type: string;
	readonly Period: number;
	readonly Start: number;
	/** Values by stack: "function:line" from the innermost frame on, joined by ";". */
	readonly Stacks: Readonly<Record<string, number>>;
};

/** The contents of a message's fields, all of which are bytes, by number. */
function contents(message: Uint8Array): Record<number, Uint8Array[]> {
	const reader = new VarintReader(message);
	const found: Record<number, Uint8Array[]> = {1: [], 2: []};
	for (let left = message.length; left > 0;) {
		const field = reader.span(() => {
			const tag = reader.number();
			expect(tag & 7).toBe(2);
			found[tag >> 3].push(reader.byteString());
		});
		left -= field.length;
	}

	return found;
}

/** The profiles in a body for Pyroscope. */
export function decodePush(body: Uint8Array): Decoded[] {
	const utf8 = (bytes: Uint8Array) => Buffer.from(bytes).toString();
	return contents(gunzipSync(body))[1].flatMap(series =>
		contents(series)[2].map(sample => {
			const pairs = contents(series)[1].map(pair => [1, 2].map(field => utf8(contents(pair)[field][0])));
			const named = Object.fromEntries(pairs) as Record<string, string>;
			const profile = Profile.decode(contents(sample)[1][0]);
			const text = (at: number | bigint) => profile.stringTable.strings[Number(at)];
			const [{type, unit}] = profile.sampleType;
			const frameOf = (id: number | bigint) => {
				const [{functionId, line}] = profile.location[Number(id) - 1].line;
				return `${text(profile.function[Number(functionId) - 1].name)}:${line}`;
			};

			return {
				Labels: named,
				Type: [
					named.__name__,
					text(type),
					text(unit),
					text(profile.periodType!.type),
					text(profile.periodType!.unit),
				].join(':'),
				Period: Number(profile.period),
				Start: Number(profile.timeNanos),
				Stacks: sumsByName(profile.sample.map(({locationId, value}) => [
					locationId.map(id => frameOf(id)).join(';'),
					Number(value[0]),
				])),
			};
		}));
}

/** The profiles in a body for a collector. */
export function decodeOtlp(body: Uint8Array): Decoded[] {
	const {resourceProfiles: [{resource, scopeProfiles: [{profiles}]}], dictionary} = JSON
		.parse(gunzipSync(body).toString()) as Record<string, any>;
	const {stringTable: strings, functionTable, locationTable, stackTable, attributeTable} = dictionary as Record<
		string,
		any
	>;
	const frameOf = (at: number) => {
		const [{functionIndex, line}] = locationTable[at].lines;
		return `${strings[functionTable[functionIndex].nameStrindex]}:${line}`;
	};

	const labelOf = (name: string, {stringValue}: any): [string, string] => [name, stringValue as string];
	return (profiles as any[]).map(({sampleType, samples, timeUnixNano, period}: any): Decoded => ({
		Labels: Object.fromEntries([
			...(resource.attributes as any[]).map(({key, value}) => labelOf(key as string, value)),
			...(samples as any[]).flatMap(({attributeIndices}) => attributeIndices as number[])
				.map(at => labelOf(strings[attributeTable[at].keyStrindex] as string, attributeTable[at].value)),
		]),
		Type: `${strings[sampleType.typeStrindex]}:${strings[sampleType.unitStrindex]}`,
		Period: Number(period),
		Start: Number(timeUnixNano),
		Stacks:
			sumsByName((samples as any[]).map(({stackIndex, values}): [string, number] => [
				(stackTable[stackIndex].locationIndices as number[]).map(at => frameOf(at)).join(';'),
				Number(values[0]),
			])),
	}));
}
