import path from 'node:path';
import {readJson, type Fault, type JsonValue} from '../config/json-value.js';
import {
	stateKinds, type Probe, type TaskState, type ProbePoint, counterRoots, shippedProbes, type ProbeCounter,
} from '../model/task-probe.js';
import {printable, safe, type Printable} from '../util/printable.js';
import {readBundled} from '../util/bundle.js';
import {UserError} from '../runtime/errors.js';
import {readBytes} from '../jvm/system/proc.js';

const maxBytes = 1024 * 1024;

/** Reads a shipped probe by its name, or a file. Throws UserError (2) with every fault and its line. */
export function readProbe(nameOrFile: string): Probe {
	const isShipped = shippedProbes.includes(nameOrFile);
	const name = printable(isShipped ? nameOrFile : path.basename(nameOrFile).replace(/\.jsonc?$/, ''));
	const {probe, faults} = parseProbe(name, isShipped ? shippedText(nameOrFile) : textOf(nameOrFile));
	if (!probe) {
		throw new UserError(
			`the probe ${nameOrFile}: ${faults.map(({line, text}) => `line ${line}: ${text}`).join('; ')}`,
			{hint: 'docs/probes.md says what a probe has', exitCode: 2},
		);
	}

	return probe;
}

function shippedText(name: string): string {
	const bytes = readBundled(`probes/${name}.jsonc`);
	if (bytes === undefined) {
		throw new UserError(`the probe ${name} is missing from probes/ beside tprof-top's cli.js`, {
			hint: 'copy the whole dist folder, or install the package',
		});
	}

	return bytes.toString();
}

function textOf(file: string): string {
	const read = readBytes(file, maxBytes + 1);
	if ('code' in read) {
		throw read.code === 'ENOENT'
			? new UserError(`there is no probe "${file}"`, {
				hint: `a file, or one of ${shippedProbes.join(', ')}`,
				exitCode: 2,
			})
			: new UserError(`the probe ${file} cannot be read (${read.code})`, {exitCode: 2});
	}

	if (read.bytes.length > maxBytes) {
		throw new UserError(`${file} is too large for a probe`, {exitCode: 2});
	}

	return read.bytes.toString('utf8');
}

/** Maximum number of faults reported: one mistake may lead to many. */
const maxFaults = 20;
/** Bounds of a probe. The agent has 24 bits for sets of states, and two bytes for a point's index. */
const limits = {states: 24, points: 1000, kinds: 1000, counters: 100};
const probeMembers = ['about', 'states', 'points', 'kinds', 'exclude', 'counters'] as const;

/** Parses a probe file, JSON with comments. `probe` is undefined if there are any faults. */
export function parseProbe(
	name: Printable,
	text: string,
): {readonly probe: Probe | undefined; readonly faults: readonly Fault[]} {
	const faults: Fault[] = [];
	const {result: probe} = readJson(text, faults, root => probeIn(name, root));
	if (!probe && faults.length === 0) {
		faults.push({line: 1, text: safe`it is empty`});
	}

	return {probe: faults.length === 0 ? probe : undefined, faults: faults.slice(0, maxFaults)};
}

function probeIn(name: Printable, file: JsonValue): Probe {
	const members = knownMembers(file, 'a probe', probeMembers);
	const stateList = members.get('states');
	const states = stateList ? readStates(stateList) : file.fault(statesRule);
	const points = members.get('points')?.items('"points"').map(point => readPoint(point, states))
		?? file.fault('"points" must say where tasks go from state to state');
	const counters = members.get('counters')?.items('"counters"').map(counter => readCounter(counter)) ?? [];
	const kinds
		= members.get('kinds')?.properties('"kinds"').map(({name, key, value}) => ({
			className: className(key, name),
			path: fieldPath(value, '"kinds" has'),
		})) ?? [];
	for (const [what, {length}] of [['points', points], ['kinds', kinds], ['counters', counters]] as const) {
		if (length > limits[what]) {
			file.fault(`there are more than ${limits[what]} ${what}`);
		}
	}

	const excluded = members.get('exclude');
	return {
		name,
		about: printable(String(members.get('about')?.plain ?? '')),
		states,
		points: points.flatMap(point => point ?? []),
		kinds,
		exclude:
			excluded?.texts('"exclude"').flatMap(glob =>
				/^[\w.$*?]+$/.test(glob) ? [glob] : excluded.fault(`not a name of classes: "${glob}"`)) ?? [],
		counters: counters.flatMap(counter => counter ?? []),
	};
}

const statesRule = `a probe has 2 to ${limits.states} "states", and one of them is an "end"`;

function readStates(value: JsonValue): TaskState[] {
	const states = value.properties('"states"').map(({name, key, value: state}): TaskState => {
		if (!/^[\w-]{1,40}$/.test(name)) {
			key.fault(`a state's name has letters, digits, - and _: "${name}"`);
		}

		const members = knownMembers(state, `the state "${name}"`, ['is', 'title']);
		const kind = stateKinds.find(candidate => candidate === members.get('is')?.plain);
		if (!kind) {
			(members.get('is') ?? key).fault(`the state "${name}" must be one of these: ${
				stateKinds.map(candidate => `"is": "${candidate}"`).join(', ')
			}`);
		}

		return {id: name, title: printable(String(members.get('title')?.plain ?? name)), kind: kind ?? 'waiting'};
	});
	if (states.length < 2 || states.length > limits.states || !states.some(({kind}) => kind === 'end')) {
		value.fault(statesRule);
	}

	return states;
}

const pointMembers = ['method', 'at', 'task', 'to', 'from', 'new', 'subclasses', 'if', 'optional'] as const;

type Condition = Pick<ProbePoint, 'needsTrue' | 'number'>;

/** Reads a point of a probe; adds faults, and returns undefined if it cannot be used. */
function readPoint(value: JsonValue, states: readonly TaskState[]): ProbePoint | undefined {
	const members = knownMembers(value, 'a point', pointMembers);
	const method = methodOf(members.get('method'), value);
	const task = taskOf(members.get('task'), value);
	const to = toOf(members.get('to'), value, states);
	const from = members.get('from')?.items('"from"').map(state => stateOf(state, states));
	const at = atOf(members.get('at'));
	if (at === undefined) {
		return undefined;
	}

	const condition = conditionOf(members.get('if'));
	if (at === 'entry') {
		checkEntry(value, {source: task?.source, needsTrue: condition.needsTrue, method: method?.method});
	}

	const isNew = flag(members.get('new'), 'new');
	const goesTo = to === undefined ? undefined : states.at(to);
	if (isNew && goesTo?.kind === 'end') {
		value.fault('a new task does not begin with an end');
	}

	const withSubclasses = flag(members.get('subclasses'), 'subclasses');
	const isOptional = flag(members.get('optional'), 'optional');
	return method && task && to !== undefined
		? {
			...method,
			...task,
			...condition,
			at,
			to,
			from: from?.flatMap(state => state ?? []),
			isNew,
			withSubclasses,
			isOptional,
		}
		: undefined;
}

function atOf(value: JsonValue | undefined): 'entry' | 'exit' | undefined {
	const at = value?.plain ?? 'entry';
	if (at === 'entry' || at === 'exit') {
		return at;
	}

	value?.fault('"at" is "entry" or "exit"');
	return undefined;
}

function toOf(value: JsonValue | undefined, point: JsonValue, states: readonly TaskState[]): number | undefined {
	if (!value) {
		point.fault('a point has "to": the state that the task goes to');
		return undefined;
	}

	return stateOf(value, states);
}

/** Adds faults of a point at a method's entry, where its result and the object that it makes are not known yet. */
function checkEntry(value: JsonValue, {source, needsTrue, method}: {
	readonly source: ProbePoint['source'] | undefined;
	readonly needsTrue: ProbePoint['needsTrue'];
	readonly method: string | undefined;
}): void {
	if (source === 'result' || needsTrue) {
		value.fault('what a method returns is known at its exit: "at": "exit"');
	}

	if (source === 'this' && method === '<init>') {
		value.fault('an object is made at the exit of <init>: "at": "exit"');
	}
}

function methodOf(
	value: JsonValue | undefined,
	point: JsonValue,
): Pick<ProbePoint, 'className' | 'method' | 'descriptor'> | undefined {
	const text = typeof value?.plain === 'string' ? value.plain : '';
	const [, className, method, descriptor]
		= /^([\p{L}_$][\p{L}\p{N}_.$]*)#([\p{L}_$][\p{L}\p{N}_$]*|<init>)(\([\p{L}\p{N}_$/;[]*\)[\p{L}\p{N}_$/;[]+)?$/u
			.exec(text) ?? [];
	if (className === undefined || text.length > 1000) {
		(value ?? point)
			.fault(`a point has "method": package.Class#method, with the descriptor where one of several is meant; not "${text}"`);
		return undefined;
	}

	return {className: printable(className), method: printable(method), descriptor};
}

function taskOf(value: JsonValue | undefined, point: JsonValue): Pick<ProbePoint, 'source' | 'path'> | undefined {
	const text = typeof value?.plain === 'string' ? value.plain : '';
	const [, source, parameter, path] = /^(this|result|current|arg(\d{1,2}))(?:\.(.+))?$/.exec(text) ?? [];
	if (source === undefined || (path !== undefined && (!isFieldPath(path) || source === 'current'))) {
		(value ?? point)
			.fault('a point has "task": "this", "arg0", "arg1"..., "result" or "current", and fields behind it: "arg0.task"');
		return undefined;
	}

	return {source: parameter === undefined ? source as 'this' | 'result' | 'current' : Number(parameter), path};
}

function stateOf(value: JsonValue, states: readonly TaskState[]): number | undefined {
	const index = states.findIndex(({id}) => id === value.plain);
	if (index === -1) {
		value.fault(`there is no state "${String(value.plain)}" among "states"`);
		return undefined;
	}

	return index;
}

function conditionOf(value: JsonValue | undefined): Condition {
	if (!value) {
		return {needsTrue: false};
	}

	if (value.plain === 'true') {
		return {needsTrue: true};
	}

	let condition: Condition = {needsTrue: false};
	const conditions = value.plain === undefined
		? value.properties('"if"')
		: value.fault('"if" is "true" (the method returns that), or {"arg0": [...], "result": true}');
	for (const {name, key, value: wanted} of conditions) {
		const [, parameter] = /^arg(\d{1,2})$/.exec(name) ?? [];
		if (parameter !== undefined && !condition.number) {
			const values = wanted.items(`"${name}"`).flatMap(item =>
				/^(?:-?\d{1,9}|[\p{L}_$][\p{L}\p{N}_$]*)$/u.test(String(item.plain))
					? [String(item.plain)]
					: item.fault('a number, or the name of a constant of the class'));
			condition = {...condition, number: {parameter: Number(parameter), values}};
		} else if (name === 'result' && wanted.plain === true) {
			condition = {...condition, needsTrue: true};
		} else {
			key.fault('"if" has one parameter ("arg0", ...) with a list of numbers or constants, and "result": true');
		}
	}

	return condition;
}

function flag(value: JsonValue | undefined, name: string): boolean {
	if (value && typeof value.plain !== 'boolean') {
		value.fault(`"${name}" is true or false`);
	}

	return value?.plain === true;
}

/** Returns a class's name, with $ before inner classes; adds a fault if it cannot be one. */
function className(at: JsonValue, text: string): string {
	if (!/^[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)*$/u.test(text) || text.length > 400) {
		at.fault(`not a class: "${text}"; for example com.acme.Pool$Worker`);
	}

	return text;
}

/** Returns a path of fields and methods without parameters, separated by dots; adds a fault if it is not one. */
function fieldPath(value: JsonValue, what: string): string {
	const text = typeof value.plain === 'string' ? value.plain : '';
	if (!isFieldPath(text)) {
		value.fault(`${what} a path of fields and methods without parameters, for example "queue.size()"`);
	}

	return text;
}

function isFieldPath(text: string): boolean {
	return text.length <= 400
		&& /^[\p{L}_$][\p{L}\p{N}_$]*(?:\(\))?(?:\.[\p{L}_$][\p{L}\p{N}_$]*(?:\(\))?)*$/u.test(text);
}

/** Returns members by name; adds a fault for each unknown one. */
function knownMembers(value: JsonValue, what: string, known: readonly string[]): Map<string, JsonValue> {
	return new Map(value.properties(what).map(({name, key, value: member}) => {
		if (!known.includes(name)) {
			key.fault(`${what} has no "${name}": it has ${known.join(', ')}`);
		}

		return [name, member] as const;
	}));
}

/** Reads a counter of a probe; adds a fault and returns undefined if it is malformed. */
function readCounter(value: JsonValue): ProbeCounter | undefined {
	const members = knownMembers(value, 'a counter', ['name', ...counterRoots, 'read']);
	const [root, ...otherRoots] = counterRoots.filter(root => members.has(root));
	const path = members.get('read');
	const name = members.get('name')?.plain;
	if (root === undefined || otherRoots.length > 0 || !path || typeof name !== 'string') {
		value.fault('a counter has "name", "read" and one of "static", "worker" and "instance" with a class');
		return undefined;
	}

	const type = members.get(root)!;
	return {
		name: printable(name),
		root,
		className: className(type, String(type.plain)),
		path: fieldPath(path, '"read" must be'),
	};
}
