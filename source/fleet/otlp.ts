import {gzipSync} from 'node:zlib';
import {Names} from '../exports/pprof/names.js';
import {timesOf, windowProfiles, type WindowProfile} from '../exports/pprof/window-profiles.js';
import {printable} from '../model/text.js';
import {version} from '../runtime/bundle.js';
import type {Protocol} from './sender.js';

/** OpenTelemetry's names of our labels. */
const attributeNames: Readonly<Record<string, string | undefined>> = {
	service_name: 'service.name', hostname: 'host.name', pid: 'process.pid', jvm_version: 'process.runtime.version',
};

/** OTLP profiles over HTTP with JSON (opentelemetry/proto/profiles/v1development, development version 1). */
export const otlp: Protocol = {
	headers: {'content-type': 'application/json', 'content-encoding': 'gzip', 'otlp-profiles-development-version': '1'},
	urlOf: engine => engine,
	encode(window, labels) {
		const names = new Names();
		const tables = new Tables(names);
		const {timeNanos, durationNanos, period} = timesOf(window.session);
		const profiles = windowProfiles(window, () => names).map(({type, state, samples}) => {
			const valueType = {typeStrindex: names.text(type), unitStrindex: names.text('nanoseconds')};
			return {
				sampleType: valueType,
				samples: samples.map(sample => ({stackIndex: tables.stack(sample), values: [String(sample.value)]})),
				timeUnixNano: String(timeNanos),
				durationNano: String(durationNanos),
				periodType: valueType,
				period: String(period),
				...(state ? {attributeIndices: [tables.attribute('thread.state', state)]} : {}),
			};
		});
		const attributes = Object.entries(labels).map(([key, value]) => attributeOf(attributeNames[key] ?? key, value));
		return gzipSync(JSON.stringify({
			resourceProfiles: [{resource: {attributes}, scopeProfiles: [{scope: {name: 'tprof-top', version}, profiles}]}],
			dictionary: tables.dictionary(),
		}));
	},
	problemIn(answer) {
		const {partialSuccess: {rejectedProfiles = 0, errorMessage = ''} = {}} = JSON.parse(answer || '{}') as {partialSuccess?: {rejectedProfiles?: string | number; errorMessage?: string}};
		return Number(rejectedProfiles) > 0 ? printable(`${rejectedProfiles} profiles of a window were rejected: ${errorMessage}`) : undefined;
	},
};

function attributeOf(key: string, value: string) {
	return {key, value: key === 'process.pid' ? {intValue: value} : {stringValue: value}};
}

/** The tables of a request. Entry 0 of each stands for none, so ids of pprof, which begin at 1, are indexes. */
class Tables {
	readonly #names: Names;
	readonly #attributes: unknown[] = [];
	readonly #stacks: unknown[] = [];

	constructor(names: Names) {
		this.#names = names;
	}

	stack({locationId}: WindowProfile['samples'][number]): number {
		return this.#stacks.push({locationIndices: locationId});
	}

	attribute(key: string, value: string): number {
		return this.#attributes.push({keyStrindex: this.#names.text(key), value: {stringValue: value}});
	}

	dictionary() {
		const {strings, functions, locations, mappings} = this.#names;
		return {
			mappingTable: [{}, ...mappings.map(({filename}) => ({filenameStrindex: filename}))],
			locationTable: [{}, ...locations.map(({mappingId, line}) => ({mappingIndex: mappingId, lines: line?.map(({functionId, line: number}) => ({functionIndex: functionId, line: String(number)}))}))],
			functionTable: [{}, ...functions.map(({name, systemName, filename}) => ({nameStrindex: name, systemNameStrindex: systemName, filenameStrindex: filename}))],
			linkTable: [{}],
			stringTable: strings.strings,
			attributeTable: [{}, ...this.#attributes],
			stackTable: [{}, ...this.#stacks],
		};
	}
}
