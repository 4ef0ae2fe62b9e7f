import v8 from 'node:v8';
import {giveMemoryBack} from './give-back.js';

/** The first numbers are on the screen by then: at the start collecting early would cost a tenth of its CPU time. */
const collectEarlyAfterMs = 10_000;
/** What is hot has been compiled by then: functions of the sampler within seconds, of the screen within a minute. */
const settledAfterMs = 120_000;
/**
How much bytecode a function must run before V8 optimizes it, three hundred times what it is by itself
(--interrupt-budget; V8 reads it whenever it begins to count anew, for all threads of the process).
*/
const budgetBytes = 20_000_000;

/**
Has V8 collect early and give back what it does not need (--optimize-for-size): our garbage comes slowly, and V8 would
keep a third more memory than is in use, for a tenth of a percent of a core less. After some minutes it optimizes no
more than what becomes really hot: what runs once a second takes minutes to hours to get there by itself, and then
costs more to compile, in CPU time and memory, than it saves. Returns what calls off what is to come.
*/
export function keepHeapsSmall(): () => void {
	const timers = [
		setTimeout(() => {
			v8.setFlagsFromString('--optimize-for-size');
		}, collectEarlyAfterMs),
		setTimeout(() => {
			v8.setFlagsFromString(`--interrupt-budget=${budgetBytes}`);
		}, settledAfterMs),
	];
	for (const timer of timers) {
		timer.unref();
	}

	const endGivingBack = giveMemoryBack();
	return () => {
		endGivingBack();
		for (const timer of timers) {
			clearTimeout(timer);
		}
	};
}
