import {getOrCreate} from '../../model/get-or-create.js';
import {rootNode} from '../../model/frame.js';
import {lockKinds} from '../../model/sample.js';
import type {Dictionary, Snapshot} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import {initialisedText, lockName} from '../columns/names.js';
import {ownCode} from '../counters/own-code.js';
import {threadKind} from '../counters/thread-kind.js';
import {isContendingNow, isStuckLonger, stuckMs} from './newest-sample.js';

/** What a thread waits for in the newest sample. */
export type Wait = {
	/** What it does: `read`, `accept`, `monitor`, `queue`... */
	readonly kind: string;
	/** With whom, or for what; empty if the kind says all. */
	readonly peer: string;
	/** The end of a connection whose port the kernel chose, or a child's id; empty for none. */
	readonly end: string;
	/** It waits in a system call for a peer that the target has connected to. */
	readonly isForServer: boolean;
};

/** Threads that wait for the same. */
export type WaitGroup = Pick<Wait, 'kind' | 'peer' | 'isForServer'> & {
	/** Indexes in the snapshot's thread table, who waits longest first. */
	readonly threads: readonly number[];
	readonly longestMs: number;
	readonly isLonger: boolean;
};

/** What the kernel knows of a thread that waits for another of the process: methods may tell more. */
const anyLock = 'native lock';

/** A system call that could not be read, or was not. */
export const unknownCall = 'native call';

/** Kinds of waits for an answer of somebody else. */
const forAnswer: ReadonlySet<string> = new Set(['read', 'write', 'connect']);

/** Peers that name no server: sockets of clients and without a name, and what cannot be read. */
const noServer = /^(?:clients of |UDP |pipe|socket$|unix socket\b|not readable|\(other peers\)$|$)|^\/dev\//;

/** What waits inside the JDK are for, by the methods at the top of the stack; the first that fits decides. */
const jdkWaits: ReadonlyArray<readonly [methods: RegExp, kind: string]> = [
	[/^java\.lang\.ref\.Reference(?:Queue\.remove|\$ReferenceHandler\.|\.\w*[Pp]ending)/, 'references'],
	[/^java\.lang\.Thread\.sleep/, 'sleep'],
	[/^java\.lang\.Thread\.join/, 'end of a thread'],
	[/^java\.lang\.(?:Process|ProcessImpl|UNIXProcess)\.waitFor/, 'child'],
	[/(?:Queue|Deque)\.(?:take|poll|put|offer|transfer)\w*$|^java\.util\.concurrent\.ForkJoinPool\.(?:awaitWork|runWorker)$/, 'queue'],
	[/^java\.util\.concurrent\.CountDownLatch\./, 'latch'],
	[/^java\.util\.concurrent\.(?:CyclicBarrier|Phaser|Exchanger)\./, 'barrier'],
	[/^java\.util\.concurrent\.Semaphore\./, 'semaphore'],
	[/^java\.util\.concurrent\.(?:FutureTask|CompletableFuture|ForkJoinTask)\./, 'future'],
	[/\$ConditionObject\.await/, 'condition'],
];

/** What a thread waits for in the newest sample; undefined if it does not wait, or nothing tells for what. */
export function waitOf(snapshot: Snapshot, thread: number): Wait | undefined {
	const {threads, dictionary: {strings}} = snapshot;
	if (threads.alive[thread] === 0 || threadKind(threads.flags[thread]) !== 'java') {
		return undefined;
	}

	if (isContendingNow(snapshot, thread)) {
		return contention(snapshot, thread);
	}

	const [kind, peer] = [strings[threads.waitKind[thread]], strings[threads.waitPeer[thread]]];
	if (kind !== '' && kind !== anyLock) {
		return {
			kind, peer, end: endText(kind, threads.waitEnd[thread]), isForServer: forAnswer.has(kind) && !noServer.test(peer),
		};
	}

	const node = threads.node[thread];
	const lock = lockName(strings[threads.lockClass[thread]]);
	switch (node === rootNode ? stateCode.NEW : threads.state[thread]) {
		case stateCode.WAITING:
		case stateCode.TIMED_WAITING: {
			return jdkWait(snapshot.dictionary, node) ?? wait(lockKinds[threads.lockKind[thread]] === 'monitor-wait' ? 'wait' : 'park', lock);
		}

		case stateCode.IDLE: {
			return jdkWait(snapshot.dictionary, node) ?? (kind === '' ? wait(unknownCall, shortMethod(snapshot.dictionary, node)) : wait(kind));
		}

		default: {
			return kind === '' ? undefined : wait(kind);
		}
	}
}

/** A wait in a few words: `read 10.0.0.5:5432`, `monitor Ledger held by checkout-4`. */
export function waitText({kind, peer}: Pick<Wait, 'kind' | 'peer'>): string {
	return peer === '' ? kind : `${kind} ${peer}`;
}

/** The same with the end of the connection that a peer's name does not say. */
export function wholeWaitText({end, ...wait}: Wait): string {
	return end === '' ? waitText(wait) : `${waitText(wait)} (${end})`;
}

/** What some threads wait for in the newest sample, by kind and peer; most threads first. */
export function groupWaits(snapshot: Snapshot, threads: Iterable<number>): WaitGroup[] {
	const groups = new Map<string, {readonly wait: Wait; readonly threads: number[]}>();
	for (const thread of threads) {
		const wait = waitOf(snapshot, thread);
		if (wait) {
			getOrCreate(groups, waitText(wait), () => ({wait, threads: [] as number[]})).threads.push(thread);
		}
	}

	return Array.from(groups.values(), ({wait: {kind, peer, isForServer}, threads}) => {
		const sorted = threads.toSorted((a, b) => stuckMs(snapshot, b) - stuckMs(snapshot, a) || a - b);
		return {
			kind, peer, isForServer, threads: sorted, longestMs: stuckMs(snapshot, sorted[0]), isLonger: sorted.some(thread => isStuckLonger(snapshot, thread)),
		};
	}).sort((a, b) => b.threads.length - a.threads.length || b.longestMs - a.longestMs);
}

function wait(kind: string, peer = ''): Wait {
	return {
		kind, peer, end: '', isForServer: false,
	};
}

function contention({threads, dictionary}: Snapshot, thread: number): Wait {
	const lockClass = dictionary.strings[threads.lockClass[thread]];
	const owner = threads.lockOwner[thread];
	const isInitialiser = lockKinds[threads.lockKind[thread]] === 'class-init';
	const lock = isInitialiser ? initialisedText(lockClass) : lockName(lockClass);
	const held = owner < 0 ? '' : `${isInitialiser ? 'run' : 'held'} by ${threads.name[owner]}`;
	return wait(isInitialiser ? 'class init' : (lockKinds[threads.lockKind[thread]] === 'park' ? 'lock' : 'monitor'), [lock, held].filter(Boolean).join(' '));
}

/** What the JDK's methods at the top of a stack wait for; undefined if they do not tell. */
function findJdkWait(dictionary: Dictionary, node: number): Wait | undefined {
	const {isOwn} = ownCode();
	const methods: string[] = [];
	for (let at = node; at !== rootNode && !isOwn(dictionary.strings[dictionary.frameClass[dictionary.nodeFrame[at]]]); at = dictionary.nodeParent[at]) {
		methods.push(methodAt(dictionary, at));
	}

	for (const [pattern, kind] of jdkWaits) {
		const method = methods.find(name => pattern.test(name));
		if (method !== undefined) {
			return wait(kind, kind === 'queue' ? lockName(method.slice(0, method.lastIndexOf('.'))) : '');
		}
	}

	return undefined;
}

/** `class.method` of a stack's innermost frame. */
function methodAt({strings, frameClass, frameMethod, nodeFrame}: Dictionary, node: number): string {
	const frame = nodeFrame[node];
	return `${strings[frameClass[frame]]}.${strings[frameMethod[frame]]}`;
}

/** The same without the package. */
function shortMethod(dictionary: Dictionary, node: number): string {
	return methodAt(dictionary, node).replace(/^.*\.(?=[^.]+\.[^.]+$)/, '');
}

/** As the schema has it. */
function endText(kind: string, end: number): string {
	if (end === 0 || kind === 'child') {
		return end === 0 ? '' : `pid ${end}`;
	}

	const port = end % 65_536;
	const address = Math.floor(end / 65_536);
	return address === 0 ? `port ${port}` : `${[24, 16, 8, 0].map(bits => Math.floor(address / (2 ** bits)) % 256).join('.')}:${port}`;
}

/** Where a loop asks for its next piece of work, `Class.method`: a queue, a selector or poller, a server's socket. */
const asksForWork = /(?:Queue|Deque)\.(?:take|poll|remove)\w*$|^sun\.nio\.ch\.EPoll|\.epollWait\w*$|(?:Socket|ServerSocketChannel)\w*\.accept$/;
const queue = /(?:Queue|Deque)\.\w+$/;

/** Where the worker of a pool does so, and where it runs a task. */
const poolAsks = '.getTask';
const poolRuns = '.runWorker';

/** Whether the stack of a waiting thread is that of a worker without work: only a loop that asks for work is on it. */
export const waitsForWork = rememberedByNode(isWithoutTask);

/** Whether a stack is that of a thread that does nothing but read: a library's code alone, and no task of a pool. */
export const onlyReads = rememberedByNode(isReader);

const jdkWait = rememberedByNode(findJdkWait);

/** A question about stacks whose answers are kept: by the strings of a session, which are one array in all its snapshots, and by node. */
function rememberedByNode<Answer>(find: (dictionary: Dictionary, node: number) => Answer): typeof find {
	const known = new WeakMap<readonly string[], Map<number, Answer>>();
	return (dictionary, node) => {
		const nodes = known.get(dictionary.strings) ?? new Map<number, Answer>();
		known.set(dictionary.strings, nodes);
		if (!nodes.has(node)) {
			nodes.set(node, find(dictionary, node));
		}

		return nodes.get(node)!;
	};
}

function isWithoutTask({strings, frameClass, frameMethod, nodeFrame, nodeParent}: Dictionary, from: number): boolean {
	const {isOwn} = ownCode();
	const classes = new Set<string>();
	let asks = '';
	let isPoolsLoop = false;
	let runsTask = false;
	for (let node = from; node !== rootNode; node = nodeParent[node]) {
		const className = strings[frameClass[nodeFrame[node]]];
		const name = `${className}.${strings[frameMethod[nodeFrame[node]]]}`;
		asks = asks === '' && asksForWork.test(name) ? name : asks;
		isPoolsLoop ||= name.endsWith(poolAsks);
		runsTask ||= name.endsWith(poolRuns);
		if (isOwn(className) && !asksForWork.test(name)) {
			classes.add(className.replace(/\$.*/, ''));
		}
	}

	return classes.size === 0 || (asks !== '' && (!queue.test(asks) || isPoolsLoop || (classes.size === 1 && !runsTask)));
}

function isReader(dictionary: Dictionary, from: number): boolean {
	const {strings, frameClass, nodeFrame, nodeParent} = dictionary;
	const {isOwn} = ownCode();
	const libraries = new Set<string>();
	for (let node = from; node !== rootNode; node = nodeParent[node]) {
		const className = strings[frameClass[nodeFrame[node]]];
		if (methodAt(dictionary, node).endsWith(poolRuns)) {
			return false;
		}

		if (isOwn(className)) {
			libraries.add(className.split('.', 2).join('.'));
		}
	}

	return libraries.size <= 1;
}
