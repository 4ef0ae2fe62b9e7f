import {getOrCreate} from '../../util/get-or-create.js';
import type {Dictionary} from '../../model/snapshot.js';
import {stateCode, type ThreadState} from '../../model/thread-state.js';
import type {Query} from '../types/query.js';
import {ownCode, type OwnCode} from './own-code.js';
import {framesOf} from './stack-index.js';

/** The part of a query that says what the program's own code is. */
export type OwnCodeRule = Pick<Query, 'app'>;

const queue = /(?:Queue|Deque)\.\w+$/;

/** Methods in which a loop waits for its next piece of work: those of queues, selectors, pollers and server sockets. */
const awaitsWork: readonly RegExp[] = [
	/(?:Queue|Deque)\.(?:take|poll|remove)\w*$/,
	/^sun\.nio\.ch\.EPoll|\.epollWait\w*$/,
	/(?:Socket|ServerSocketChannel)\w*\.accept$/,
];

/** ThreadPoolExecutor's method in which a worker waits for a task. */
const poolWait = 'getTask';

/** The loop of a worker of ThreadPoolExecutor or ForkJoinPool: below each task, and below each wait for one. */
const poolLoop = 'runWorker';

/** Whether a waiting thread's stack is that of a worker without a task: only a loop that waits for work. */
export const waitsForWork = cachedByNode(isWorkersWait);

/** Whether a stack is that of a worker of a pool of java.util.concurrent. */
export const isPoolWorker = cachedByNode((dictionary, node) => framesOf(dictionary, node).some(({className, method}) =>
	method === poolLoop && className.startsWith('java.util.concurrent.')));

/** Whether a waiting thread's stack is asleep for a time that the program chose. */
export const sleeps = cachedByNode(isInSleep);

/** Whether a stack is probably a client library's own reader: code of at most one library, and no pool's loop. */
export const isLibraryReader = cachedByNode(hasOnlyOneLibrary);

/** Whether a thread in this state waits: in the JVM, or in a native call. */
export function isWaiting(state: number): boolean {
	return state === stateCode.WAITING || state === stateCode.TIMED_WAITING || state === stateCode.IDLE;
}

/** Whether samples in this state with this stack are of a thread that waits for work. */
export function isWaitForWork(dictionary: Dictionary, node: number, state: number, rule: OwnCodeRule): boolean {
	return isWaiting(state) && waitsForWork(dictionary, node, rule);
}

/** Returns the state to show: IDLE for a thread that waits for work in any way, WAITING for others in native calls. */
export function shownState(state: ThreadState, isForWork: boolean): ThreadState {
	return isForWork ? 'IDLE' : (state === 'IDLE' ? 'WAITING' : state);
}

/** A function of a stack and a rule. */
type OfStack<Rule, Answer> = (dictionary: Dictionary, node: number, rule: Rule) => Answer;

/**
Caches what a function finds in stacks by the rule of own code, by node, and by the session's strings, the same array in
all its snapshots.
*/
export function cachedByNode<Answer>(find: OfStack<OwnCode, Answer>): OfStack<OwnCodeRule, Answer> {
	const known = new WeakMap<readonly string[], Map<string, Map<number, Answer>>>();
	return (dictionary, node, {app}) => {
		const own = ownCode(app);
		const rules = known.get(dictionary.strings) ?? new Map<string, Map<number, Answer>>();
		known.set(dictionary.strings, rules);
		const nodes = getOrCreate(rules, own.key, () => new Map<number, Answer>());
		if (!nodes.has(node)) {
			nodes.set(node, find(dictionary, node, own));
		}

		return nodes.get(node)!;
	};
}

function isWorkersWait(dictionary: Dictionary, node: number, {isOwn}: OwnCode): boolean {
	const classes = new Set<string>();
	let awaiting = '';
	let isWaitingForTask = false;
	let isPoolWorker = false;
	for (const {className, method} of framesOf(dictionary, node)) {
		const name = `${className}.${method}`;
		const isAwaiting = awaitsWork.some(pattern => pattern.test(name));
		if (awaiting === '' && isAwaiting) {
			awaiting = name;
			// Ignore the inner frames: they implement the wait.
			classes.clear();
		}

		isWaitingForTask ||= method === poolWait;
		isPoolWorker ||= method === poolLoop;
		if (isOwn(className) && !isAwaiting) {
			classes.add(className.replace(/\$.*/, ''));
		}
	}

	// A thread without own code runs no task. One with own code does so only if it waits for work.
	if (classes.size === 0 || awaiting === '') {
		return classes.size === 0;
	}

	// Only loops wait for selectors, pollers and server sockets. Only a worker without a task waits for the pool's
	// queue.
	if (!queue.test(awaiting) || isWaitingForTask) {
		return true;
	}

	// Tasks wait for queues too. The loop of a thread outside pools is in one class.
	return classes.size === 1 && !isPoolWorker;
}

/** Begins the names of Thread.sleep and of the methods that it calls, which differ by release. */
const sleepMethods = 'java.lang.Thread.sleep';

function isInSleep(dictionary: Dictionary, node: number, {isOwn}: OwnCode): boolean {
	for (const {className, method} of framesOf(dictionary, node)) {
		if (isOwn(className)) {
			return false;
		}

		if (`${className}.${method}`.startsWith(sleepMethods)) {
			return true;
		}
	}

	return false;
}

function hasOnlyOneLibrary(dictionary: Dictionary, node: number, {isOwn}: OwnCode): boolean {
	const frames = framesOf(dictionary, node);
	const own = frames.filter(({className}) => isOwn(className));
	const packages = new Set(own.map(({className}) => className.split('.', 2).join('.')));
	return packages.size <= 1 && frames.every(({method}) => method !== poolLoop);
}
