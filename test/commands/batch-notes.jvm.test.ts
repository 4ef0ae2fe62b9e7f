import {expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {batchNotes} from '../../source/commands/batch.js';

test.each([
	['nothing to say', {phase: 'sampling', stale: false}, []],
	['samples that fail, and old counts', {phase: 'sampling', stale: true, note: safe`sampling fails: no answer`}, [
		'sampling fails: no answer',
		'the latest counts could not be read in time; these are older',
	]],
	['another tracer', {phase: 'sampling', stale: false, tracer: safe`gdb (process 4711)`}, [
		'gdb (process 4711) is tracing threads of this JVM; they are not sampled while it is attached',
	]],
	['the target\'s end', {phase: 'ended', stale: false, message: safe`the target ended`}, ['the target ended']],
	['a session that cannot go on', {phase: 'failed', stale: false, message: safe`the socket is gone`}, [
		'the socket is gone',
	]],
] as const)('%s', (_, status, notes) => {
	expect(batchNotes(status)).toEqual(notes);
});
