import {randomUUID} from 'node:crypto';
import {gzipSync} from 'node:zlib';
import {encodeProfile, windowProfiles} from '../exports/pprof/window-profiles.js';
import {VarintWriter} from '../util/varints.js';
import type {Protocol} from './sender.js';

/**
The label that tells `open` the sampling error: of the periods in the profiles that it merges, Pyroscope keeps none. Its
value has milliseconds: `10ms`.
*/
export const periodLabel = 'sampling_period';
/** The same as an attribute of OTLP, whose names Pyroscope keeps. */
export const periodAttribute = 'sampling.period';

export function periodText(periodMs: number): string {
	return `${periodMs}ms`;
}

/** Returns the milliseconds in a value of the label; undefined if it is none of ours. */
export function periodIn(text: string): number | undefined {
	return /^\d{1,9}(?:\.\d{1,9})?ms$/.test(text) && Number.parseFloat(text) > 0 ? Number.parseFloat(text) : undefined;
}

/**
Pyroscope's push API (Connect with Protocol Buffers, push/v1/push.proto): CPU time, events and, by thread state, thread
time, each as pprof with one value. The profiles of a window have most names in common, so the body is compressed as a
whole.
*/
export const pyroscope: Protocol = {
	headers: {'content-type': 'application/proto', 'content-encoding': 'gzip'},
	urlOf(backend) {
		const url = new URL(backend);
		url.pathname = `${url.pathname.replace(/\/+$/, '')}/push.v1.PusherService/Push`;
		return url;
	},
	encode(window, labels) {
		// Field 1 of PushRequest: series. Of a series: 1 labels (1 name, 2 value), 2 samples (1 raw_profile, 2 ID).
		return gzipSync(message(windowProfiles(window).map(profile => {
			const {name: kind, state, periodMs} = profile;
			const named = {
				...labels,
				...(state ? {state} : {}),
				...(periodMs === undefined ? {} : {[periodLabel]: periodText(periodMs)}),
				__name__: kind,
			};
			const pairs = Object.entries(named).map(([name, value]) =>
				message([[1, name.replaceAll('.', '_')], [2, value]]));
			const sample = message([[1, encodeProfile(profile, window.session)], [2, randomUUID()]]);
			return [1, message([...pairs.map(pair => [1, pair] as const), [2, sample]])];
		})));
	},
	problemIn: () => undefined,
};

/** Returns a message of these fields, each a number with its bytes or text. */
function message(fields: ReadonlyArray<readonly [field: number, content: Uint8Array | string]>): Uint8Array {
	const writer = new VarintWriter();
	for (const [field, content] of fields) {
		// Wire type 2: bytes with their length.
		writer.number((field << 3) | 2);
		writer.byteString(content);
	}

	return writer.take();
}
