import {Unsigned5} from './unsigned5.js';

/**
A declared field: constant pool indices of its name and signature, and its offset in an object, bytes. The
names of fields injected by the VM are elsewhere.
*/
export type FieldInfo = {readonly nameIndex: number; readonly signatureIndex: number; readonly offset: number; readonly isInjected: boolean};

/** Maximum fields of a class (JVMS 4.1: a u2). */
const fieldLimit = 65_535;

/**
Decodes InstanceKlass._fields of 8 to 20 (fieldInfo.hpp): six u2 per field; the last two contain the offset above a
two-bit tag.
*/
export function decodeFieldTuples(bytes: Uint8Array, count: number): FieldInfo[] {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const size = 12;
	return Array.from({length: Math.min(count, Math.floor(bytes.length / size))}, (_, index) => {
		const at = index * size;
		return {
			nameIndex: view.getUint16(at + 2, true),
			signatureIndex: view.getUint16(at + 4, true),
			offset: (view.getUint16(at + 8, true) + (view.getUint16(at + 10, true) * 0x1_00_00)) >>> 2,
			isInjected: false,
		};
	});
}

/**
Bits of a field's flags that each add a number to it: initial value, generic signature, contended group (fieldInfo.hpp,
21 and later).
*/
const addsNumber = [0, 2, 4];

/** Decodes InstanceKlass._fieldinfo_stream of 21 and later (JDK-8292818). Throws `Unreadable` on invalid bytes. */
export function decodeFieldStream(bytes: Uint8Array): FieldInfo[] {
	const stream = new Unsigned5(bytes, 1);
	const [declared, injected] = [stream.next(), stream.next()];
	return Array.from({length: Math.min(declared + injected, fieldLimit)}, (_, index) => {
		const nameIndex = stream.next();
		const signatureIndex = stream.next();
		const offset = stream.next();
		// Access flags.
		stream.next();
		const flags = stream.next();
		for (const bit of addsNumber) {
			if (flags & (1 << bit)) {
				stream.next();
			}
		}

		return {
			nameIndex, signatureIndex, offset, isInjected: index >= declared,
		};
	});
}
