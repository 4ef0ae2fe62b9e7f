import {rootNode} from '../../model/frame.js';
import type {Dictionary} from '../../model/snapshot.js';
import {ownCode} from '../counters/own-code.js';

/** Where a loop asks for its next piece of work, `Class.method`: a queue, a selector or poller, a server's socket. */
const asksForWork = /(?:Queue|Deque)\.(?:take|poll|remove)\w*$|^sun\.nio\.ch\.EPoll|\.epollWait\w*$|(?:Socket|ServerSocketChannel)\w*\.accept$/;
const queue = /(?:Queue|Deque)\.\w+$/;

/** Where the worker of a pool does so, and where it runs a task. */
const poolAsks = '.getTask';
const poolRuns = '.runWorker';

/** By the strings of a session, which are one array in all its snapshots, and by node. */
const known = new WeakMap<readonly string[], Map<number, boolean>>();

/**
Whether a stack, of a thread that waits, is that of a worker without work: nothing of a program is on it, or nothing but a
loop that asks for work. A loop at a queue is a pool's, or the code of one class.
*/
export function waitsForWork(dictionary: Dictionary, node: number): boolean {
	const nodes = known.get(dictionary.strings) ?? new Map<number, boolean>();
	known.set(dictionary.strings, nodes);
	const answer = nodes.get(node) ?? isWithoutTask(dictionary, node);
	nodes.set(node, answer);
	return answer;
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
