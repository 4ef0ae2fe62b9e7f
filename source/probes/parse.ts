import {readJson, type JsonValue} from '../config/json-value.js';
import type {Fault} from '../config/settings.js';
import {stateKinds, type Probe, type TaskState} from '../model/task-probe.js';
import {printable} from '../model/text.js';
import {
	className, fieldPath, knownMembers, readCounter, readPoint,
} from './points.js';

/** Most faults reported: one mistake may lead to many. */
const maxFaults = 20;
/** The agent has a bit for each state, and two bytes for a point. */
const most = {states: 24, points: 1000, kinds: 1000, counters: 100};
const names = ['about', 'states', 'points', 'kinds', 'exclude', 'counters'] as const;

/** What a probe file says: JSON with comments. `probe` is undefined where anything in it is wrong. */
export function parseProbe(name: string, text: string): {readonly probe: Probe | undefined; readonly faults: readonly Fault[]} {
	const faults: Fault[] = [];
	const {result: probe} = readJson(text, faults, root => readProbe(name, root));
	if (!probe && faults.length === 0) {
		faults.push({line: 1, text: 'it is empty'});
	}

	return {probe: faults.length === 0 ? probe : undefined, faults: faults.slice(0, maxFaults)};
}

function readProbe(name: string, file: JsonValue): Probe {
	const members = knownMembers(file, 'a probe', names);
	const states = readStates(members.get('states') ?? file);
	const points = members.get('points')?.items('"points"').map(point => readPoint(point, states)) ?? file.fault('"points" must say where tasks go from state to state');
	const counters = members.get('counters')?.items('"counters"').map(counter => readCounter(counter)) ?? [];
	const kinds = members.get('kinds')?.members('"kinds"').map(({name, key, value}) => ({className: className(key, name), path: fieldPath(value, '"kinds" has')})) ?? [];
	for (const [what, count] of Object.entries({points: points.length, kinds: kinds.length, counters: counters.length})) {
		if (count > most[what as keyof typeof most]) {
			file.fault(`there are more than ${most[what as keyof typeof most]} ${what}`);
		}
	}

	return {
		name,
		about: printable(String(members.get('about')?.plain ?? '')),
		states,
		points: points.flatMap(point => point ?? []),
		kinds,
		exclude: (members.get('exclude')?.texts('"exclude"') ?? []).filter(glob => /^[\w.$*?]+$/.test(glob) || members.get('exclude')!.fault(`not a name of classes: "${glob}"`).length > 0),
		counters: counters.flatMap(counter => counter ?? []),
	};
}

function readStates(value: JsonValue): TaskState[] {
	const states = value.members('"states"').map(({name, key, value: state}): TaskState => {
		if (!/^[\w-]{1,40}$/.test(name)) {
			key.fault(`a state's name has letters, digits, - and _: "${name}"`);
		}

		const members = new Map(state.members(`the state "${name}"`).map(member => [member.name, member]));
		for (const [word, {key: at}] of members) {
			if (word !== 'is' && word !== 'title') {
				at.fault(`a state has "is" and "title", not "${word}"`);
			}
		}

		const kind = stateKinds.find(candidate => candidate === members.get('is')?.value.plain);
		if (!kind) {
			(members.get('is')?.value ?? key).fault(`the state "${name}" must be one of these: ${stateKinds.map(candidate => `"is": "${candidate}"`).join(', ')}`);
		}

		return {id: name, title: printable(String(members.get('title')?.value.plain ?? name)), kind: kind ?? 'waiting'};
	});
	if (states.length === 0 || states.length > most.states || !states.some(({kind}) => kind === 'end')) {
		value.fault(`a probe has 2 to ${most.states} "states", and one of them is an "end"`);
	}

	return states;
}
