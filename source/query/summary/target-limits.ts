import type {CellRole} from '../../model/role.js';
import type {TargetVitals} from '../../model/snapshot.js';
import {safe, type Printable} from '../../util/printable.js';
import {mostOf} from '../../util/sum.js';
import {formatBytes, plural} from '../columns/format.js';
import {fullInMs, steadyGrowth, type Growing} from './growth-trend.js';

/** Something that the program uses, and how much of it is in use. */
type Use = Growing & {
	readonly name: Printable;
	/** The beginning of a sentence on it: "Metaspace". */
	readonly subject: Printable;
	readonly isPlural: boolean;
	/** Whether the header always has the figure. */
	readonly isInHeader: boolean;
	/** Whether it is certain that what is in use cannot be used for something else. */
	readonly isCertain: boolean;
	/** Age of the JVM from which growth is a finding; undefined if healthy programs also come near the limit. */
	readonly growthFoundFromMs?: number;
	readonly text: (figure: number) => Printable;
	/** What is in use, its growth over the last minute, and other figures. */
	readonly usedText: Printable;
	readonly growthText: Printable;
	readonly more: readonly Printable[];
};

/** Something that the program may use up. */
export type Limit = Use & {readonly max: number; readonly maxText: Printable};

type Kind = Pick<Use, 'growthFoundFromMs' | 'name' | 'subject'> & {
	readonly isInHeader?: true;
	readonly isPlural?: true;
	readonly figures: (
		vitals: TargetVitals,
	) => readonly [used: number | undefined, max: number | undefined, growthPerMin?: number, steadyPerMin?: number];
	readonly text: (max: number) => Printable;
	isCertain?(vitals: TargetVitals): boolean;
	more?(vitals: TargetVitals): readonly Printable[];
};

const percentText = (percent: number) => safe`${Math.round(percent)}%`;
const countText = (count: number) => safe`${count}`;

/**
Metaspace that is committed but not in use may be used for other classes, unless many loaders have parts of it: then
loading classes makes the JVM collect, which HotSpot's names of the cause say.
*/
const metaspaceInUse = 0.85;
const metaspaceCause = 'Metadata GC ';

/** Every program that starts opens files and fills its buffers; loading its classes takes longer. */
const startMs = 60_000;
const loadingMs = 180_000;

/** Says by how many classes metaspace is used; many class loaders are what a leak of classes looks like. */
function classesText(classes: number, loaders: number | undefined): Printable {
	return loaders === undefined || loaders < manyLoaders
		? safe`by ${classes} classes`
		: safe`by ${classes} classes of ${loaders} class loaders`;
}

/** A server has some class loaders; one that leaks them has hundreds. */
const manyLoaders = 100;

const kinds: readonly Kind[] = [
	{
		name: safe`heap`,
		subject: safe`The heap`,
		isInHeader: true,
		figures: vitals => [
			vitals.heapAfterGcBytes,
			vitals.heapMaxBytes,
			vitals.heapGrowthBytesPerMin,
			vitals.heapSteadyGrowthBytesPerMin,
		],
		text: shortBytes,
	},
	{
		name: safe`metaspace`,
		subject: safe`Metaspace`,
		growthFoundFromMs: loadingMs,
		figures: vitals => [
			vitals.metaspaceCommittedBytes,
			vitals.metaspaceMaxBytes,
			vitals.metaspaceGrowthBytesPerMin,
			vitals.metaspaceSteadyGrowthBytesPerMin,
		],
		text: shortBytes,
		isCertain: ({metaspaceUsedBytes = 0, metaspaceMaxBytes = 0, gcCause = ''}) =>
			metaspaceUsedBytes >= metaspaceInUse * metaspaceMaxBytes || gcCause.startsWith(metaspaceCause),
		more: ({loadedClasses, classLoaders, classLoadsPerS = 0}) => [
			...(loadedClasses ? [classesText(loadedClasses, classLoaders)] : []),
			...(classLoadsPerS >= 1 ? [safe`${Math.round(classLoadsPerS)} more a second`] : []),
		],
	},
	{
		name: safe`class space`,
		subject: safe`The class space of metaspace`,
		growthFoundFromMs: loadingMs,
		figures: vitals => [
			vitals.classSpaceCommittedBytes,
			vitals.classSpaceMaxBytes,
			vitals.classSpaceGrowthBytesPerMin,
			vitals.classSpaceSteadyGrowthBytesPerMin,
		],
		text: shortBytes,
		more: ({loadedClasses}) => loadedClasses ? [safe`by ${loadedClasses} classes`] : [],
	},
	{
		name: safe`direct memory`,
		subject: safe`Direct memory`,
		growthFoundFromMs: startMs,
		figures: vitals => [
			vitals.directBytes,
			vitals.directMaxBytes,
			vitals.directGrowthBytesPerMin,
			vitals.directSteadyGrowthBytesPerMin,
		],
		text: shortBytes,
		more: ({directBuffers}) => directBuffers ? [safe`by ${plural(directBuffers, safe`buffer`)}`] : [],
	},
	{
		name: safe`open files`,
		subject: safe`Open files`,
		isPlural: true,
		growthFoundFromMs: startMs,
		figures: vitals => [
			vitals.openFiles,
			vitals.openFilesMax,
			vitals.openFilesGrowthPerMin,
			vitals.openFilesSteadyGrowthPerMin,
		],
		text: countText,
		more({openFiles = 0, openMostly, openMostlyCount = 0, openSockets = 0, openPipes = 0, openPaths = 0}) {
			if (openMostly !== undefined && 2 * openMostlyCount >= openFiles) {
				return [safe`${openMostlyCount} of them ${openMostly}`];
			}

			const kinds = new Map([['sockets', openSockets], ['pipes', openPipes], ['files', openPaths]] as const);
			const [kind, count] = mostOf(kinds) ?? [];
			return count === undefined ? [] : [safe`${count} of them ${kind!}`];
		},
	},
	{
		name: safe`cgroup threads`,
		subject: safe`Threads of the cgroup`,
		isPlural: true,
		figures: vitals => [vitals.tasks, vitals.tasksMax, vitals.tasksGrowthPerMin],
		text: countText,
		more: ({threadCount}) => threadCount === undefined ? [] : [safe`${threadCount} in this process`],
	},
	{
		name: safe`cgroup memory`,
		subject: safe`Memory of the cgroup`,
		figures: vitals => [vitals.memoryBytes, vitals.memoryMaxBytes],
		text: shortBytes,
		more: () => [safe`without cached files; above it the kernel ends a process`],
	},
	{
		name: safe`CPU`,
		subject: safe`CPU time`,
		isInHeader: true,
		figures: vitals => [vitals.recentCpuPercent ?? vitals.cpuPercent, vitals.cpuLimitPercent],
		text: percentText,
	},
];

/** Returns what could be read. */
function usesOf(vitals: TargetVitals): readonly Use[] {
	return kinds.flatMap((kind): Use[] => {
		const {figures, text, isInHeader = false, isPlural = false, isCertain, more, ...others} = kind;
		const [used, max, growthPerMin, steadyPerMin] = figures(vitals);
		return used === undefined
			? []
			: [{
				...others,
				text,
				isInHeader,
				isPlural,
				isCertain: isCertain?.(vitals) ?? true,
				used,
				max,
				growthPerMin,
				steadyPerMin,
				usedText: text(used),
				growthText: safe`${text(Math.round(Math.abs(growthPerMin ?? 0)))}/min`,
				more: more?.(vitals) ?? [],
			}];
	});
}

/** Returns the limits that could be read, the one that is nearest first. */
export function limitsOf(vitals: TargetVitals): readonly Limit[] {
	return usesOf(vitals).flatMap((use): Limit[] => {
		const {max = 0, text} = use;
		return max > 0 ? [{...use, max, maxText: text(max)}] : [];
	}).sort((a, b) => usedPercent(b) - usedPercent(a));
}

/** Returns what has grown over several minutes, the first to reach its limit first. */
export function growingSteadily(
	vitals: TargetVitals,
): ReadonlyArray<Use & {readonly perMin: number; readonly inMs?: number}> {
	return usesOf(vitals).flatMap(use => {
		const growth = steadyGrowth(use, vitals.uptimeMs);
		return growth ? [{...use, ...growth}] : [];
	}).sort((a, b) => (a.inMs ?? Infinity) - (b.inMs ?? Infinity));
}

/** Returns how much of a limit is used up. */
export function usedPercent({used, max}: Pick<Limit, 'used' | 'max'>): number {
	return 100 * used / max;
}

/** A limit that is reached within this time at the pace of the last minute is shown. */
const soonMs = 600_000;

/** Returns the limits that will soon be reached at the pace of the last minute, the first one first. */
export function limitsReachedSoon(vitals: TargetVitals): ReadonlyArray<Limit & {readonly inMs: number}> {
	return limitsOf(vitals).flatMap(limit => {
		const inMs = fullInMs(limit);
		return inMs === undefined || inMs > soonMs ? [] : [{...limit, inMs}];
	}).sort((a, b) => a.inMs - b.inMs);
}

/** Percentages of a limit from which a figure is highlighted, and from which it is in the colour of alarms. */
export const nearPercent = 70;
const usedUpPercent = 85;

/** Returns the role of a figure by how much of its limit it is. */
export function limitRole(percent: number): Extract<CellRole, 'hot' | 'error'> | undefined {
	return percent >= usedUpPercent ? 'error' : (percent >= nearPercent ? 'hot' : undefined);
}

/** Formats bytes, from 10 of a unit on without a decimal. */
export function shortBytes(bytes: number): Printable {
	return formatBytes(bytes).replace(/(\d\d)\.\d/, safe`$1`).replace(/\.0(?=\D)/, safe``);
}
