import {readFileSync} from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {readProbe, parseProbe} from '../../source/probes/probe-file.js';
import {shippedProbes} from '../../source/model/task-probe.js';
import {commandOf} from '../../source/tracing/task-session.js';
import {parseTaskReport} from '../../source/model/report-bytes.js';

const states = '"states": {"queued": {"is": "waiting"}, "busy": {"is": "running"}, "done": {"is": "end"}},';

test.each(shippedProbes)('the probe %s that ships is whole', name => {
	const probe = readProbe(name);
	expect(probe.about).not.toBe('');
	expect(Buffer.byteLength(commandOf(probe, {most: 1000, reportIntervalMs: 1000}))).toBeLessThan(64 * 1024);
});

test('the example of the docs is a probe, and becomes lines for the agent', () => {
	const docs = readFileSync(path.resolve(import.meta.dirname, '../../docs/probes.md'), 'utf8');
	const {probe, faults} = parseProbe(safe`example`, /```jsonc\n(.*?)```/s.exec(docs)![1]);
	expect(faults).toEqual([]);
	expect(commandOf(probe!, {most: 5000, reportIntervalMs: 100}).split('\n')).toEqual([
		'phase tasks',
		'most\t5000',
		'period\t100',
		'state\twaiting',
		'state\trunning',
		'state\tend',
		'point\tcom.acme.Scheduler\tsubmit\t(Lcom/acme/Job;)V\tentry\t0\t-\t0\t0\t-b\t-1\t-',
		'point\tcom.acme.Job\trun\t*\tentry\tthis\t-\t1\t1\t-s\t-1\t-',
		'point\tcom.acme.Scheduler\tfinished\t*\texit\t1\tjob\t2\t16777215\t-t\t0\t3,OK',
		'kind\tcom.acme.Job\tbody',
		'exclude\tcom.acme.Tick*',
		'counter\tinstance\tcom.acme.Scheduler\tqueue.size()',
		'',
	]);
});

describe('each fault has its line', () => {
	test.each([
		['"points": []\n"x"', '4: not JSON: comma expected'],
		[
			'"points": [],\n"poinst": []',
			'4: a probe has no "poinst": it has about, states, points, kinds, exclude, counters',
		],
		['"about": ""', '1: "points" must say where tasks go from state to state'],
		[
			'"points": [\n{"task": "this", "to": "done"}]',
			'4: a point has "method": package.Class#method, with the descriptor where one of several is meant; not ""',
		],
		[
			'"points": [{"method": "a.B.c", "task": "this", "to": "done"}]',
			'3: a point has "method": package.Class#method, with the descriptor where one of several is meant; not "a.B.c"',
		],
		[
			'"points": [{"method": "a.B#c", "to": "done"}]',
			'3: a point has "task": "this", "arg0", "arg1"..., "result" or "current", and fields behind it: "arg0.task"',
		],
		['"points": [{"method": "a.B#c", "task": "this", "to": "don"}]', '3: there is no state "don" among "states"'],
		[
			'"points": [{"method": "a.B#c", "task": "this",\n"to": "done", "from": ["x"]}]',
			'4: there is no state "x" among "states"',
		],
		[
			'"points": [{"method": "a.B#c", "task": "result", "to": "queued"}]',
			'3: what a method returns is known at its exit: "at": "exit"',
		],
		[
			'"points": [{"method": "a.B#<init>", "task": "this", "to": "queued"}]',
			'3: an object is made at the exit of <init>: "at": "exit"',
		],
		[
			'"points": [{"method": "a.B#c", "task": "this", "to": "done", "new": true}]',
			'3: a new task does not begin with an end',
		],
		[
			'"points": [{"method": "a.B#c", "task": "this", "to": "done", "at": "middle"}]',
			'3: "at" is "entry" or "exit"',
		],
		[
			'"points": [{"method": "a.B#c", "task": "this", "to": "done", "if": {"arg0": ["a b"]}}]',
			'3: a number, or the name of a constant of the class',
		],
		['"points": [],\n"kinds": {"a-b": "x"}', '4: not a class: "a-b"; for example com.acme.Pool$Worker'],
		[
			'"points": [],\n"kinds": {"a.B": "x()("}',
			'4: "kinds" has a path of fields and methods without parameters, for example "queue.size()"',
		],
		['"points": [],\n"exclude": ["a-b"]', '4: not a name of classes: "a-b"'],
		[
			'"points": [],\n"counters": [{"name": "n", "read": "size()"}]',
			'4: a counter has "name", "read" and one of "static", "worker" and "instance" with a class',
		],
	])('%s', (rest, fault) => {
		expect(parseProbe(safe`mine`, `{\n${states}\n${rest}}`).faults.map(({line, text}) => `${line}: ${text}`))
			.toContain(fault);
	});

	test('states', () => {
		expect(parseProbe(safe`x`, '{"states": {"a": {"is": "done"}}, "points": []}').faults.map(({text}) => text))
			.toEqual([
				'the state "a" must be one of these: "is": "waiting", "is": "running", "is": "end"',
				'a probe has 2 to 24 "states", and one of them is an "end"',
			]);
		const rule = {line: 1, text: 'a probe has 2 to 24 "states", and one of them is an "end"'};
		expect(parseProbe(safe`x`, '{"states": {"a": {"is": "end"}}, "points": []}').faults).toEqual([rule]);
		expect(parseProbe(safe`x`, '{"about": "x", "points": []}').faults).toEqual([rule]);
		expect(parseProbe(safe`x`, '').faults).toHaveLength(1);
		expect(parseProbe(safe`x`, '['.repeat(100_000)).probe).toBeUndefined();
	});

	test('no text makes it throw, or puts anything out of its place in a line for the agent', () => {
		fc.assert(fc.property(fc.json(), fc.string(), (json, text) => {
			expect(parseProbe(safe`x`, json).probe).toBeUndefined();
			expect(parseProbe(safe`x`, text).probe).toBeUndefined();
		}));
	});

	test('a file that is not there', () => {
		expect(() => readProbe('nothing-here')).toThrow('there is no probe "nothing-here"');
	});
});

test('any bytes are a report of tasks, or are refused', () => {
	const probe = readProbe('executors');
	fc.assert(fc.property(fc.uint8Array({maxLength: 200, max: 4}), bytes => {
		try {
			expect(parseTaskReport(Uint8Array.of(103, 2, ...bytes), probe).phase).toBe('tracing');
		} catch (error) {
			expect(error).toBeInstanceOf(RangeError);
		}
	}), {numRuns: 1000});
	expect(() => parseTaskReport(Uint8Array.of(1), probe)).toThrow('unknown report format');
});
