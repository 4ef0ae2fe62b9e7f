import {fixed, joined, safe, type Printable} from '../../util/printable.js';
import {sumOf} from '../../util/sum.js';
import {elideStart} from '../../util/cell-width.js';
import {featureRelease, type TargetVitals} from '../../model/snapshot.js';
import {stateCode, type ThreadState} from '../../model/thread-state.js';
import {formatDuration, plural, sparkline} from '../../query/columns/format.js';
import {vitalsTrend} from '../../query/past/recent-vitals.js';
import type {Trend as Steps} from '../../query/past/steps.js';
import {
	limitRole, limitsOf, limitsReachedSoon, nearPercent, shortBytes, usedPercent, type Limit,
} from '../../query/summary/target-limits.js';
import type {Summary} from '../../query/summary/summary.js';
import {heapGrowing, trendArrows, trendOf, type Trend} from '../../query/summary/growth-trend.js';
import {stateRole} from '../../query/columns/state-cells.js';
import type {ScreenData} from '../state/screen-data.js';
import type {UiState} from '../state/state.js';
import type {Role} from '../../model/role.js';
import {joinedGroups, type Item} from '../text/line-items.js';
import {condensed} from '../text/spans.js';
import {badgeOf} from './session-states.js';
import {samplingFigures, warningsOf} from './sampling.js';

export type HeaderContext = {
	readonly ui: UiState;
	readonly data: ScreenData;
	readonly width: number;
};

/** An item of the header. Its three lines, the single line of a low screen and the help are made from these entries. */
export type HeaderItem = Pick<Item, 'priority' | 'leastWidth' | 'isRight' | 'isJoined' | 'elide'> & {
	readonly line: 1 | 2 | 3;
	/** The item's name and meaning in the help; absent if another item has them. */
	readonly word?: string;
	readonly meaning?: string;
	/** Empty: the item is not shown. */
	text(context: HeaderContext): Printable;
	role?(context: HeaderContext): Role | undefined;
};

/** Warnings are truncated to this width at least, so that their figures remain. */
const leastWarningCells = 24;

/** From this width on (in cells) the trend has a character for each step, and the JDK's version is complete. */
const wideWidth = 100;
/** Below this width there is no trend. */
const narrowWidth = 79;

/** Figures from which an item is highlighted; `otherSafepointsPercent`: without collections. */
const highlightedFrom = {
	gcPercent: 10, mostlyGcPercent: 50, jitPercent: 50, otherSafepointsPercent: 10, loadPerCpu: 1.5,
};

/** Figures from which an item is visible. */
const visibleFrom = {
	delayPercent: 10, delayPercentOfCpu: 20, throttledPercent: 1, pressurePercent: 20, jitPercent: 1,
};

/** The sampling rate is shown below this number of samples a second, and below this part of the requested rate. */
const fewSamplesPerS = 5;
const muchOfRequested = 0.5;

/** The height of the trend of collections is at least this share of the time. */
const leastFullGcPercent = 25;

function isJitVisible({summary}: ScreenData): boolean {
	return (summary?.jitCpuPercent ?? 0) >= visibleFrom.jitPercent;
}

/** All items; those of a line are in the order in which the line has them. */
export const headerItems: readonly HeaderItem[] = [
	{
		line: 1, priority: 1, leastWidth: 8, elide: elideStart,
		text: ({data: {snapshot}}) => snapshot?.target.mainClass ?? safe``,
		role: () => 'title',
	},
	{
		line: 1, priority: 5,
		text: ({data: {snapshot}}) => snapshot?.target.pid ? safe`pid ${snapshot.target.pid}` : safe``,
	},
	{
		line: 1, priority: 9,
		text({data: {snapshot}, width}) {
			const version = snapshot?.target.jvmVersion ?? '';
			return version === '' ? safe`` : safe`JDK ${width < wideWidth ? featureRelease(version) : version}`;
		},
	},
	{
		line: 1, priority: 10, word: 'up', meaning: 'for how long the JVM has been running',
		text: ({data: {vitals}}) => vitals.uptimeMs === undefined ? safe`` : safe`up ${formatDuration(vitals.uptimeMs)}`,
	},
	{
		line: 1,
		priority: 2,
		leastWidth: leastWarningCells,
		word: '! ...',
		meaning: 'something is wrong with the figures or with sampling; ? explains it',
		text: ({data}) => joined(warningsOf(data).slice(0, 1).map(({short}) => safe`! ${short}`), safe``),
		role: () => 'error',
	},
	{
		line: 1,
		priority: 11,
		leastWidth: leastWarningCells,
		text: ({data}) =>
			joined([
				...warningsOf(data).slice(1).map(({short}) => short),
				...samplingFigures.flatMap(({bad}) => bad?.(data) ?? []),
			]
				.map(short => safe`! ${short}`), safe`  `),
		role: () => 'error',
	},
	{
		line: 1,
		isRight: true,
		priority: 0,
		leastWidth: 0,
		word: 'LIVE',
		meaning: 'sampling, and the screen is up to date; otherwise what the session is doing',
		text: ({ui, data}) => badgeOf(ui, data).text,
		role: ({ui, data}) => badgeOf(ui, data).role,
	},
	{
		line: 1, isRight: true, priority: 6, word: 'REC', meaning: 'what is sampled is written to this recording',
		text: ({data: {status}}) => status.recordedTo === undefined ? safe`` : safe`REC ${status.recordedTo}`,
		role: () => 'hot',
	},
	{
		line: 1, isRight: true, priority: 8, leastWidth: 5, word: 'EVENTS',
		meaning:
			'events are recorded (A, --events): how many a second, what one costs the program, and how many threads have '
			+ 'no breakpoint; A ends it',
		text: ({data: {status}}) => status.eventsNote === undefined ? safe`` : safe`EVENTS ${status.eventsNote}`,
		role: () => 'hot',
	},
	{
		line: 1,
		isRight: true,
		priority: 7,
		word: '11 of 50/s',
		meaning:
			'samples a second, of how many requested: shown if there are few, as more would cost more '
			+ 'than --max-cpu or --max-overhead allows',
		text: ({data}) => samplingRate(data),
	},
	...figureItems({
		name: safe`CPU`,
		priority: 3,
		meaning:
			'CPU use of the process over the last minute and now, 100 % is one core; then what its '
			+ 'cgroup allows, or the host has',
		trend: {priority: 14, narrowSteps: 6, of: ({cpuTrend}) => cpuTrend},
		text: ({data}) => cpuPercentOf(data) === undefined ? safe`` : safe`${Math.round(cpuPercentOf(data)!)}%`,
		role({data}) {
			const [used, max] = [cpuPercentOf(data), cpuMaxPercent(data.vitals)];
			return used === undefined || max === undefined ? undefined : limitRole(usedPercent({used, max}));
		},
	}),
	{
		line: 2,
		isJoined: true,
		priority: 13,
		text({data}) {
			const max = cpuMaxPercent(data.vitals);
			return max === undefined || cpuPercentOf(data) === undefined ? safe`` : safe`of ${Math.round(max)}%`;
		},
	},
	...figureItems({
		name: safe`GC`,
		priority: 7,
		meaning:
			'share of the time that collections stopped the program, over the last minute and now, '
			+ 'without concurrent cycles; cause of the last one',
		trend: {
			priority: 16,
			narrowSteps: 4,
			of: ({recentVitals}) => vitalsTrend(recentVitals, ({gcPercent}) => gcPercent, leastFullGcPercent),
		},
		text: ({data: {vitals: {gcPercent}}}) => gcPercent === undefined ? safe`` : safe`${Math.round(gcPercent)}%`,
		role({data: {vitals: {gcPercent = 0}}}) {
			const {gcPercent: much, mostlyGcPercent: mostly} = highlightedFrom;
			return gcPercent >= mostly ? 'error' : (gcPercent >= much ? 'hot' : undefined);
		},
	}),
	{
		line: 2,
		isJoined: true,
		priority: 23,
		text: ({data: {vitals: {gcPercent = 0, gcCause}}}) =>
			gcCause === undefined || gcPercent < 1 ? safe`` : safe`(${gcCause})`,
	},
	...figureItems({
		name: safe`heap`,
		priority: 6,
		meaning:
			'Java heap in use after the last collection, of the most that it may have, over the last '
			+ 'minute and now, and whether that rises or falls; what rises until the heap is full is a '
			+ 'leak. "in use": garbage included, if that is all that the collector tells',
		trend: {
			priority: 15,
			narrowSteps: 4,
			of: ({recentVitals, vitals: {heapMaxBytes}}) =>
				heapMaxBytes && vitalsTrend(recentVitals, ({heapAfterGcBytes}) => heapAfterGcBytes, heapMaxBytes),
		},
		text: ({data: {vitals}}) => heapText(vitals),
		role({data: {vitals: {heapAfterGcBytes: used = 0, heapMaxBytes: max = 0}}}) {
			return max > 0 ? limitRole(usedPercent({used, max})) : undefined;
		},
	}),
	{
		line: 2,
		isJoined: true,
		priority: 6,
		text: ({data: {vitals}}) => trendArrows[heapTrend(vitals)],
		role: ({data: {vitals}}) => heapTrend(vitals) === 'rising' ? 'hot' : undefined,
	},
	{
		line: 2,
		isJoined: true,
		priority: 22,
		text: ({data: {vitals}}) =>
			heapTrend(vitals) === 'flat'
				? safe``
				: safe`${shortBytes(Math.abs(vitals.heapGrowthBytesPerMin ?? 0))}/min`,
	},
	{
		line: 2,
		priority: 7,
		word: 'limits ok',
		meaning:
			'of heap, metaspace, class space, direct memory, open files, and the threads, CPU time and memory of its '
			+ 'cgroup the program uses less than 70 % of what it may, as far as limits exist and can be '
			+ 'read; otherwise the nearest limit, or one that is reached within ten minutes at the pace of the last one',
		text({data: {vitals}}) {
			const [limit] = limitsOf(vitals);
			const shown = shownLimit(vitals);
			const okText = vitals.isDirectUnknown ? safe`direct memory unknown` : safe`limits ok`;
			return shown
				? safe`${joined([
					safe`${shown.name} ${Math.round(usedPercent(shown))}% of ${shown.maxText}`,
					...[trendArrows[trendOf(shown) ?? 'flat']].filter(Boolean),
				], safe` `)}`
				: (limit && usedPercent(limit) < nearPercent ? okText : safe``);
		},
		role({data: {vitals}}) {
			const shown = shownLimit(vitals);
			return shown ? limitRole(usedPercent(shown)) : (vitals.isDirectUnknown ? undefined : 'good');
		},
	},
	{
		line: 2,
		isJoined: true,
		priority: 22,
		text({data: {vitals}}) {
			const shown = shownLimit(vitals);
			return shown && trendOf(shown) === 'rising' ? shown.growthText : safe``;
		},
	},
	{
		line: 2,
		priority: 20,
		word: 'GC CPU',
		meaning: 'CPU time of collector threads, in concurrent cycles too, 100 % is one core',
		text: ({data: {summary}}) =>
			summary && summary.collectorCpuPercent >= 1 ? safe`GC CPU ${Math.round(summary.collectorCpuPercent)}%` : safe``,
	},
	{
		line: 2,
		priority: 21,
		word: 'safepoints',
		meaning: 'share of the time that safepoints stopped the program, collections included',
		text: ({data: {vitals: {safepointPercent = 0}}}) =>
			safepointPercent < 1 ? safe`` : safe`safepoints ${Math.round(safepointPercent)}%`,
		role: ({data: {vitals: {safepointPercent = 0, gcPercent = 0}}}) =>
			safepointPercent - gcPercent >= highlightedFrom.otherSafepointsPercent ? 'hot' : undefined,
	},
	{
		line: 2, priority: 17, word: 'JIT', meaning: 'CPU time for compiling code, 100 % is one core',
		text: ({data}) => isJitVisible(data) ? safe`JIT ${Math.round(data.summary!.jitCpuPercent)}%` : safe``,
		role: ({data: {summary}}) => (summary?.jitCpuPercent ?? 0) >= highlightedFrom.jitPercent ? 'hot' : undefined,
	},
	{
		line: 2,
		isJoined: true,
		priority: 22,
		word: 'compiled',
		meaning: 'methods that the JIT compilers finish per second; Lines and Tree say which take long',
		text({data}) {
			const {compilationsPerS = 0} = data.vitals;
			return isJitVisible(data) && compilationsPerS >= 1 ? safe`compiled ${Math.round(compilationsPerS)}/s` : safe``;
		},
	},
	{
		line: 2,
		priority: 8,
		word: 'delay',
		meaning:
			'time that threads were ready to run and had no CPU (run delay), 100 % is one thread all the time; shown where it is a fifth of the CPU use or more',
		text({data}) {
			const {runDelayPercent = 0} = data.summary ?? {};
			return runDelayPercent >= visibleFrom.delayPercent
				&& runDelayPercent * 100 >= visibleFrom.delayPercentOfCpu * (cpuPercentOf(data) ?? 0)
				? safe`delay ${Math.round(runDelayPercent)}%`
				: safe``;
		},
		role: () => 'hot',
	},
	{
		line: 2,
		priority: 9,
		word: 'throttled',
		meaning: 'share of periods in which the program had used up the CPU limit of its cgroup',
		text: ({data: {vitals: {throttledPercent = 0}}}) =>
			throttledPercent >= visibleFrom.throttledPercent ? safe`throttled ${Math.round(throttledPercent)}%` : safe``,
		role: () => 'hot',
	},
	{
		line: 2,
		priority: 18,
		word: 'alloc',
		meaning:
			'memory that the program allocates a second, by how eden has filled in the last ten seconds: without objects too large for it',
		text: ({data: {vitals: {allocBytesPerS = 0}}}) =>
			allocBytesPerS < 1024 ? safe`` : safe`alloc ${shortBytes(allocBytesPerS)}/s`,
	},
	{
		line: 2, priority: 19, word: 'JVM', meaning: 'CPU time of the JVM\'s other threads, and of native ones',
		text({data: {summary}}) {
			const percent = summary ? Math.round(summary.vmCpuPercent - summary.collectorCpuPercent) : 0;
			return percent >= 1 ? safe`JVM ${percent}%` : safe``;
		},
	},
	{
		line: 3,
		priority: 12,
		word: 'threads',
		meaning:
			'threads of the program now: running or ready to run, BLOCKED at a monitor, waiting, idle (waiting for '
			+ 'work: in a queue, a selector or accept, with no task on their stack)',
		text: ({data: {summary}}) => summary && summary.threads > 0
			? safe`${plural(summary.threads, safe`thread`)}:`
			: safe``,
	},
	...([
		{priority: 4, states: ['RUNNABLE'], word: 'running'},
		{priority: 2, states: ['BLOCKED'], word: 'BLOCKED'},
		{priority: 8, states: ['WAITING', 'TIMED_WAITING'], word: 'waiting'},
		{priority: 11, states: ['IDLE'], word: 'idle'},
	] as const).map(({priority, states, word}, index): HeaderItem => ({
		line: 3,
		priority,
		isJoined: index === 0,
		text({data: {summary}}) {
			const count = summary ? threadsIn(summary, states) : 0;
			return count > 0 || (index === 0 && summary && summary.threads > 0) ? safe`${count} ${word}` : safe``;
		},
		role: ({data: {summary}}) =>
			summary && threadsIn(summary, states) > 0 ? stateRole(states[0]) : undefined,
	})),
	{
		line: 3,
		priority: 4,
		word: 'lack a carrier',
		meaning: 'virtual threads that are ready to run while none of their carriers is free',
		text: ({data: {summary}}) =>
			summary && summary.lackingCarrier > 0 ? safe`${summary.lackingCarrier} lack a carrier` : safe``,
		role: () => 'hot',
	},
	{
		line: 3, priority: 17, word: '+24 of the JVM', meaning: 'threads of the JVM itself',
		text: ({data: {summary}}) => summary && summary.vmThreads > 0 ? safe`+${summary.vmThreads} of the JVM` : safe``,
		role: () => 'dim',
	},
	{
		line: 3,
		isRight: true,
		priority: 16,
		word: 'pressure',
		meaning: 'share of the last ten seconds in which something on this host waited for a CPU (/proc/pressure/cpu)',
		text: ({data: {vitals: {cpuPressurePercent = 0}}}) =>
			cpuPressurePercent >= visibleFrom.pressurePercent ? safe`pressure ${Math.round(cpuPressurePercent)}%` : safe``,
	},
	{
		line: 3,
		isRight: true,
		priority: 15,
		word: 'host',
		meaning: 'CPUs of this host, and its load: threads that ran or were ready to run in the last minute',
		text: ({data: {vitals: {hostCpus, hostLoad}}}) =>
			hostCpus === undefined || hostLoad === undefined
				? safe``
				: safe`host: ${plural(hostCpus, safe`CPU`)}, load ${hostLoad < 10 ? fixed(hostLoad, 1) : Math.round(hostLoad)}`,
		role: ({data: {vitals: {hostCpus = 0, hostLoad = 0}}}) =>
			hostLoad > highlightedFrom.loadPerCpu * hostCpus ? 'hot' : undefined,
	},
];

/** The meanings of the words of the header, in their order there. */
export const headerWords: ReadonlyArray<{readonly word: string; readonly meaning: string}> = headerItems
	.flatMap(({word, meaning}) => word !== undefined && meaning !== undefined ? [{word, meaning}] : []);

/** Returns the header's two lines on the program with nothing dropped or truncated, but without the trend. */
export function programTexts(ui: UiState, data: ScreenData): Printable[] {
	const context: HeaderContext = {ui, data: {...data, cpuTrend: undefined, recentVitals: []}, width: wideWidth};
	return ([2, 3] as const).map(line => {
		const groups = joinedGroups(itemsOf(context, line).filter(({text}) => text !== ''));
		return joined(groups.map(group => joined(group.map(({text}) => text), safe` `)), safe`  `);
	}).filter(Boolean);
}

/** The items of one line of the header, or of all three. */
export function itemsOf(context: HeaderContext, line?: HeaderItem['line']): Item[] {
	return headerItems.filter(item => line === undefined || item.line === line)
		.map(({text, role, ...item}) => ({...item, text: text(context), role: role?.(context)}));
}

/** Returns how many threads are in these states; those that lack a carrier are in none. */
function threadsIn({statesNow, lackingCarrier}: Summary, states: readonly ThreadState[]): number {
	return sumOf(states, state => statesNow[stateCode[state]] - (state === 'RUNNABLE' ? lackingCarrier : 0));
}

type FigureOptions = Required<Pick<HeaderItem, 'priority' | 'meaning' | 'text' | 'role'>> & {
	readonly name: Printable;
	readonly trend: {
		readonly priority: number;
		/** The number of characters on a narrow screen; a divisor of a trend's steps. */
		readonly narrowSteps: number;
		of(data: ScreenData): Steps | undefined | 0;
	};
};

/** Returns the items of a figure: its name, its trend as a sparkline, and its value; or one item without a trend. */
function figureItems({name, trend, text, role, priority, meaning}: FigureOptions): HeaderItem[] {
	const isNarrow = ({width}: HeaderContext) => width < narrowWidth;
	return [
		{
			line: 2, priority, word: name, meaning,
			text(context) {
				const value = text(context);
				return value === '' ? safe`` : (isNarrow(context) ? safe`${name} ${value}` : name);
			},
			role: context => isNarrow(context) ? role(context) : undefined,
		},
		{
			line: 2, isJoined: true, priority: trend.priority,
			text(context) {
				const steps = isNarrow(context) || text(context) === '' ? undefined : trend.of(context.data);
				const shown = steps && context.width < wideWidth ? condensed(steps, trend.narrowSteps) : steps;
				return shown ? sparkline(shown).trimStart() : safe``;
			},
			role: () => 'key',
		},
		{
			line: 2, isJoined: true, priority,
			text: context => isNarrow(context) ? safe`` : text(context),
			role,
		},
	];
}

/** Returns the CPU time that the process may use, 100 is one core; undefined if unknown. */
function cpuMaxPercent({cpuLimitPercent = Infinity, hostCpus = Infinity}: TargetVitals): number | undefined {
	const max = Math.min(cpuLimitPercent, 100 * hostCpus);
	return Number.isFinite(max) ? max : undefined;
}

/**
Returns the nearest limit if it is near, or the one that is reached soon, other than those whose figures the header has
anyway.
*/
function shownLimit(vitals: TargetVitals): Limit | undefined {
	return limitsOf(vitals).find(limit => !limit.isInHeader && usedPercent(limit) >= nearPercent)
		?? limitsReachedSoon(vitals).find(({isInHeader}) => !isInHeader);
}

function heapTrend(vitals: TargetVitals): Trend {
	return trendOf(heapGrowing(vitals)) ?? 'flat';
}

function heapText({heapAfterGcBytes, heapUsedBytes, heapMaxBytes}: TargetVitals): Printable {
	const max = heapMaxBytes === undefined ? safe`` : safe` of ${shortBytes(heapMaxBytes)}`;
	if (heapAfterGcBytes !== undefined && heapMaxBytes) {
		return safe`${Math.round(usedPercent({used: heapAfterGcBytes, max: heapMaxBytes}))}%${max}`;
	}

	return heapUsedBytes === undefined ? safe`` : safe`${shortBytes(heapUsedBytes)}${max} in use`;
}

/** The CPU use of the process, 100 is one core; undefined if unknown. */
function cpuPercentOf({vitals, summary}: ScreenData): number | undefined {
	return vitals.cpuPercent ?? (summary && summary.javaCpuPercent + summary.jitCpuPercent + summary.vmCpuPercent);
}

/** The sampling rate, and the requested one if that is higher; empty unless there are few samples. */
function samplingRate({status: {phase}, snapshot, rates: {samplesPerS}}: ScreenData): Printable {
	if (samplesPerS === undefined || (phase !== 'sampling' && phase !== 'recording')) {
		return safe``;
	}

	const {requestedIntervalMs = 0} = snapshot?.session ?? {};
	if (snapshot?.session.engine === 'pprof' && requestedIntervalMs === 0) {
		return safe``;
	}

	const requestedPerS = requestedIntervalMs > 0 ? 1000 / requestedIntervalMs : 0;
	if (samplesPerS < muchOfRequested * requestedPerS) {
		return safe`${rounded(samplesPerS)} of ${rounded(requestedPerS)}/s`;
	}

	return samplesPerS < fewSamplesPerS ? safe`${rounded(samplesPerS)}/s` : safe``;
}

function rounded(rate: number): number {
	return rate >= 10 ? Math.round(rate) : Number(rate.toFixed(1));
}
