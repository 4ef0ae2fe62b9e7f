/*
Another tracer of threads: `node trace.js TID...` seizes them without stopping them, prints "ready", and lets them go by
its end, which comes with that of its standard input. x86-64 only.
*/
import process from 'node:process';
import koffi from 'koffi';

const seize = 0x42_06;
const ptrace = koffi.load(null).func('long ptrace(long, int, intptr_t, intptr_t)');
for (const tid of process.argv.slice(2).map(Number)) {
	if (ptrace(seize, tid, 0, 0) !== 0) {
		throw new Error(`thread ${tid} cannot be traced (errno ${koffi.errno()})`);
	}
}

console.log('ready');
process.stdin.on('end', () => {
	process.exit();
}).resume();
