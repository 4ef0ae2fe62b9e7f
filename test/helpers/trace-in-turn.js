/*
A tracer that has a thread every other millisecond, as a sampler does: `node trace-in-turn.js NAME TID`, with the
process's name. Prints "ready" and goes on until its standard input ends. x86-64 only.
*/
import process from 'node:process';
import {setImmediate as turn} from 'node:timers/promises';
import koffi from 'koffi';

const request = {seize: 0x42_06, interrupt: 0x42_07, detach: 17};
const anyThread = 0x40_00_00_00;
const held = 1000;
const [name, tid] = [process.argv[2], Number(process.argv[3])];
const library = koffi.load(null);
const ptrace = library.func('long ptrace(long, int, intptr_t, intptr_t)');
const waitpid = library.func('int waitpid(int, int *, int)');
const usleep = library.func('int usleep(uint)');
process.title = name;
process.stdin.on('end', () => {
	process.exit();
}).resume();
console.log('ready');
for (;;) {
	if (ptrace(request.seize, tid, 0, 0) === 0) {
		ptrace(request.interrupt, tid, 0, 0);
		waitpid(tid, new Int32Array(1), anyThread);
		usleep(held);
		ptrace(request.detach, tid, 0, 0);
	}

	usleep(held);
	await turn();
}
