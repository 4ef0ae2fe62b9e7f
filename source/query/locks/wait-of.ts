import {joined, printable, safe, type Printable} from '../../util/printable.js';
import {getOrCreate} from '../../util/get-or-create.js';
import {rootNode} from '../../model/frame.js';
import {lockKinds} from '../../model/sample.js';
import type {Dictionary, Snapshot} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import {initializerText, lockName} from '../columns/names.js';
import type {OwnCode} from '../counters/own-code.js';
import {membersOfAll, threadKind} from '../counters/thread-table.js';
import {framesOf} from '../counters/stack-index.js';
import {cachedByNode, type OwnCodeRule} from '../counters/waiting-stacks.js';
import {isContendingNow, isStuckLonger, stuckMs} from './newest-sample.js';

/** What a thread waits for in the newest sample. */
export type Wait = {
	/** `read`, `accept`, `monitor`, `queue`... */
	readonly kind: Printable;
	/** The peer, file or lock; empty if the kind says it all. */
	readonly peer: Printable;
	/** Address and port of the connecting side, or a child's pid; may be empty. */
	readonly clientSide: Printable;
	/** Whether the thread waits in a system call for a peer to which the target has connected. */
	readonly isForServer: boolean;
};

/** Threads with the same wait. */
export type WaitGroup = Pick<Wait, 'kind' | 'peer' | 'isForServer'> & {
	/** Indexes in the snapshot's thread table, the longest wait first. */
	readonly threads: readonly number[];
	/** Number of threads; more than `threads.length` if a row is of several virtual threads. */
	readonly count: number;
	readonly longestMs: number;
	/** `longestMs` is a lower bound. */
	readonly longestAtLeast: boolean;
};

/** The kind of a futex wait: the methods on the stack may say more. */
const anyLock = 'native lock';

/** The kind of a system call that was not examined. */
export const unknownCall = safe`native call`;

/** The kind of a virtual thread that is parked in the JDK's socket poller, on a socket that we do not know. */
const socket = 'socket';

/** Kinds of waits for a peer's answer. */
const forAnswer: ReadonlySet<string> = new Set(['read', 'write', 'connect']);

/**
Peers that are not servers: clients, pipes and devices, which may have paths as unix sockets do, and unknown ones.
*/
const noServer = /^(?:clients of |UDP |pipe|socket$|unix socket\b|not readable|\(other peers\)$|$)|^\/dev\//;

/** Kinds of waits inside the JDK, by the innermost methods of the stack; the first match decides. */
const jdkWaits: ReadonlyArray<readonly [methods: RegExp, kind: string]> = [
	[/^java\.lang\.ref\.Reference(?:Queue\.remove|\$ReferenceHandler\.|\.\w*[Pp]ending)/, 'references'],
	[/^java\.lang\.Thread\.sleep/, 'sleep'],
	[/^java\.lang\.Thread\.join/, 'end of a thread'],
	[/^java\.lang\.(?:Process|ProcessImpl|UNIXProcess)\.waitFor/, 'child'],
	[
		/(?:Queue|Deque)\.(?:take|poll|put|offer|transfer)\w*$|^java\.util\.concurrent\.ForkJoinPool\.(?:awaitWork|runWorker)$/,
		'queue',
	],
	[/^java\.util\.concurrent\.CountDownLatch\./, 'latch'],
	[/^java\.util\.concurrent\.(?:CyclicBarrier|Phaser)\./, 'barrier'],
	[/^java\.util\.concurrent\.Semaphore\./, 'semaphore'],
	[/^sun\.nio\.ch\.Poller\./, socket],
	[/^java\.util\.concurrent\.(?:FutureTask|CompletableFuture|ForkJoinTask)\./, 'future'],
	[/\$ConditionObject\.await|^java\.util\.concurrent\.Exchanger\./, 'condition'],
];

/** Returns what a thread waits for in the newest sample; undefined if it does not wait, or for something unknown. */
// eslint-disable-next-line complexity -- A case for each way to wait.
export function waitOf(snapshot: Snapshot, thread: number, rule: OwnCodeRule): Wait | undefined {
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
			kind,
			peer,
			clientSide: clientSideText(kind, threads.waitEnd[thread]),
			isForServer: forAnswer.has(kind) && !noServer.test(peer),
		};
	}

	const node = threads.node[thread];
	if (node === rootNode) {
		return kind === '' ? undefined : wait(kind);
	}

	const lock = lockName(strings[threads.lockClass[thread]]);
	switch (threads.state[thread]) {
		case stateCode.WAITING:
		case stateCode.TIMED_WAITING: {
			return (
				jdkWait(snapshot.dictionary, node, rule)
				?? wait(lockKinds[threads.lockKind[thread]] === 'monitor-wait' ? safe`wait` : safe`park`, lock)
			);
		}

		case stateCode.IDLE: {
			return (
				jdkWait(snapshot.dictionary, node, rule)
				?? (kind === '' ? wait(unknownCall, shortMethod(snapshot.dictionary, node)) : wait(kind))
			);
		}

		default: {
			return kind === '' ? undefined : wait(kind);
		}
	}
}

/** Returns a wait in a few words: `read 10.0.0.5:5432`, `monitor Ledger held by checkout-4`. */
export function waitText({kind, peer}: Pick<Wait, 'kind' | 'peer'>): Printable {
	return peer === '' ? kind : safe`${kind} ${peer}`;
}

/** Returns `waitText` with the client side, if known. */
export function fullWaitText({clientSide, ...wait}: Wait): Printable {
	return clientSide === '' ? waitText(wait) : safe`${waitText(wait)} (${clientSide})`;
}

/** Groups the waits of some threads in the newest sample by kind and peer; most threads first. */
export function groupWaits(snapshot: Snapshot, threads: Iterable<number>, rule: OwnCodeRule): WaitGroup[] {
	const groups = new Map<string, {readonly wait: Wait; readonly threads: number[]}>();
	for (const thread of threads) {
		const wait = waitOf(snapshot, thread, rule);
		if (wait) {
			getOrCreate(groups, waitText(wait), () => ({wait, threads: [] as number[]})).threads.push(thread);
		}
	}

	return Array.from(groups.values(), ({wait: {kind, peer, isForServer}, threads}) => {
		const sorted = threads.toSorted((a, b) => stuckMs(snapshot, b) - stuckMs(snapshot, a) || a - b);
		return {
			kind,
			peer,
			isForServer,
			threads: sorted,
			count: membersOfAll(snapshot.threads, sorted),
			longestMs: stuckMs(snapshot, sorted[0]),
			longestAtLeast: sorted.some(thread => isStuckLonger(snapshot, thread)),
		};
	}).sort((a, b) => b.count - a.count || b.longestMs - a.longestMs);
}

function wait(kind: Printable, peer = safe``): Wait {
	return {kind, peer, clientSide: safe``, isForServer: false};
}

function contention({threads, dictionary}: Snapshot, thread: number): Wait {
	const lockClass = dictionary.strings[threads.lockClass[thread]];
	const owner = threads.lockOwner[thread];
	const isInitializer = lockKinds[threads.lockKind[thread]] === 'class-init';
	const lock = isInitializer ? initializerText(lockClass) : lockName(lockClass);
	const held = owner < 0 ? safe`` : safe`${isInitializer ? 'run' : 'held'} by ${threads.name[owner]}`;
	return wait(
		isInitializer ? safe`class init` : (lockKinds[threads.lockKind[thread]] === 'park' ? safe`lock` : safe`monitor`),
		joined([lock, held].filter(Boolean), safe` `),
	);
}

/** Returns what the JDK's methods at the top of a stack wait for; undefined if `jdkWaits` does not know them. */
function findJdkWait(dictionary: Dictionary, node: number, {isOwn}: OwnCode): Wait | undefined {
	const frames = framesOf(dictionary, node);
	const firstOwn = frames.findIndex(({className}) => isOwn(className));
	const methods = (firstOwn === -1 ? frames : frames.slice(0, firstOwn)).map(({className, method}) =>
		safe`${className}.${method}`);
	for (const [pattern, kind] of jdkWaits) {
		const method = methods.find(name => pattern.test(name));
		if (method !== undefined) {
			return wait(printable(kind), kind === 'queue' ? lockName(method.slice(0, method.lastIndexOf('.'))) : safe``);
		}
	}

	return undefined;
}

const jdkWait = cachedByNode(findJdkWait);

function shortMethod(dictionary: Dictionary, node: number): Printable {
	const [{className, method}] = framesOf(dictionary, node, 1);
	return safe`${className.slice(className.lastIndexOf('.') + 1)}.${method}`;
}

/** Formats a `waitEnd`, see the schema. */
function clientSideText(kind: string, end: number): Printable {
	if (end === 0 || kind === 'child') {
		return end === 0 ? safe`` : safe`pid ${end}`;
	}

	const port = end % 65_536;
	const address = Math.floor(end / 65_536);
	return address === 0
		? safe`port ${port}`
		: safe`${joined([24, 16, 8, 0].map(bits => safe`${Math.floor(address / (2 ** bits)) % 256}`), safe`.`)}:${port}`;
}
