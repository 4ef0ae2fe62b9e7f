import type {CellRole} from '../../model/role.js';
import type {TargetVitals} from '../../model/snapshot.js';
import {safe, type Printable} from '../../util/printable.js';
import {mostOf} from '../../util/sum.js';
import {formatBytes, plural} from '../columns/format.js';

/** Something that the program may use up, and how much of it is in use. */
export type Limit = {
	readonly name: Printable;
	/** The beginning of a sentence on it: "Metaspace is". */
	readonly subject: Printable;
	/** Whether the header always has the figure. */
	readonly isInHeader: boolean;
	/** Whether it is certain that what is in use cannot be used for something else. */
	readonly isCertain: boolean;
	readonly used: number;
	readonly max: number;
	/** These as texts, and other figures. */
	readonly usedText: Printable;
	readonly maxText: Printable;
	readonly more: readonly Printable[];
};

type Kind = Pick<Limit, 'name' | 'subject'> & {
	readonly isInHeader?: true;
	readonly figures: (vitals: TargetVitals) => readonly [used: number | undefined, max: number | undefined];
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

const kinds: readonly Kind[] = [
	{
		name: safe`heap`,
		subject: safe`The heap is`,
		isInHeader: true,
		figures: vitals => [vitals.heapAfterGcBytes, vitals.heapMaxBytes],
		text: shortBytes,
	},
	{
		name: safe`metaspace`,
		subject: safe`Metaspace is`,
		figures: vitals => [vitals.metaspaceCommittedBytes, vitals.metaspaceMaxBytes],
		text: shortBytes,
		isCertain: ({metaspaceUsedBytes = 0, metaspaceMaxBytes = 0, gcCause = ''}) =>
			metaspaceUsedBytes >= metaspaceInUse * metaspaceMaxBytes || gcCause.startsWith(metaspaceCause),
		more: ({loadedClasses, classLoadsPerS = 0}) => [
			...(loadedClasses ? [safe`by ${loadedClasses} classes`] : []),
			...(classLoadsPerS >= 1 ? [safe`${Math.round(classLoadsPerS)} more a second`] : []),
		],
	},
	{
		name: safe`class space`,
		subject: safe`The class space of metaspace is`,
		figures: vitals => [vitals.classSpaceCommittedBytes, vitals.classSpaceMaxBytes],
		text: shortBytes,
		more: ({loadedClasses}) => loadedClasses ? [safe`by ${loadedClasses} classes`] : [],
	},
	{
		name: safe`direct memory`,
		subject: safe`Direct memory is`,
		figures: vitals => [vitals.directBytes, vitals.directMaxBytes],
		text: shortBytes,
		more: ({directBuffers}) => directBuffers ? [safe`by ${plural(directBuffers, safe`buffer`)}`] : [],
	},
	{
		name: safe`open files`,
		subject: safe`Open files are`,
		figures: vitals => [vitals.openFiles, vitals.openFilesMax],
		text: countText,
		more({openSockets = 0, openPipes = 0, openPaths = 0}) {
			const kinds = new Map([['sockets', openSockets], ['pipes', openPipes], ['files', openPaths]] as const);
			const [kind, count] = mostOf(kinds) ?? [];
			return count === undefined ? [] : [safe`${count} of them ${kind!}`];
		},
	},
	{
		name: safe`cgroup threads`,
		subject: safe`Threads of the cgroup are`,
		figures: vitals => [vitals.tasks, vitals.tasksMax],
		text: countText,
		more: ({threadCount}) => threadCount === undefined ? [] : [safe`${threadCount} in this process`],
	},
	{
		name: safe`cgroup memory`,
		subject: safe`Memory of the cgroup is`,
		figures: vitals => [vitals.memoryBytes, vitals.memoryMaxBytes],
		text: shortBytes,
		more: () => [safe`without cached files; above it the kernel ends a process`],
	},
	{
		name: safe`CPU`,
		subject: safe`CPU time is`,
		isInHeader: true,
		figures: vitals => [vitals.recentCpuPercent ?? vitals.cpuPercent, vitals.cpuLimitPercent],
		text: percentText,
	},
];

/** Returns the limits that could be read, the one that is nearest first. */
export function limitsOf(vitals: TargetVitals): readonly Limit[] {
	return kinds.flatMap(({figures, text, isInHeader = false, isCertain, more, ...kind}): Limit[] => {
		const [used, max] = figures(vitals);
		return used === undefined || max === undefined || max <= 0
			? []
			: [{
				...kind,
				isInHeader,
				isCertain: isCertain?.(vitals) ?? true,
				used,
				max,
				usedText: text(used),
				maxText: text(max),
				more: more?.(vitals) ?? [],
			}];
	}).sort((a, b) => usedPercent(b) - usedPercent(a));
}

/** Returns how much of a limit is used up. */
export function usedPercent({used, max}: Pick<Limit, 'used' | 'max'>): number {
	return 100 * used / max;
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
