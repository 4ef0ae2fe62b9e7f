import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {arm64} from '../../../../../source/engines/memory/arch/arm64/arm64.js';
import {readersOf} from '../../../../../source/engines/memory/hotspot/jvm.js';
import {resolveLayout} from '../../../../../source/engines/memory/hotspot/layout.js';
import {readVmStructs} from '../../../../../source/engines/memory/hotspot/vm-structs.js';
import {openVm} from '../../../../../source/engines/memory/hotspot/vm.js';
import {Reader} from '../../../../../source/engines/memory/target/memory-reader.js';
import {RecordWalker} from '../../../../arm64/record-walker.js';
import {seeded} from '../../../../helpers/random.js';
import {Names} from '../../../observe.js';
import {ImageMemory} from '../../image-memory.js';
import {ProgramSource} from '../../legal-calls.js';

/* Running threads of JVMs on arm64, recorded by test/arm64/record-stacks.ts. */

const folder = path.resolve(import.meta.dirname, '../../../../fixtures/memory-arm64');
const images = readdirSync(folder);

test('there are records of these JDKs, also with signed return addresses', () => {
	expect(images.sort()).toEqual(['jdk-17.image.gz', 'jdk-21.image.gz', 'jdk-25-signed.image.gz']);
});

describe.each(images)('%s', name => {
	const image = new ImageMemory(readFileSync(path.join(folder, name)));
	const records = image.facts.records!.map(record => ({...record, stack: Buffer.from(record.stack, 'base64')}));

	function walkerOf(): RecordWalker {
		const names = new Names();
		const reader = new Reader(image);
		const jvm = readersOf(openVm(reader, resolveLayout(readVmStructs(reader, image.symbols)), arm64), names);
		jvm.methods.beginSample();
		jvm.code.beginSample();
		return new RecordWalker(jvm, names);
	}

	test('stacks are what they were when they were recorded', () => {
		const walker = walkerOf();
		const source = new ProgramSource('KnownCalls');
		expect(records.length).toBeGreaterThan(20);
		for (const record of records) {
			expect(walker.walk(record)).toEqual({end: 'root', frames: record.frames});
			expect(source.problem(record.frames)).toBeUndefined();
		}

		const kinds = new Set(records.map(({registers}) => walker.kindAt(registers.pc)));
		expect([...kinds]).toEqual(expect.arrayContaining(['java', 'stub', 'outside']));
		// Native functions may sign return addresses too.
		const hasSigned = records.some(({stack}) => walker.hasSigned(stack));
		expect(hasSigned || !name.includes('signed')).toBe(true);
	});

	test('with bytes of stack and registers that lie, a walk ends, and throws nothing', () => {
		const walker = walkerOf();
		const random = seeded(7);
		for (let round = 0; round < 300; round++) {
			const record = records[round % records.length];
			const stack = record.stack.map(byte => random() < 0.02 ? random() * 256 : byte);
			const registers = Object.fromEntries(Object.entries(record.registers).map(([register, value]) =>
				[register, register !== 'sp' && random() < 0.2 ? Math.floor(random() * (2 ** 48)) : value]));
			const {frames} = walker.walk({...record, stack, registers: {...record.registers, ...registers}});
			expect(frames.length).toBeLessThan(20_000);
		}
	});
});
