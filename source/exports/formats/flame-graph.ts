import {gzipSync} from 'node:zlib';
import {nativeCodeLine} from '../../model/frame.js';
import {getOrCreate} from '../../util/get-or-create.js';
import {poolName} from '../../util/printable.js';
import type {Snapshot} from '../../model/snapshot.js';
import {threadStates} from '../../model/thread-state.js';
import {countedLines} from '../../query/counted-lines.js';
import {codeKind, type CodeKind} from '../../query/counters/own-code.js';
import {scopeOf} from '../../query/counters/scope.js';
import {eventsMs, sampleTicks, shareError, sampledMs} from '../../query/counters/share.js';
import {maskOf} from '../../query/filter/state-sets.js';
import {isOfEvents, type Location, type Query, type Unit} from '../../query/types/query.js';
import {wholeOf} from '../../query/counters/buckets.js';
import {titleOf} from '../../query/columns/event-columns.js';
import {sumOf} from '../../util/sum.js';
import {readBundled} from '../../util/bundle.js';
import {UserError} from '../../runtime/errors.js';
import {findingsOf} from '../../query/summary/findings.js';
import {comparedFrom} from '../../views/changes/changes.js';
import {escapedMarkup, type ExportFormat, type ExportOptions} from '../common/export-format.js';
import {StackSet} from '../common/stack-set.js';
import {targetLine} from '../common/text-table.js';
import {costLine, noteLines, timeLine} from './session-lines.js';

/** A flame graph as one page that needs no network: d3-flame-graph, the data, and the script in flame-page/. */
export const flameGraph: ExportFormat = {
	id: 'html',
	title: 'Flame graph',
	extension: '.html',
	description:
		'a flame graph as one page for a browser, a mail or a ticket: CPU time or ticks, threads, search, zoom, what changed',
	streaming: false,
	countsEvents: true,
	comparesWithBaseline: true,
	write(snapshot, since, options) {
		const page = pageOf(snapshot, since, options);
		const findings = findingsOf(snapshot, page.since, options.query, {vitals: options.vitals});
		const notes = [
			costLine(snapshot, page.since),
			...page.remarks,
			...options.notes ?? [],
			...noteLines(snapshot, page.since, options.query),
		];
		const parts: Readonly<Record<string, string>> = {
			title: escapedMarkup(targetLine(snapshot.target)),
			summary: escapedMarkup(timeLine(snapshot, page.since)),
			findings: listItems(findings.map(({text}) => text)),
			notes: listItems(notes),
			data: gzipSync(JSON.stringify(page.data)).toString('base64'),
		};
		return template().replaceAll(/<!--(title|summary|findings|notes|data)-->/g, (_, name: string) => parts[name]);
	},
};

function listItems(lines: readonly string[]): string {
	return lines.map(line => `<li>${escapedMarkup(line)}</li>`).join('');
}

/** Returns the page with places for its parts, as build/flame-page.js makes it. Throws UserError. */
function template(): string {
	const page = readBundled('flame-graph.html') ?? readBundled('dist/flame-graph.html');
	if (page === undefined) {
		throw new UserError('flame-graph.html is missing beside cli.js', {
			hint: 'copy the whole dist folder; in a clone, node build.js makes it',
		});
	}

	return page.toString();
}

/** Returns the data that the page draws, the snapshot at its window's start, and remarks on baseline and errors. */
function pageOf(snapshot: Snapshot, given: Snapshot | undefined, {query, depth, states = threadStates}: ExportOptions) {
	const {baseline} = query;
	const begin = baseline && comparedFrom(baseline, snapshot, given);
	// If nothing was counted after the baseline, there is nothing to compare.
	const compared = begin === snapshot ? undefined : baseline;
	const since = compared ? begin : given;
	const {unit} = query;
	// Amounts are microseconds of CPU time, or what events count for.
	const perAmount = isOfEvents(unit) ? 1 : 1000;
	const lengthOf = isOfEvents(unit) ? eventsMs : sampledMs;
	const set = new StackSet();
	const threads = new Map<string, number>();
	const sideOf = (of: Snapshot, from: Snapshot | undefined, sideQuery: Query) => {
		const {counters: {state, thread, ticks, cpuNs}, stacks} = set.add(of, from, sideQuery, {depth});
		const isCounted = (counter: number) => stacks[counter] !== 0 && states.includes(threadStates[state[counter]]);
		const counted = [...stacks.keys()].filter(counter => isCounted(counter)).sort((a, b) => stacks[a] - stacks[b]);
		const {wholeCpuNs, cpuSamples, ticksPerObservation} = countedLines(of, from, sideQuery, {
			...scopeOf(of, sideQuery),
			countedMask: maskOf(states),
		});
		return {
			stackSteps: steps(counted.map(counter => stacks[counter])),
			threads: counted.map(counter =>
				getOrCreate(threads, poolName(of.threads.name[thread[counter]]), () => threads.size)),
			states: counted.map(counter => state[counter]),
			ticks: counted.map(counter => ticks[counter]),
			amounts: counted.map(counter => Math.round(cpuNs[counter] / perAmount)),
			// The amount and the ticks of one independent observation.
			amountPiece: cpuSamples > 0 ? wholeCpuNs / perAmount / cpuSamples : 0,
			tickPiece: ticksPerObservation,
		};
	};

	const isOfSameSession = compared?.snapshot.dictionary.strings === snapshot.dictionary.strings;
	const now = sideOf(snapshot, since, query);
	const was = compared && {
		...sideOf(compared.snapshot, compared.since, isOfSameSession ? query : {...query, threadKeys: undefined}),
		// Factors that scale the baseline's figures to the length and the sampling rate of the window.
		amountScale: ratio(lengthOf(snapshot, since), lengthOf(compared.snapshot, compared.since)),
		tickScale: ratio(sampleTicks(snapshot, since), sampleTicks(compared.snapshot, compared.since)),
	};
	const samples = now.amountPiece > 0 ? sumOf(now.amounts, amount => amount) / now.amountPiece : 0;
	return {
		since,
		remarks: [
			...errorRemark(unit, samples),
			...(compared
				? [`compared with ${compared.title}: ${timeLine(compared.snapshot, compared.since)}; its figures are scaled to this window's length`]
				: []),
		],
		data: {
			...framesOf(set, query),
			callerSteps: set.callers.map((caller, stack) => stack - caller),
			frameOf: set.frameOf,
			threads: [...threads.keys()],
			states: threadStates,
			unit: isOfEvents(unit) ? unit : 'cpu',
			amountTitle: titleOf(unit),
			now: {...now, amountScale: 1, tickScale: 1},
			was,
		},
	};
}

/** Returns a remark on the error of shares in a unit, from the number of independent samples; none without any. */
function errorRemark(unit: Unit, samples: number): string[] {
	const error = shareError(50, samples).toFixed(1);
	const example = `a frame with 50% of ${wholeOf(unit)} has 50% ±${error} (95% confidence)`;
	return samples > 0 ? [`sampling error: ${example}; each frame says its own`] : [];
}

const codeKinds: readonly CodeKind[] = ['other', 'library', 'own'];

/**
Returns, by frame: its name, whether it has a line or is native code (with others an inverted graph does not begin), its
package, and its index in `codeKinds`.
*/
function framesOf({frames}: StackSet, {app}: Query) {
	const packages = new Map<string, number>();
	const packageOf = ({className}: Location) =>
		getOrCreate(packages, className.slice(0, Math.max(0, className.lastIndexOf('.'))), () => packages.size);
	return {
		names: frames.map(({name}) => name),
		isLine: frames.map(({location}) =>
			Number(location !== undefined && (location.line >= 0 || location.line === nativeCodeLine))),
		packageOf: frames.map(({location}) => location ? packageOf(location) : -1),
		kinds: frames.map(({location}) => location ? codeKinds.indexOf(codeKind(location, app)) : 0),
		packages: [...packages.keys()],
	};
}

/** Returns the difference of each number from its predecessor: small numbers, which compress well. */
function steps(numbers: readonly number[]): number[] {
	return numbers.map((number, index) => number - (index === 0 ? 0 : numbers[index - 1]));
}

function ratio(now: number, was: number): number {
	return was > 0 ? now / was : 1;
}
