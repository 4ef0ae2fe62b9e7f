import {sumOf} from '../../../util/sum.js';
import {wordAt, isAddress} from '../target/memory.js';
import {loopsIn, type Loop} from '../decode/loops.js';
import {
	decodeMonitors,
	decodeScopes,
	scopeCount,
	scopeOffsetAfterCall,
	scopeOffsetAt,
	scopeOffsetInLoop,
	type Scope,
	type ScopeMonitor,
} from '../decode/scopes.js';
import {fail, ifReadable} from '../target/memory-reader.js';
import {has} from './layout.js';
import {type Vm} from './vm.js';

/**
Kinds of generated code, as they differ for unwinding. `java`: a compiled method; `native`: the wrapper of a native
method; `interpreter`; `adapter`: code without a frame between caller and callee (argument adapters, vtable stubs);
`stub`: all other code of the runtime.
*/
type BlobKind = 'java' | 'native' | 'interpreter' | 'adapter' | 'stub';

/** Maximum size of a blob, bytes: C2 gives up far below (NMethodSizeLimit 512 KB), and stub routines take 300 KB. */
const blobSizeLimit = 1 << 24;

/** Maximum size of a frame in words; the compilers refuse methods that need more. */
const frameSizeLimit = 1 << 16;

const maxDebugInfoBytes = 1 << 24;

/** Maximum bytes of a method's code that are searched for loops, and the memory that a range of a loop takes. */
const maxBytesSearchedForLoops = 1 << 18;
const estimatedBytesPerRange = 64;

/** By the name of a blob; those not listed are adapters or stubs. */
const kinds = new Map<string, BlobKind>([
	['nmethod', 'java'],
	['native nmethod', 'native'],
	['Interpreter', 'interpreter'],
]);

const adapterNames = /adapters|vtable chunks|MethodHandlesAdapterBlob/;

/** A blob of generated code in the target's code cache. */
export class CodeBlob {
	readonly address: number;
	readonly namePointer: number;
	readonly name: string;
	/** Bytes with its header. */
	readonly size: number;
	readonly kind: BlobKind;
	readonly end: number;
	readonly codeBegin: number;
	/** Size of a frame in words, including the return address; 0 if not fixed. */
	readonly frameSize: number;
	/** Offset in the code from which the frame is complete; -1 if it never is (frame_never_safe). */
	readonly frameComplete: number;
	/** Of compiled methods: number of the compilation (nmethod::compile_id). */
	readonly compileId: number = 0;
	/** Of compiled methods: Method, verified entry point, and the return addresses that mark deoptimized frames. */
	readonly method: number = 0;
	readonly entry: number = 0;
	readonly deoptHandlers: readonly number[] = [];
	/** Of compiled methods: bytes from a deoptimized frame's stack pointer to its original return address. */
	readonly origPcOffset: number = 0;
	/** Number of the sample in which it was last found unchanged. */
	validatedInSample = 0;
	/** Whether its lines are exact has been noted. */
	hasNotedLines = false;
	/** It is the wrapper through which a carrier runs a virtual thread. */
	isEnterSpecial = false;
	/** Something else is at its address. */
	isGone = false;
	readonly #vm: Vm;
	#cachedDebugInfo?: DebugInfo;
	#loops?: readonly Loop[];
	#loopBytes = 0;

	/** Decodes the blob at an address; throws `Unreadable` if there is none. */
	constructor(vm: Vm, address: number) {
		const {reader, layout: {fields, types}} = vm;
		this.#vm = vm;
		this.address = address;
		this.namePointer = reader.pointer(address + fields.blobName);
		this.name = reader.cString(this.namePointer);
		const size = reader.u32(address + fields.blobSize);
		this.frameSize = reader.i32(address + fields.blobFrameSize);
		if (size === 0 || size > blobSizeLimit || this.frameSize > frameSizeLimit) {
			fail();
		}

		this.size = size;
		this.end = address + size;
		this.codeBegin = has(fields.blobCodeOffset)
			? address + reader.u32(address + fields.blobCodeOffset)
			: reader.pointer(address + fields.blobCodeBegin);
		if (this.codeBegin < address || this.codeBegin > this.end) {
			fail();
		}

		const complete = address + fields.blobFrameComplete;
		this.frameComplete = types.shortFrameComplete ? (reader.u16(complete) << 16) >> 16 : reader.i32(complete);
		this.kind = kinds.get(this.name) ?? (adapterNames.test(this.name) ? 'adapter' : 'stub');
		if (this.isMethod) {
			this.compileId = reader.u32(address + fields.nmethodCompileId);
			this.method = reader.pointer(address + fields.nmethodMethod);
			this.entry = has(fields.nmethodEntryOffset)
				? this.codeBegin + reader.u16(address + fields.nmethodEntryOffset)
				: reader.word(address + fields.nmethodEntry);
			this.deoptHandlers = [
				...[fields.deoptHandler, fields.deoptHandlerMh].filter(offset => has(offset)).map(offset =>
					reader.word(address + offset)),
				...[fields.deoptHandlerOffset, fields.deoptHandlerMhOffset].filter(offset => has(offset)).map(offset =>
					address + reader.u32(address + offset)),
			];
			this.origPcOffset = reader.u32(address + fields.nmethodOrigPcOffset);
		}
	}

	/** Compiled methods may be unloaded; other blobs live as long as the JVM. */
	get isMethod(): boolean {
		return this.kind === 'java' || this.kind === 'native';
	}

	contains(pc: number): boolean {
		return pc >= this.codeBegin && pc < this.end;
	}

	/** Bytes of cached debug information and loops, which `forgetDebugInfo` discards until they are needed again. */
	get debugInfoBytes(): number {
		return (this.#cachedDebugInfo?.bytes ?? 0) + this.#loopBytes;
	}

	forgetDebugInfo(): void {
		this.#cachedDebugInfo = undefined;
		this.#loops = undefined;
		this.#loopBytes = 0;
	}

	/**
	Whether a call that returns here may reach a safepoint; leaf calls, which leave no anchor, do not. Throws
	`Unreadable`.
	*/
	isSafepoint(pc: number): boolean {
		return scopeOffsetAt(this.#debugInfo.pcDescs, pc - this.codeBegin) !== 0;
	}

	/**
	Whether its debug information also covers code between safepoints, as with DebugNonSafepoints or JVMTI compiled
	method events: then it has more scopes than oop maps, of which each safepoint has one. Undefined if unknown. Throws
	`Unreadable`.
	*/
	hasLinesBetweenSafepoints(): boolean | undefined {
		const {reader, layout: {fields}} = this.#vm;
		if (!has(fields.blobOopMaps) || !has(fields.oopMapCount)) {
			return undefined;
		}

		const maps = reader.word(this.address + fields.blobOopMaps);
		return scopeCount(this.#debugInfo.pcDescs) > (maps === 0 ? 0 : reader.u32(maps + fields.oopMapCount));
	}

	/** Returns the virtual frames at an address, innermost first, with Methods' addresses. Throws `Unreadable`. */
	scopesAt(pc: number, isReturnAddress: boolean): Scope[] {
		const {pcDescs, scopes, methodAddress} = this.#debugInfo;
		const offset = pc - this.codeBegin;
		const scope = isReturnAddress
			? scopeOffsetAfterCall(pcDescs, offset, () => this.#findLoops())
			: scopeOffsetInLoop(pcDescs, offset, this.#findLoops());
		return decodeScopes(scopes, scope, this.#vm.excludedBytes).map(({method, bci}) => ({
			method: methodAddress(method),
			bci,
		}));
	}

	/** Returns the monitors of each virtual frame at a return address, innermost frame first. Throws `Unreadable`. */
	monitorsAt(pc: number): Array<readonly ScopeMonitor[]> {
		const {pcDescs, scopes} = this.#debugInfo;
		return decodeMonitors(scopes, scopeOffsetAt(pcDescs, pc - this.codeBegin), this.#vm.excludedBytes);
	}

	get #debugInfo(): DebugInfo {
		this.#cachedDebugInfo ??= readDebugInfo(this.#vm, this.address);
		return this.#cachedDebugInfo;
	}

	#findLoops(): readonly Loop[] {
		if (!this.#loops) {
			this.#loops = ifReadable(
				() =>
					loopsIn(
						this.#vm.reader.bytes(
							this.codeBegin,
							Math.min(this.end - this.codeBegin, maxBytesSearchedForLoops),
						),
						this.#vm.arch.instructions,
					),
				[],
			);
			this.#loopBytes = sumOf(this.#loops, ({ranges}) => ranges.length * estimatedBytesPerRange);
		}

		return this.#loops;
	}
}

type DebugInfo = {
	readonly pcDescs: Uint8Array;
	readonly scopes: Uint8Array;
	/** By metadata index, from 1. Throws `Unreadable`. */
	readonly methodAddress: (index: number) => number;
	readonly bytes: number;
};

/**
Reads the debug information of a compiled method: on 8 by offsets, on 11 to 21 with a pointer to the scopes, on 25 and
later partly outside the code cache (JDK-8343789, JDK-8329433).
*/
function readDebugInfo(vm: Vm, address: number): DebugInfo {
	const {reader, layout: {fields}} = vm;
	const offset = (field: number) => reader.u32(address + field);
	if (has(fields.nmethodImmutableData)) {
		const immutable = readSized(
			vm,
			reader.pointer(address + fields.nmethodImmutableData),
			offset(fields.nmethodImmutableSize),
		);
		const pcs = offset(fields.nmethodScopesPcsOffset);
		const data = offset(fields.nmethodScopesDataOffset);
		const relocations = offset(fields.blobRelocationSize);
		const metadata = readSized(
			vm,
			reader.pointer(address + fields.blobMutableData) + relocations,
			offset(fields.blobMutableSize) - relocations,
		);
		return {
			pcDescs: immutable.subarray(pcs, data),
			scopes: immutable.subarray(data),
			methodAddress: methodsIn(metadata),
			bytes: immutable.length + metadata.length,
		};
	}

	const start = offset(fields.nmethodMetadataOffset);
	const all = readSized(vm, address + start, offset(fields.nmethodDependenciesOffset) - start);
	const pcs = offset(fields.nmethodScopesPcsOffset) - start;
	const data = has(fields.nmethodScopesDataBegin)
		? reader.pointer(address + fields.nmethodScopesDataBegin) - address - start
		: offset(fields.nmethodScopesDataOffset) - start;
	return {
		pcDescs: all.subarray(pcs),
		scopes: all.subarray(data, pcs),
		methodAddress: methodsIn(all.subarray(0, data)),
		bytes: all.length,
	};
}

function readSized({reader}: Vm, address: number, length: number): Uint8Array {
	return length >= 0 && length <= maxDebugInfoBytes ? reader.bytes(address, length) : fail();
}

function methodsIn(metadata: Uint8Array): (index: number) => number {
	const view = new DataView(metadata.buffer, metadata.byteOffset, metadata.byteLength);
	return index => {
		const at = (index - 1) * 8;
		if (!(at >= 0 && at + 8 <= metadata.length)) {
			fail();
		}

		const method = wordAt(view, at);
		return isAddress(method) ? method : fail();
	};
}
