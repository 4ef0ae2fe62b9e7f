import {has} from './layout.js';
import {type Vm} from './vm.js';

/** What a bytecode calls directly: nothing, some method of an unknown name, or methods of one name. */
export const callsNothing = '';
export const callsAnything = '*';

/** JVMS 6.5: the five invoke instructions are consecutive. */
const invokevirtual = 0xB6;
const invokeinterface = 0xB9;
const invokedynamic = 0xBA;

/** The last opcode of the specification. Later ones are HotSpot's own (bytecodes.hpp): breakpoints, quickened forms. */
const lastStandard = 0xC9;

/** Methods of MethodHandle that go on in a method of another name (vmIntrinsics.hpp, method handle intrinsics). */
const handleMethods = /^(?:invoke(?:Exact|Basic)?|linkTo[A-Z]\w*)$/;

/**
Returns the name of the method that a bytecode calls, `callsAnything` or `callsNothing`. Bytecodes may also make the VM
run Java code, for example to initialize a class, but that begins with an entry frame. `at`: the bytecode's address;
`symbolAt`: reads a symbol of the constant pool. Throws `Unreadable`.
*/
export function calledBy(vm: Vm, at: number, pool: number, symbolAt: (index: number) => string): string {
	const {reader} = vm;
	const opcode = reader.u8(at);
	if (opcode < invokevirtual || (opcode > invokedynamic && opcode <= lastStandard)) {
		return callsNothing;
	}

	if (opcode > invokeinterface) {
		return callsAnything;
	}

	const reference = poolIndex(vm, pool, reader.u16(at + 1));
	if (reference === undefined) {
		return callsAnything;
	}

	// A Methodref: the upper half of its slot is a NameAndType, whose lower half is the name.
	const slot = (index: number) => pool + vm.layout.sizes.constantPool + (8 * index);
	const name = symbolAt(reader.u16(slot(reader.u16(slot(reference) + 2))));
	return handleMethods.test(name) ? callsAnything : name;
}

/**
Returns the constant pool's index of a method reference. When a class is linked, indices in its bytecodes are replaced
with those of the constant pool cache (rewriter.cpp). Undefined if this JDK's tables do not describe the cache.
*/
function poolIndex({reader, layout: {fields, sizes}}: Vm, pool: number, index: number): number | undefined {
	if (!has(fields.poolCache)) {
		return undefined;
	}

	const cache = reader.pointer(pool + fields.poolCache);
	if (has(fields.resolvedMethods) && has(fields.resolvedMethodPoolIndex) && has(sizes.resolvedMethod)) {
		// The elements of an Array follow its length, aligned.
		const entries = reader.pointer(cache + fields.resolvedMethods) + 8;
		return reader.u16(entries + (index * sizes.resolvedMethod) + fields.resolvedMethodPoolIndex);
	}

	if (has(fields.cacheEntryIndices) && has(sizes.poolCache) && has(sizes.cacheEntry)) {
		return reader.u16(cache + sizes.poolCache + (index * sizes.cacheEntry) + fields.cacheEntryIndices);
	}

	return undefined;
}
