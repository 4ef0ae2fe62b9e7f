/*
Records, in an emulated arm64 machine, stacks of running threads with the memory that their walks read: test data in
test/fixtures/memory-arm64. build/arm64-test.js puts it into the machine's folder /root/check/test/engine, beside the
classes of KnownCalls. Arguments: the process of KnownCalls, once it has said "ready", and the file to write.
*/
import {writeFileSync} from 'node:fs';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {CpuRings} from '../../source/engines/memory/cpu/perf/cpu-rings.js';
import {loadPerfCalls} from '../../source/engines/memory/cpu/perf/perf-calls.js';
import {type PerfRecord} from '../../source/engines/memory/cpu/perf/perf-ring.js';
import {readersOf} from '../../source/engines/memory/hotspot/jvm.js';
import {resolveLayout} from '../../source/engines/memory/hotspot/layout.js';
import {findSymbols, readVmStructs} from '../../source/engines/memory/hotspot/vm-structs.js';
import {openVm} from '../../source/engines/memory/hotspot/vm.js';
import {ProcessMemory} from '../../source/engines/memory/target/memory.js';
import {Reader} from '../../source/engines/memory/target/memory-reader.js';
import {ownArchitecture} from '../../source/engines/memory/target/own-architecture.js';
import {JavaThreads} from '../../source/engines/memory/threads/java-threads.js';
import {NativeIds} from '../../source/jvm/threads/native-ids.js';
import {RecordingMemory, type RecordedThread} from '../engines/memory/image-memory.js';
import {ProgramSource} from '../engines/memory/legal-calls.js';
import {Names} from '../engines/observe.js';
import {RecordWalker} from './record-walker.js';

/** Stacks of each kind of code, and their largest size: the files must be small. */
const wantedOfKind = 6;
const maxStackBytes = 9000;
const maxRounds = 60;

const [pidText, file] = process.argv.slice(2);
const pid = Number(pidText);
const symbols = findSymbols(pid);
const recording = new RecordingMemory(new ProcessMemory(pid));
const reader = new Reader(recording);
const vm = openVm(reader, resolveLayout(readVmStructs(reader, symbols)), ownArchitecture);
const names = new Names();
const jvm = readersOf(vm, names);
const walker = new RecordWalker(jvm, names);
const source = new ProgramSource('KnownCalls');
const rings = CpuRings.open(loadPerfCalls(), pid, 2e6);
if (typeof rings === 'string') {
	throw new TypeError(rings);
}

const threads = new JavaThreads(vm, new NativeIds({pid, nsPid: pid}));
const found: RecordedThread[] = [];
const countOfKind = new Map<string, number>();

/** Walks what a ring has, live; keeps whole and legal stacks. */
function keep(record: PerfRecord, base: number): void {
	const kind = walker.kindAt(record.registers.pc);
	const count = countOfKind.get(kind) ?? 0;
	if (base === 0 || base - record.registers.sp > maxStackBytes || count >= wantedOfKind) {
		return;
	}

	const {end, frames} = walker.walk({...record, base});
	if (end === 'root' && source.problem(frames) === undefined) {
		countOfKind.set(kind, count + 1);
		found.push({
			registers: record.registers, base, frames, stack: Buffer.from(record.stack).toString('base64'),
		});
	}
}

for (let round = 0; round < maxRounds && found.length < 6 * wantedOfKind; round++) {
	await sleep(50);
	jvm.methods.beginSample();
	jvm.code.beginSample();
	const bases = new Map(threads.list().map(({nativeId, block}) => [nativeId, block.stackBase]));
	for (const record of rings.take().records) {
		keep(record, bases.get(record.tid) ?? 0);
	}
}

writeFileSync(file, recording.save({release: vm.release, symbols: [...symbols], threads: [], records: found}));
process.stdout.write(`${found.length} stacks: ${[...countOfKind].map(([kind, count]) => `${count} ${kind}`).join(', ')}\n`);
process.exit(0);
