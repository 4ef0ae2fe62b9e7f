import {threadStates} from '../../model/thread-state.js';
import {scopeOf} from '../../query/counters/scope.js';
import {isOfEvents} from '../../query/types/query.js';
import {inPieces, type ExportFormat} from '../common/export-format.js';
import {StackSet} from '../common/stack-set.js';

/** Collapsed stacks, as flamegraph.pl and inferno read them: names of frames, outermost first, and a count. */
export const collapsed: ExportFormat = {
	id: 'collapsed',
	title: 'Collapsed stacks',
	extension: '.collapsed.txt',
	description:
		'a stack per line and its CPU time in microseconds, for flame graph tools; ticks if --state or --with-states is given',
	streaming: false,
	countsEvents: true,
	write: (...given) => inPieces(linesOf(...given)),
};

function * linesOf(...[snapshot, baseline, options]: Parameters<ExportFormat['write']>): Generator<string> {
	// If stacks begin with states, the ticks of all states count, unless the user chose some.
	const query = {
		...options.query,
		states: options.states ?? (options.withStates ? threadStates : options.query.states),
	};
	const {countedMask, unit} = scopeOf(snapshot, query);
	const isInTicks = unit === 'ticks'
		|| (!isOfEvents(unit) && ((options.withStates ?? false) || options.states !== undefined));
	const set = new StackSet();
	const stackCounters = set.add(snapshot, baseline, query, options);
	const {ticks, cpuNs, state} = stackCounters.counters;
	const countedTicks = (counter: number) => ((countedMask >> state[counter]) & 1) * ticks[counter];
	const names = set.frames.map(({name}) => name.replaceAll(';', ','));
	const amountOf = (counter: number) =>
		isInTicks ? countedTicks(counter) : cpuNs[counter] / (isOfEvents(unit) ? 1 : 1000);
	for (const [stack, sum] of set.sums(stackCounters, amountOf)) {
		yield `${set.framesOf(stack).map(frame => names[frame]).join(';')} ${sum}\n`;
	}
}
