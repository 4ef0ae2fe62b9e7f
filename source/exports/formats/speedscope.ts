import {stateCode, threadStates} from '../../model/thread-state.js';
import {sumOf} from '../../util/sum.js';
import {isOfEvents} from '../../query/types/query.js';
import {titleOf} from '../../query/columns/event-columns.js';
import {inPieces, type ExportFormat, type ExportOptions} from '../common/export-format.js';
import {targetLine} from '../common/text-table.js';
import {StackSet} from '../common/stack-set.js';
import {timeLine} from './session-lines.js';

/** speedscope's own file format: a profile of CPU time, and one of ticks for each state; or one of events. */
export const speedscope: ExportFormat = {
	id: 'speedscope',
	title: 'speedscope',
	extension: '.speedscope.json',
	description: 'whole stacks for speedscope.app: a profile of CPU time, and one of ticks for each thread state',
	streaming: false,
	countsEvents: true,
	write: (...given) => inPieces(textOf(...given)),
};

function * textOf(...[snapshot, baseline, options]: Parameters<ExportFormat['write']>): Generator<string> {
	const set = new StackSet();
	const stackCounters = set.add(snapshot, baseline, options.query, options);
	yield `{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":${
		JSON.stringify(`tprof-top ${options.version}`)
	}`;
	yield `,"name":${
		JSON.stringify(`${targetLine(snapshot.target)} | ${timeLine(snapshot, baseline)}`)
	},"shared":{"frames":[`;
	for (const [index, {name, location}] of set.frames.entries()) {
		const file = location?.file ? {file: location.file} : {};
		yield `${index === 0 ? '' : ',\n'}${JSON.stringify({name, ...file, ...(location && location.line >= 0 ? {line: location.line} : {})})}`;
	}

	yield ']},"profiles":[';
	for (const [index, {name, unit, sums}] of profilesOf(set, stackCounters, options).entries()) {
		const weights = sums.map(([, sum]) => sum);
		yield `${index === 0 ? '' : ','}\n${JSON.stringify({
			type: 'sampled', name, unit, startValue: 0, endValue: sumOf(weights, weight => weight), weights,
		}).slice(0, -1)},"samples":[`;
		for (const [at, [stack]] of sums.entries()) {
			yield `${at === 0 ? '' : ','}[${set.framesOf(stack).join(',')}]`;
		}

		yield ']}';
	}

	yield ']}\n';
}

type Profile = {readonly name: string; readonly unit: string; readonly sums: ReturnType<StackSet['sums']>};

/** Returns the profiles of stacks: that of the events of the query's unit, or those of CPU time and of states. */
function profilesOf(
	set: StackSet,
	stackCounters: ReturnType<StackSet['add']>,
	{query: {unit}, states = threadStates, withStates}: ExportOptions,
): readonly Profile[] {
	const {ticks, cpuNs, state} = stackCounters.counters;
	if (isOfEvents(unit)) {
		const sums = set.sums(stackCounters, counter => cpuNs[counter]);
		return [{name: titleOf(unit), unit: unit === 'alloc' ? 'bytes' : 'none', sums}];
	}

	const codes = states.map(name => stateCode[name]);
	const ticksIn = (counted: readonly number[]) =>
		set.sums(stackCounters, counter => counted.includes(state[counter]) ? ticks[counter] : 0);
	const ofStates = withStates
		? [{name: 'Ticks', unit: 'none', sums: ticksIn(codes)}]
		: codes.map(code => ({name: `${threadStates[code]}, ticks`, unit: 'none', sums: ticksIn([code])}));
	return [
		{name: titleOf(unit), unit: 'microseconds', sums: set.sums(stackCounters, counter => cpuNs[counter] / 1000)},
		...ofStates.filter(({sums}) => sums.length > 0),
	];
}
