import {gzipSync} from 'node:zlib';
import {Names} from '../exports/pprof/profile-names.js';
import {periodOf, timesOf, windowProfiles} from '../exports/pprof/window-profiles.js';
import {printable} from '../util/printable.js';
import {version} from '../util/version.js';
import {periodAttribute, periodText} from './pyroscope.js';
import type {Protocol} from './sender.js';

/** OpenTelemetry's names of our labels. */
const attributeNames: Readonly<Record<string, string | undefined>> = {
	service_name: 'service.name', hostname: 'host.name', pid: 'process.pid', jvm_version: 'process.runtime.version',
	namespace: 'k8s.namespace.name', pod: 'k8s.pod.name', container: 'container.name',
};

/** Entry 0 of a table means none, so ids of pprof, which begin at 1, are indexes. */
const none = {};

/** The tables of names that profiles refer to. */
function tablesOf({strings, functions, locations, mappings}: Names) {
	return {
		mappingTable: [none, ...mappings.map(({filename}) => ({filenameStrindex: filename}))],
		locationTable: [
			none,
			...locations.map(({mappingId, line}) => ({
				mappingIndex: mappingId,
				lines: line?.map(({functionId, line: number}) => ({
					functionIndex: functionId,
					line: String(number),
				})),
			})),
		],
		functionTable: [
			none,
			...functions.map(({name, systemName, filename}) => ({
				nameStrindex: name,
				systemNameStrindex: systemName,
				filenameStrindex: filename,
			})),
		],
		stringTable: strings.strings,
	};
}

/** OTLP profiles over HTTP with JSON (opentelemetry/proto/profiles/v1development, development version 1). */
export const otlp: Protocol = {
	headers: {'content-type': 'application/json', 'content-encoding': 'gzip', 'otlp-profiles-development-version': '1'},
	urlOf: backend => backend,
	encode(window, labels) {
		const names = new Names();
		const [stacks, attributes]: readonly [unknown[], unknown[]] = [[none], [none]];
		const {timeNanos, durationNanos} = timesOf(window.session);
		const attribute = (key: string, stringValue: string) => {
			const attribute = {keyStrindex: names.text(key), value: {stringValue}};
			return attributes.push(attribute) - 1;
		};

		const profiles = windowProfiles(window, () => names).map(profile => {
			const {value, periodType, state, periodMs, samples} = profile;
			const typeOf = ({type, unit}: typeof value) => ({
				typeStrindex: names.text(type), unitStrindex: names.text(unit),
			});
			// Pyroscope and Parca make labels of the attributes of samples, but not of those of profiles.
			const attributeIndices = [
				...(periodMs === undefined ? [] : [attribute(periodAttribute, periodText(periodMs))]),
				...(state ? [attribute('thread.state', state)] : []),
			];
			return {
				sampleType: typeOf(value),
				samples: samples.map(({locationId, value}) => ({
					stackIndex: stacks.push({locationIndices: locationId}) - 1,
					values: [String(value)],
					attributeIndices,
				})),
				timeUnixNano: String(timeNanos),
				durationNano: String(durationNanos),
				periodType: typeOf(periodType),
				period: String(periodOf(profile)),
			};
		});
		// All as texts: backends select by them, and some drop numbers.
		const resource = {
			attributes: Object.entries(labels).map(([label, stringValue]) => {
				const key = attributeNames[label] ?? label;
				return {key, value: {stringValue}};
			}),
		};
		return gzipSync(JSON.stringify({
			resourceProfiles: [{resource, scopeProfiles: [{scope: {name: 'tprof-top', version}, profiles}]}],
			dictionary: {
				...tablesOf(names),
				linkTable: [none],
				attributeTable: attributes,
				stackTable: stacks,
			},
		}));
	},
	problemIn(answer) {
		const {partialSuccess: {rejectedProfiles = 0, errorMessage = ''} = {}} = JSON.parse(answer || '{}') as {
			partialSuccess?: {rejectedProfiles?: string | number; errorMessage?: string};
		};
		return Number(rejectedProfiles) > 0
			? printable(`${rejectedProfiles} profiles of a window were rejected: ${errorMessage}`)
			: undefined;
	},
};
