import {type VmStructs} from './vm-structs.js';

/*
All that this engine knows about HotSpot's structures: our names, each with the names that the tables of the JDKs use
(vmStructs.cpp). To follow a new JDK, add its name to the right row: see docs/new-jdk.md.

`unless`: not needed if the named row exists, since that JDK says the same in another way. `along`: needed only if the
named row exists, since the two are read together. `optional`: the walk can do without it.
*/

/** Maximum size of a HotSpot structure, bytes: a JavaThread has some 2,000, a ShenandoahHeap 4,000. */
const structLimit = 1 << 16;

type FieldRow = {readonly names: readonly string[]; readonly unless?: string; readonly along?: string; readonly optional?: true};
type Rows<Row> = Readonly<Record<string, Row>>;

const row = (...names: string[]): FieldRow => ({names});
const unless = (other: string, ...names: string[]): FieldRow => ({names, unless: other});
const along = (other: string, ...names: string[]): FieldRow => ({names, along: other});
const optional = (...names: string[]): FieldRow => ({names, optional: true});

/** Offsets of members in bytes; addresses of statics. */
const fieldRows = {
	// Threads. 17 and later have a list as an array; 8 and 11 link the threads.
	threadsList: unless('firstThread', 'ThreadsSMRSupport._java_thread_list'),
	threadsListLength: unless('firstThread', 'ThreadsList._length'),
	threadsListThreads: unless('firstThread', 'ThreadsList._threads'),
	firstThread: unless('threadsList', 'Threads._thread_list'),
	nextThread: unless('threadsList', 'JavaThread._next'),
	threadState: row('JavaThread._thread_state'),
	anchor: row('JavaThread._anchor'),
	anchorSp: row('JavaFrameAnchor._last_Java_sp'),
	anchorPc: row('JavaFrameAnchor._last_Java_pc'),
	anchorFp: row('JavaFrameAnchor._last_Java_fp'),
	osThread: row('JavaThread._osthread', 'Thread._osthread'),
	nativeThreadId: row('OSThread._thread_id'),
	stackBase: row('JavaThread._stack_base'),
	stackSize: row('JavaThread._stack_size'),
	threadObject: row('JavaThread._threadObj'),
	virtualThread: optional('JavaThread._vthread'),
	continuationEntry: optional('JavaThread._cont_entry'),
	// The monitor rows moved from Thread to JavaThread after 11.
	pendingMonitor: optional('JavaThread._current_pending_monitor', 'Thread._current_pending_monitor'),
	waitingMonitor: optional('JavaThread._current_waiting_monitor', 'Thread._current_waiting_monitor'),
	monitorObject: optional('ObjectMonitor._object'),
	monitorOwner: optional('ObjectMonitor._owner'),
	/** 24 and later: the owner of a monitor is a thread id, not a JavaThread (JDK-8338383). */
	monitorOwnerId: optional('JavaThread._monitor_owner_id'),
	/** 21 and later: the objects that a thread has locked without a monitor (JDK-8291555). */
	lockStack: optional('JavaThread._lock_stack'),
	lockStackTop: optional('LockStack._top'),
	lockStackBase: optional('LockStack._base[0]'),

	// What a compiler thread compiles.
	compilerEnv: optional('CompilerThread._env'),
	compilerTask: optional('ciEnv._task'),
	taskMethod: optional('CompileTask._method'),
	taskLevel: optional('CompileTask._comp_level'),
	taskBci: optional('CompileTask._osr_bci'),

	// Code cache. 8 has one heap, later ones a list of heaps.
	codeHeap: unless('codeHeaps', 'CodeCache._heap'),
	codeHeaps: unless('codeHeap', 'CodeCache._heaps'),
	arrayLength: row('GrowableArrayBase._len', 'GenericGrowableArray._len'),
	arrayData: row('GrowableArray<int>._data'),
	heapMemory: row('CodeHeap._memory'),
	heapSegmentMap: row('CodeHeap._segmap'),
	heapSegmentShift: row('CodeHeap._log2_segment_size'),
	spaceLow: row('VirtualSpace._low'),
	spaceHigh: row('VirtualSpace._high'),
	blobName: row('CodeBlob._name'),
	blobSize: row('CodeBlob._size'),
	blobFrameSize: row('CodeBlob._frame_size'),
	blobFrameComplete: row('CodeBlob._frame_complete_offset'),
	blobOopMaps: optional('CodeBlob._oop_maps'),
	/** At the same offset in an immutable set (9 and later) and in the compiler's. */
	oopMapCount: optional('ImmutableOopMapSet._count', 'OopMapSet._om_count'),
	blobCodeBegin: unless('blobCodeOffset', 'CodeBlob._code_begin'),
	blobCodeOffset: unless('blobCodeBegin', 'CodeBlob._code_offset'),

	// Compiled methods. Up to 21 their parts follow each other in the code cache; from 25 on the scopes are outside it.
	nmethodMethod: row('nmethod._method', 'CompiledMethod._method'),
	nmethodCompileId: row('nmethod._compile_id'),
	nmethodEntry: unless('nmethodEntryOffset', 'nmethod._verified_entry_point'),
	nmethodEntryOffset: unless('nmethodEntry', 'nmethod._verified_entry_offset'),
	nmethodOrigPcOffset: row('nmethod._orig_pc_offset'),
	nmethodMetadataOffset: unless('nmethodImmutableData', 'nmethod._metadata_offset'),
	nmethodScopesDataBegin: {names: ['CompiledMethod._scopes_data_begin'], unless: 'nmethodScopesDataOffset'},
	nmethodScopesDataOffset: unless('nmethodScopesDataBegin', 'nmethod._scopes_data_offset'),
	nmethodScopesPcsOffset: row('nmethod._scopes_pcs_offset'),
	nmethodDependenciesOffset: unless('nmethodImmutableData', 'nmethod._dependencies_offset'),
	nmethodImmutableData: unless('nmethodMetadataOffset', 'nmethod._immutable_data'),
	nmethodImmutableSize: along('nmethodImmutableData', 'nmethod._immutable_data_size'),
	blobMutableData: along('nmethodImmutableData', 'CodeBlob._mutable_data'),
	blobMutableSize: along('nmethodImmutableData', 'CodeBlob._mutable_data_size'),
	blobRelocationSize: along('nmethodImmutableData', 'CodeBlob._relocation_size'),
	// Where a deoptimised frame's return address points: a pointer on 11 to 21, an offset before and after.
	deoptHandler: unless('deoptHandlerOffset', 'CompiledMethod._deopt_handler_begin'),
	deoptHandlerMh: optional('CompiledMethod._deopt_mh_handler_begin'),
	deoptHandlerOffset: unless('deoptHandler', 'nmethod._deoptimize_offset', 'nmethod._deopt_handler_offset', 'nmethod._deopt_handler_entry_offset'),
	deoptHandlerMhOffset: optional('nmethod._deoptimize_mh_offset', 'nmethod._deopt_mh_handler_offset'),
	callStubReturn: row('StubRoutines._call_stub_return_address'),
	wrapperAnchor: row('JavaCallWrapper._anchor'),

	// Methods and classes.
	methodConst: row('Method._constMethod'),
	methodAccess: row('Method._access_flags'),
	constConstants: row('ConstMethod._constants'),
	constFlags: row('ConstMethod._flags._flags', 'ConstMethod._flags'),
	constCodeSize: row('ConstMethod._code_size'),
	constNameIndex: row('ConstMethod._name_index'),
	poolHolder: row('ConstantPool._pool_holder'),
	poolSourceFile: unless('klassSourceFile', 'ConstantPool._source_file_name_index'),
	klassSourceFile: unless('poolSourceFile', 'InstanceKlass._source_file_name_index'),
	klassName: row('Klass._name'),
	klassSuper: row('Klass._super'),
	klassLayout: row('Klass._layout_helper'),
	klassInitState: optional('InstanceKlass._init_state'),
	klassInitThread: optional('InstanceKlass._init_thread'),
	klassConstants: row('InstanceKlass._constants'),
	klassFields: unless('klassFieldStream', 'InstanceKlass._fields'),
	klassFieldCount: unless('klassFieldStream', 'InstanceKlass._java_fields_count'),
	klassFieldStream: unless('klassFields', 'InstanceKlass._fieldinfo_stream'),
	// The classes of the boot loader, whose loader object is null, and the static fields in their mirrors.
	loaderGraph: optional('ClassLoaderDataGraph._head'),
	loaderNext: optional('ClassLoaderData._next'),
	loaderObject: optional('ClassLoaderData._class_loader'),
	loaderIsOfMirror: optional('ClassLoaderData._has_class_mirror_holder'),
	loaderKlasses: optional('ClassLoaderData._klasses'),
	klassNextLink: optional('Klass._next_link'),
	klassMirror: optional('Klass._java_mirror'),
	symbolLength: row('Symbol._length'),
	symbolBody: row('Symbol._body'),

	// The Java heap.
	threadKlass: row('vmClasses._klasses[static_cast<int>(vmClassID::Thread_klass_knum)]', 'SystemDictionary._well_known_klasses[SystemDictionary::Thread_klass_knum]'),
	stringKlass: row('vmClasses._klasses[static_cast<int>(vmClassID::String_klass_knum)]', 'SystemDictionary._well_known_klasses[SystemDictionary::String_klass_knum]'),
	holderKlass: optional('vmClasses._klasses[static_cast<int>(vmClassID::Thread_FieldHolder_klass_knum)]'),
	narrowOopBase: row('CompressedOops._base', 'CompressedOops._narrow_oop._base', 'Universe._narrow_oop._base'),
	narrowOopShift: row('CompressedOops._shift', 'CompressedOops._narrow_oop._shift', 'Universe._narrow_oop._shift'),
	narrowKlassBase: row('CompressedKlassPointers._base', 'CompressedKlassPointers._narrow_klass._base', 'Universe._narrow_klass._base'),
	narrowKlassShift: row('CompressedKlassPointers._shift', 'CompressedKlassPointers._narrow_klass._shift', 'Universe._narrow_klass._shift'),
	collectedHeap: row('Universe._collectedHeap'),
	totalCollections: row('CollectedHeap._total_collections'),
	collectionActive: row('CollectedHeap._is_stw_gc_active', 'CollectedHeap._is_gc_active'),
	// ZGC says which bits mark a pointer that may be out of date. Its older, non-generational form was called X for a
	// while (from 21 on, beside that of JEP 439).
	zGlobals: optional('ZGlobalsForVMStructs._instance_p'),
	zBadMask: optional('ZGlobalsForVMStructs._ZPointerLoadBadMask', 'ZGlobalsForVMStructs._ZAddressBadMask'),
	xGlobals: optional('XGlobalsForVMStructs._instance_p'),
	xBadMask: optional('XGlobalsForVMStructs._XAddressBadMask'),

	// The VM itself.
	flags: row('JVMFlag.flags', 'Flag.flags'),
	flagCount: row('JVMFlag.numFlags', 'Flag.numFlags'),
	flagName: row('JVMFlag._name', 'Flag._name'),
	flagAddress: row('JVMFlag._addr', 'Flag._addr'),
	majorVersion: row('Abstract_VM_Version._vm_major_version'),
} as const satisfies Rows<FieldRow>;

/** Sizes of types in bytes. */
const sizeRows = {
	constantPool: row('ConstantPool'),
	constMethod: row('ConstMethod'),
	heapBlock: row('HeapBlock'),
	flag: row('JVMFlag', 'Flag'),
	javaThread: optional('JavaThread'),
} as const satisfies Rows<FieldRow>;

/** Constants by name. */
const constantRows = {
	entryFrameWrapper: row('frame::entry_frame_call_wrapper_offset'),
	markKlassShift: optional('markWord::klass_shift'),
	beingInitialised: optional('InstanceKlass::being_initialized'),
} as const satisfies Rows<FieldRow>;

type Values<R> = Readonly<Record<keyof R, number>>;

/** The layout of one JVM. A value is NaN if this JDK has no such thing. */
export type Layout = {
	readonly fields: Values<typeof fieldRows>;
	readonly sizes: Values<typeof sizeRows>;
	readonly constants: Values<typeof constantRows>;
	/** Members whose type differs from JDK to JDK, so that the walk must know it. */
	readonly types: {
		/** CodeBlob._frame_complete_offset is an int16_t since 23 (JDK-8329433), an int before. */
		readonly shortFrameComplete: boolean;
		/** JavaThread._threadObj is an OopHandle since 15 (JDK-8244997), an oop before. */
		readonly threadObjectIsHandle: boolean;
	};
	/** What the walk needs and these tables lack, by the names of the newest JDK known. */
	readonly missing: readonly string[];
};

/** Looks everything up in a JVM's tables. Never throws: what is not there is in `missing`. */
export function resolveLayout(structs: VmStructs): Layout {
	const missing: string[] = [];
	const fields = resolve(fieldRows, name => {
		const found = structs.fields.get(name);
		return found && (found.isStatic ? found.address : sane(found.offset));
	}, missing);
	const sizes = resolve(sizeRows, name => sane(structs.sizes.get(name)), missing);
	const constants = resolve(constantRows, name => structs.constants.get(name), missing);
	const types = {
		shortFrameComplete: structs.fields.get('CodeBlob._frame_complete_offset')?.type === 'int16_t',
		threadObjectIsHandle: structs.fields.get('JavaThread._threadObj')?.type === 'OopHandle',
	};
	return {fields, sizes, constants, types, missing};
}

/** A larger offset or size cannot be one, and counts as missing. */
function sane(bytes: number | undefined): number | undefined {
	return bytes !== undefined && bytes <= structLimit ? bytes : undefined;
}

/** Whether this JVM has the thing. */
export function has(value: number): boolean {
	return !Number.isNaN(value);
}

function resolve<R extends Rows<FieldRow>>(rows: R, look: (name: string) => number | undefined, missing: string[]): Values<R> {
	const values = Object.fromEntries(Object.entries(rows).map(([key, {names}]) => [key, names.map(name => look(name)).find(value => value !== undefined) ?? Number.NaN]));
	for (const [key, {names, unless: other, along: partner, optional: isOptional}] of Object.entries(rows)) {
		const isNeeded = !isOptional && !(other !== undefined && has(values[other])) && (partner === undefined || has(values[partner]));
		if (isNeeded && !has(values[key])) {
			missing.push(names[0]);
		}
	}

	return values as Values<R>;
}
