import {type VmStructs} from './vm-structs.js';

/*
All that this engine knows about HotSpot's structures: our names, each with the names in the tables of the JDKs
(vmStructs.cpp). To support a new JDK, add its name to the right row: see docs/new-jdk.md.

`alternativeTo`: not needed if the JDK has the named row, which serves the same purpose. `requiredWith`: needed only if
the JDK has the named row, since the two are read together. `optional`: never needed.
*/

/** Maximum size of a HotSpot structure, bytes: a JavaThread has some 2,000, a ShenandoahHeap 4,000. */
const structLimit = 1 << 16;

type FieldRow = {
	readonly names: readonly string[];
	readonly alternativeTo?: string;
	readonly requiredWith?: string;
	readonly optional?: true;
};
type Rows<Row> = Readonly<Record<string, Row>>;

const required = (...names: string[]): FieldRow => ({names});
const alternativeTo = (other: string, ...names: string[]): FieldRow => ({names, alternativeTo: other});
const requiredWith = (other: string, ...names: string[]): FieldRow => ({names, requiredWith: other});
const optional = (...names: string[]): FieldRow => ({names, optional: true});

/** Fields: byte offsets of instance fields, addresses of static ones. */
const fieldRows = {
	// Threads. 17 and later have a list as an array; 8 and 11 link the threads.
	threadsList: alternativeTo('firstThread', 'ThreadsSMRSupport._java_thread_list'),
	threadsListLength: alternativeTo('firstThread', 'ThreadsList._length'),
	threadsListThreads: alternativeTo('firstThread', 'ThreadsList._threads'),
	firstThread: alternativeTo('threadsList', 'Threads._thread_list'),
	nextThread: alternativeTo('threadsList', 'JavaThread._next'),
	threadState: required('JavaThread._thread_state'),
	anchor: required('JavaThread._anchor'),
	anchorSp: required('JavaFrameAnchor._last_Java_sp'),
	anchorPc: required('JavaFrameAnchor._last_Java_pc'),
	anchorFp: required('JavaFrameAnchor._last_Java_fp'),
	osThread: required('JavaThread._osthread', 'Thread._osthread'),
	nativeThreadId: required('OSThread._thread_id'),
	stackBase: required('JavaThread._stack_base'),
	stackSize: required('JavaThread._stack_size'),
	threadObject: required('JavaThread._threadObj'),
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

	// What a thread has allocated, without the part of its TLAB that is in use, and that part.
	allocatedBytes: optional('Thread._allocated_bytes'),
	tlab: optional('Thread._tlab'),
	tlabStart: optional('ThreadLocalAllocBuffer._start'),
	tlabTop: optional('ThreadLocalAllocBuffer._top'),
	/** In words of eight bytes. */
	tlabWantedWords: optional('ThreadLocalAllocBuffer._desired_size'),

	// The task of a compiler thread.
	compilerEnv: optional('CompilerThread._env'),
	compilerTask: optional('ciEnv._task'),
	taskMethod: optional('CompileTask._method'),
	taskLevel: optional('CompileTask._comp_level'),
	taskBci: optional('CompileTask._osr_bci'),

	// Code cache. 8 has one heap, later ones a list of heaps.
	codeHeap: alternativeTo('codeHeaps', 'CodeCache._heap'),
	codeHeaps: alternativeTo('codeHeap', 'CodeCache._heaps'),
	arrayLength: required('GrowableArrayBase._len', 'GenericGrowableArray._len'),
	arrayData: required('GrowableArray<int>._data'),
	heapMemory: required('CodeHeap._memory'),
	heapSegmentMap: required('CodeHeap._segmap'),
	heapSegmentShift: required('CodeHeap._log2_segment_size'),
	spaceLow: required('VirtualSpace._low'),
	spaceHigh: required('VirtualSpace._high'),
	spaceEnd: required('VirtualSpace._high_boundary'),
	blobName: required('CodeBlob._name'),
	blobSize: required('CodeBlob._size'),
	blobFrameSize: required('CodeBlob._frame_size'),
	blobFrameComplete: required('CodeBlob._frame_complete_offset'),
	blobOopMaps: optional('CodeBlob._oop_maps'),
	/** At the same offset in an immutable set (9 and later) and in the compiler's. */
	oopMapCount: optional('ImmutableOopMapSet._count', 'OopMapSet._om_count'),
	blobCodeBegin: alternativeTo('blobCodeOffset', 'CodeBlob._code_begin'),
	blobCodeOffset: alternativeTo('blobCodeBegin', 'CodeBlob._code_offset'),

	// Compiled methods. Up to 21 their parts follow each other in the code cache; from 25 on the scopes are outside it.
	nmethodMethod: required('nmethod._method', 'CompiledMethod._method'),
	nmethodCompileId: required('nmethod._compile_id'),
	nmethodEntry: alternativeTo('nmethodEntryOffset', 'nmethod._verified_entry_point'),
	nmethodEntryOffset: alternativeTo('nmethodEntry', 'nmethod._verified_entry_offset'),
	nmethodOrigPcOffset: required('nmethod._orig_pc_offset'),
	nmethodMetadataOffset: alternativeTo('nmethodImmutableData', 'nmethod._metadata_offset'),
	nmethodScopesDataBegin: alternativeTo('nmethodScopesDataOffset', 'CompiledMethod._scopes_data_begin'),
	nmethodScopesDataOffset: alternativeTo('nmethodScopesDataBegin', 'nmethod._scopes_data_offset'),
	nmethodScopesPcsOffset: required('nmethod._scopes_pcs_offset'),
	nmethodDependenciesOffset: alternativeTo('nmethodImmutableData', 'nmethod._dependencies_offset'),
	nmethodImmutableData: alternativeTo('nmethodMetadataOffset', 'nmethod._immutable_data'),
	nmethodImmutableSize: requiredWith('nmethodImmutableData', 'nmethod._immutable_data_size'),
	blobMutableData: requiredWith('nmethodImmutableData', 'CodeBlob._mutable_data'),
	blobMutableSize: requiredWith('nmethodImmutableData', 'CodeBlob._mutable_data_size'),
	blobRelocationSize: requiredWith('nmethodImmutableData', 'CodeBlob._relocation_size'),
	// The return address of a deoptimized frame: a pointer on 11 to 21, an offset before and after.
	deoptHandler: alternativeTo('deoptHandlerOffset', 'CompiledMethod._deopt_handler_begin'),
	deoptHandlerMh: optional('CompiledMethod._deopt_mh_handler_begin'),
	deoptHandlerOffset: alternativeTo(
		'deoptHandler',
		'nmethod._deoptimize_offset',
		'nmethod._deopt_handler_offset',
		'nmethod._deopt_handler_entry_offset',
	),
	deoptHandlerMhOffset: optional('nmethod._deoptimize_mh_offset', 'nmethod._deopt_mh_handler_offset'),
	callStubReturn: required('StubRoutines._call_stub_return_address'),
	wrapperAnchor: required('JavaCallWrapper._anchor'),

	// Methods and classes.
	methodConst: required('Method._constMethod'),
	methodAccess: required('Method._access_flags'),
	constConstants: required('ConstMethod._constants'),
	constFlags: required('ConstMethod._flags._flags', 'ConstMethod._flags'),
	constCodeSize: required('ConstMethod._code_size'),
	constNameIndex: required('ConstMethod._name_index'),
	poolHolder: required('ConstantPool._pool_holder'),
	// The constant pool cache, which bytecodes refer to: one kind of entry, or one for methods alone (25 and later).
	poolCache: optional('ConstantPool._cache'),
	cacheEntryIndices: optional('ConstantPoolCacheEntry._indices'),
	resolvedMethods: optional('ConstantPoolCache._resolved_method_entries'),
	resolvedMethodPoolIndex: optional('ResolvedMethodEntry._cpool_index'),
	poolSourceFile: alternativeTo('klassSourceFile', 'ConstantPool._source_file_name_index'),
	klassSourceFile: alternativeTo('poolSourceFile', 'InstanceKlass._source_file_name_index'),
	klassName: required('Klass._name'),
	klassSuper: required('Klass._super'),
	klassLayout: required('Klass._layout_helper'),
	klassInitState: optional('InstanceKlass._init_state'),
	klassInitThread: optional('InstanceKlass._init_thread'),
	klassConstants: required('InstanceKlass._constants'),
	klassFields: alternativeTo('klassFieldStream', 'InstanceKlass._fields'),
	klassFieldCount: alternativeTo('klassFieldStream', 'InstanceKlass._java_fields_count'),
	klassFieldStream: alternativeTo('klassFields', 'InstanceKlass._fieldinfo_stream'),
	// The classes of the boot loader, whose loader object is null, and the static fields in their mirrors.
	loaderGraph: optional('ClassLoaderDataGraph._head'),
	loaderNext: optional('ClassLoaderData._next'),
	loaderObject: optional('ClassLoaderData._class_loader'),
	loaderHasMirrorHolder: optional('ClassLoaderData._has_class_mirror_holder', 'ClassLoaderData._is_anonymous'),
	loaderKlasses: optional('ClassLoaderData._klasses'),
	klassNextLink: optional('Klass._next_link'),
	klassMirror: optional('Klass._java_mirror'),
	// 8 has no list of a loader's classes, but a hash table of all.
	dictionary: optional('SystemDictionary._dictionary'),
	tableSize: optional('BasicHashtable<mtInternal>._table_size'),
	tableBuckets: optional('BasicHashtable<mtInternal>._buckets'),
	entryNext: optional('BasicHashtableEntry<mtInternal>._next'),
	entryClass: optional('IntptrHashtableEntry._literal'),
	entryLoader: optional('DictionaryEntry._loader_data'),
	/** The address of the offset in a mirror of the class that it represents. */
	mirrorKlass: optional('java_lang_Class._klass_offset'),
	symbolLength: required('Symbol._length'),
	symbolBody: required('Symbol._body'),

	// The Java heap.
	threadKlass: required(
		'vmClasses._klasses[static_cast<int>(vmClassID::Thread_klass_knum)]',
		'SystemDictionary._well_known_klasses[SystemDictionary::Thread_klass_knum]',
	),
	stringKlass: required(
		'vmClasses._klasses[static_cast<int>(vmClassID::String_klass_knum)]',
		'SystemDictionary._well_known_klasses[SystemDictionary::String_klass_knum]',
	),
	holderKlass: optional('vmClasses._klasses[static_cast<int>(vmClassID::Thread_FieldHolder_klass_knum)]'),
	narrowOopBase: required('CompressedOops._base', 'CompressedOops._narrow_oop._base', 'Universe._narrow_oop._base'),
	narrowOopShift: required(
		'CompressedOops._shift',
		'CompressedOops._narrow_oop._shift',
		'Universe._narrow_oop._shift',
	),
	narrowKlassBase: required(
		'CompressedKlassPointers._base',
		'CompressedKlassPointers._narrow_klass._base',
		'Universe._narrow_klass._base',
	),
	narrowKlassShift: required(
		'CompressedKlassPointers._shift',
		'CompressedKlassPointers._narrow_klass._shift',
		'Universe._narrow_klass._shift',
	),
	collectedHeap: required('Universe._collectedHeap'),
	/** Empty with ZGC. */
	heapReserved: optional('CollectedHeap._reserved'),
	regionStart: optional('MemRegion._start'),
	regionWords: optional('MemRegion._word_size'),
	totalCollections: required('CollectedHeap._total_collections'),
	collectionActive: required('CollectedHeap._is_stw_gc_active', 'CollectedHeap._is_gc_active'),
	// ZGC's mask of the bits that mark stale pointers. From 21 on, beside generational ZGC (JEP 439), the older form
	// was called X.
	zGlobals: optional('ZGlobalsForVMStructs._instance_p'),
	zBadMask: optional('ZGlobalsForVMStructs._ZPointerLoadBadMask', 'ZGlobalsForVMStructs._ZAddressBadMask'),
	xGlobals: optional('XGlobalsForVMStructs._instance_p'),
	xBadMask: optional('XGlobalsForVMStructs._XAddressBadMask'),

	// The VM itself.
	flags: required('JVMFlag.flags', 'Flag.flags'),
	flagCount: required('JVMFlag.numFlags', 'Flag.numFlags'),
	flagName: required('JVMFlag._name', 'Flag._name'),
	flagAddress: required('JVMFlag._addr', 'Flag._addr'),
	majorVersion: required('Abstract_VM_Version._vm_major_version'),
} as const satisfies Rows<FieldRow>;

const typeSizeRows = {
	constantPool: required('ConstantPool'),
	constMethod: required('ConstMethod'),
	heapBlock: required('HeapBlock'),
	flag: required('JVMFlag', 'Flag'),
	javaThread: optional('JavaThread'),
	poolCache: optional('ConstantPoolCache'),
	cacheEntry: optional('ConstantPoolCacheEntry'),
	resolvedMethod: optional('ResolvedMethodEntry'),
} as const satisfies Rows<FieldRow>;

const constantRows = {
	/** Not in the tables of arm64. */
	entryFrameWrapper: optional('frame::entry_frame_call_wrapper_offset'),
	markKlassShift: optional('markWord::klass_shift'),
	beingInitialized: optional('InstanceKlass::being_initialized'),
} as const satisfies Rows<FieldRow>;

type Values<R> = Readonly<Record<keyof R, number>>;

/** The layout of one JVM. A value is NaN if the JDK lacks it. */
export type Layout = {
	readonly fields: Values<typeof fieldRows>;
	readonly sizes: Values<typeof typeSizeRows>;
	readonly constants: Values<typeof constantRows>;
	/** Fields whose types differ between JDKs. */
	readonly types: {
		/** CodeBlob._frame_complete_offset is an int16_t since 23 (JDK-8329433), an int before. */
		readonly shortFrameComplete: boolean;
		/** JavaThread._threadObj is an OopHandle since 15 (JDK-8244997), an oop before. */
		readonly threadObjectIsHandle: boolean;
	};
	/** Required names that the tables lack, as the newest known JDK has them. */
	readonly missing: readonly string[];
};

/** Looks everything up in a JVM's tables. Never throws: `missing` lists what they lack. */
export function resolveLayout(structs: VmStructs): Layout {
	const missing: string[] = [];
	const fields = resolve(fieldRows, name => {
		const row = structs.fields.get(name);
		return row && (row.isStatic ? row.address : plausibleSize(row.offset));
	}, missing);
	const sizes = resolve(typeSizeRows, name => plausibleSize(structs.sizes.get(name)), missing);
	const constants = resolve(constantRows, name => structs.constants.get(name), missing);
	const types = {
		shortFrameComplete: structs.fields.get('CodeBlob._frame_complete_offset')?.type === 'int16_t',
		threadObjectIsHandle: structs.fields.get('JavaThread._threadObj')?.type === 'OopHandle',
	};
	return {fields, sizes, constants, types, missing};
}

/** Returns undefined for a value too large to be an offset or size. */
function plausibleSize(bytes: number | undefined): number | undefined {
	return bytes !== undefined && bytes <= structLimit ? bytes : undefined;
}

/** Whether a layout value exists in this JVM. */
export function has(value: number): boolean {
	return !Number.isNaN(value);
}

function resolve<R extends Rows<FieldRow>>(
	rows: R,
	valueOf: (name: string) => number | undefined,
	missing: string[],
): Values<R> {
	const firstOf = (names: readonly string[]) => names.map(name => valueOf(name)).find(value => value !== undefined);
	const entries = Object.entries(rows).map(([key, {names}]) => [key, firstOf(names) ?? Number.NaN] as const);
	const values = Object.fromEntries(entries);
	for (
		const [key, {names, alternativeTo: other, requiredWith: partner, optional: isOptional}] of Object.entries(rows)
	) {
		const isNeeded = !isOptional && !(other !== undefined && has(values[other]))
			&& (partner === undefined || has(values[partner]));
		if (isNeeded && !has(values[key])) {
			missing.push(names[0]);
		}
	}

	return values as Values<R>;
}
