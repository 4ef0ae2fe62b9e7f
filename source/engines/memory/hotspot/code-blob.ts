import {wordAt} from '../decode/word.js';
import {type Loop, loopsIn} from '../decode/loops.js';
import {decodeMonitors, type ScopeMonitor} from '../decode/monitors.js';
import {
	decodeScopes, scopeCount, scopeOffsetAfterCall, scopeOffsetAt, scopeOffsetInLoop, type Scope,
} from '../decode/scopes.js';
import {isAddress} from '../process/memory.js';
import {type Ranges} from '../process/ranges.js';
import {fail} from '../process/reader.js';
import {has} from './layout.js';
import {type Checkable} from './rechecks.js';
import {type Vm} from './vm.js';

/**
What a piece of generated code is, as far as walking its frames goes: `java`: a compiled method; `native`: the wrapper
that calls a native method; `interpreter`; `adapter`: code without a frame of its own that runs between caller and
callee (argument adapters, virtual call stubs); `stub`: everything else of the runtime.
*/
export type BlobKind = 'java' | 'native' | 'interpreter' | 'adapter' | 'stub';

/**
Largest piece of code, bytes: C2 gives up far below (NMethodSizeLimit 512 KB); the stub routines have up to 300 KB.
*/
const blobSizeLimit = 1 << 24;

/** Largest frame in words: the compilers refuse methods that need more. */
const frameSizeLimit = 1 << 16;

/** Largest debug information of one compiled method, bytes. */
const debugInfoLimit = 1 << 24;

/** Longest compiled code in which loops are looked for, bytes. */
const loopsLimit = 1 << 18;

/** Roughly what one block of a loop takes in our memory. */
const bytesOfBlock = 64;

const kinds = new Map<string, BlobKind>([['nmethod', 'java'], ['native nmethod', 'native'], ['Interpreter', 'interpreter']]);

const adapterNames = /adapters|vtable chunks|MethodHandlesAdapterBlob/;

/** One piece of generated code in the target's code cache. */
export class CodeBlob implements Checkable {
	readonly address: number;
	readonly name: string;
	readonly kind: BlobKind;
	readonly end: number;
	readonly codeBegin: number;
	/** Size of its frame in words, return address included; 0 if it has no frame of a fixed size. */
	readonly frameSize: number;
	/** Code offset from which the frame is complete. */
	readonly frameComplete: number;
	/**
	Compiled methods only: the Method, the entry that checked the receiver, and return addresses that mean "deoptimise
	me".
	*/
	readonly method: number = 0;
	readonly entry: number = 0;
	readonly deoptHandlers: readonly number[] = [];
	readonly origPcOffset: number = 0;
	/** See `Checkable`. */
	round = 0;
	sureRound = 0;
	/** The wrapper through which a carrier runs a virtual thread. */
	isEnterSpecial = false;
	/** Another piece of code is here now. */
	isGone = false;
	readonly #vm: Vm;
	/** See `readIdentity`; of compiled methods. */
	readonly #identity: readonly number[] = [];
	#debugInfo?: DebugInfo;
	#loops?: readonly Loop[];
	#loopBytes = 0;

	/** Decodes the blob at an address; throws `Unreadable` where there cannot be one. */
	constructor(vm: Vm, address: number) {
		const {reader, layout: {fields, types}} = vm;
		this.#vm = vm;
		this.address = address;
		this.name = reader.cString(reader.pointer(address + fields.blobName));
		const size = reader.u32(address + fields.blobSize);
		this.frameSize = reader.i32(address + fields.blobFrameSize);
		if (size === 0 || size > blobSizeLimit || this.frameSize > frameSizeLimit) {
			fail();
		}

		this.end = address + size;
		this.codeBegin = has(fields.blobCodeOffset) ? address + reader.u32(address + fields.blobCodeOffset) : reader.pointer(address + fields.blobCodeBegin);
		if (this.codeBegin < address || this.codeBegin > this.end) {
			fail();
		}

		const complete = address + fields.blobFrameComplete;
		this.frameComplete = types.shortFrameComplete ? (reader.u16(complete) << 16) >> 16 : reader.i32(complete);
		this.kind = kindOf(this.name);
		if (this.isMethod) {
			this.#identity = readIdentity(vm, address);
			this.method = reader.pointer(address + fields.nmethodMethod);
			this.entry = has(fields.nmethodEntryOffset) ? this.codeBegin + reader.u16(address + fields.nmethodEntryOffset) : reader.word(address + fields.nmethodEntry);
			this.deoptHandlers = [
				...[fields.deoptHandler, fields.deoptHandlerMh].filter(offset => has(offset)).map(offset => reader.word(address + offset)),
				...[fields.deoptHandlerOffset, fields.deoptHandlerMhOffset].filter(offset => has(offset)).map(offset => address + reader.u32(address + offset)),
			];
			this.origPcOffset = reader.u32(address + fields.nmethodOrigPcOffset);
		}
	}

	/** Compiled methods come and go; the other blobs stay as long as the JVM. */
	get isMethod(): boolean {
		return this.kind === 'java' || this.kind === 'native';
	}

	contains(pc: number): boolean {
		return pc >= this.codeBegin && pc < this.end;
	}

	/** See `Checkable`: what distinguishes one compiled method from the next at the same address, in one piece. */
	addTo(ranges: Ranges): number {
		const {start, length} = identityPiece(this.#vm);
		return ranges.add(this.address + start, length);
	}

	/** See `Checkable`. */
	isSameIn(ranges: Ranges, first: number): boolean {
		return ranges.isRead(first) && isIdentity(this.#vm, this.#identity, ranges, first);
	}

	/**
	How many bytes of its debug information and loops are kept, and a way to forget them: they are read again when
	needed.
	*/
	get debugInfoBytes(): number {
		return (this.#debugInfo?.bytes ?? 0) + this.#loopBytes;
	}

	forgetDebugInfo(): void {
		this.#debugInfo = undefined;
		this.#loops = undefined;
		this.#loopBytes = 0;
	}

	/**
	Whether a call that the VM knows of, one in which the thread may stop, returns to this address. Leaf calls, which
	leave no anchor, have no debug information. Throws `Unreadable`.
	*/
	isSafepoint(pc: number): boolean {
		this.#debugInfo ??= readDebugInfo(this.#vm, this.address);
		return scopeOffsetAt(this.#debugInfo.pcDescs, pc - this.codeBegin, true) !== 0;
	}

	/**
	Whether its debug information also covers lines between safepoints, as it does if DebugNonSafepoints was set, or
	somebody listened to JVMTI's events for compiled methods, when it was compiled: every safepoint has a map of object
	pointers, and in that case there are scopes in more places (true of all methods seen on JDK 8 to 27). Undefined if
	that cannot be told. Throws `Unreadable`.
	*/
	hasLinesBetween(): boolean | undefined {
		const {reader, layout: {fields}} = this.#vm;
		if (!has(fields.blobOopMaps) || !has(fields.oopMapCount)) {
			return undefined;
		}

		const maps = reader.word(this.address + fields.blobOopMaps);
		this.#debugInfo ??= readDebugInfo(this.#vm, this.address);
		return scopeCount(this.#debugInfo.pcDescs) > (maps === 0 ? 0 : reader.u32(maps + fields.oopMapCount));
	}

	/**
	The virtual frames at an address in this compiled method, innermost first, with Method addresses. `exact`: the
	address is a return address. Throws `Unreadable`.
	*/
	scopesAt(pc: number, exact: boolean): Scope[] {
		this.#debugInfo ??= readDebugInfo(this.#vm, this.address);
		const {pcDescs, scopes, methods} = this.#debugInfo;
		const offset = pc - this.codeBegin;
		const scope = exact ? scopeOffsetAfterCall(pcDescs, offset, () => this.#loopsOf()) : scopeOffsetInLoop(pcDescs, offset, this.#loopsOf());
		return decodeScopes(scopes, scope, this.#vm.excluded).map(({method, bci}) => ({method: methods(method), bci}));
	}

	/**
	The monitors that each of the virtual frames at a return address holds, innermost frame first. Throws `Unreadable`.
	*/
	monitorsAt(pc: number): Array<readonly ScopeMonitor[]> {
		this.#debugInfo ??= readDebugInfo(this.#vm, this.address);
		const {pcDescs, scopes} = this.#debugInfo;
		return decodeMonitors(scopes, scopeOffsetAt(pcDescs, pc - this.codeBegin, true), this.#vm.excluded);
	}

	/** The loops in its code; none if that cannot be read. */
	#loopsOf(): readonly Loop[] {
		if (!this.#loops) {
			try {
				this.#loops = loopsIn(this.#vm.reader.bytes(this.codeBegin, Math.min(this.end - this.codeBegin, loopsLimit)));
			} catch {
				this.#loops = [];
			}

			this.#loopBytes = this.#loops.reduce((sum, {blocks}) => sum + (blocks.length * bytesOfBlock), 0);
		}

		return this.#loops;
	}
}

function kindOf(name: string): BlobKind {
	return kinds.get(name) ?? (adapterNames.test(name) ? 'adapter' : 'stub');
}

/** Where the fields lie that tell one compiled method from the next: a few hundred bytes from the first to the last. */
function identityPiece({layout: {fields: {blobName, blobSize, nmethodCompileId, nmethodMethod}}}: Vm): {readonly start: number; readonly length: number} {
	const start = Math.min(blobName, blobSize, nmethodCompileId, nmethodMethod);
	return {start, length: Math.max(blobName, blobSize, nmethodCompileId, nmethodMethod) + 8 - start};
}

/** Name, size, the compilation's number, the Method. Throws `Unreadable`. */
function readIdentity({reader, layout: {fields}}: Vm, address: number): number[] {
	return [reader.word(address + fields.blobName), reader.u32(address + fields.blobSize), reader.u32(address + fields.nmethodCompileId), reader.word(address + fields.nmethodMethod)];
}

/** Whether what was read has this identity. */
function isIdentity(vm: Vm, identity: readonly number[], ranges: Ranges, range: number): boolean {
	const {fields} = vm.layout;
	const {start} = identityPiece(vm);
	return ranges.word(range, fields.blobName - start) === identity[0] && ranges.half(range, fields.blobSize - start) === identity[1]
		&& ranges.half(range, fields.nmethodCompileId - start) === identity[2] && ranges.word(range, fields.nmethodMethod - start) === identity[3];
}

type DebugInfo = {
	readonly pcDescs: Uint8Array;
	readonly scopes: Uint8Array;
	/** The Method address for an index (from 1) of the metadata. */
	readonly methods: (index: number) => number;
	readonly bytes: number;
};

/**
Where debug information lies: 8 by offsets, 11 to 21 with the scopes by pointer, 25 and later partly outside the code
cache (JDK-8343789, JDK-8329433).
*/
function readDebugInfo(vm: Vm, address: number): DebugInfo {
	const {reader, layout: {fields}} = vm;
	const offset = (field: number) => reader.u32(address + field);
	if (has(fields.nmethodImmutableData)) {
		const immutable = sized(vm, reader.pointer(address + fields.nmethodImmutableData), offset(fields.nmethodImmutableSize));
		const pcs = offset(fields.nmethodScopesPcsOffset);
		const data = offset(fields.nmethodScopesDataOffset);
		const relocations = offset(fields.blobRelocationSize);
		const metadata = sized(vm, reader.pointer(address + fields.blobMutableData) + relocations, offset(fields.blobMutableSize) - relocations);
		return {
			pcDescs: immutable.subarray(pcs, data), scopes: immutable.subarray(data), methods: methodsOf(metadata), bytes: immutable.length + metadata.length,
		};
	}

	const start = offset(fields.nmethodMetadataOffset);
	const all = sized(vm, address + start, offset(fields.nmethodDependenciesOffset) - start);
	const pcs = offset(fields.nmethodScopesPcsOffset) - start;
	const data = has(fields.nmethodScopesDataBegin) ? reader.pointer(address + fields.nmethodScopesDataBegin) - address - start : offset(fields.nmethodScopesDataOffset) - start;
	return {
		pcDescs: all.subarray(pcs), scopes: all.subarray(data, pcs), methods: methodsOf(all.subarray(0, data)), bytes: all.length,
	};
}

function sized({reader}: Vm, address: number, length: number): Uint8Array {
	return length >= 0 && length <= debugInfoLimit ? reader.bytes(address, length) : fail();
}

function methodsOf(metadata: Uint8Array): (index: number) => number {
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
