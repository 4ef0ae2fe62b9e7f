import type {CellRole} from '../../model/role.js';
import type {TargetVitals} from '../../model/snapshot.js';
import {safe, type Printable} from '../../util/printable.js';
import {formatBytes} from '../columns/format.js';

/** Something that the program may use up, and how much of it is in use. */
export type Limit = {
	readonly name: Printable;
	/** Whether the header always has the figure. */
	readonly isInHeader: boolean;
	readonly used: number;
	readonly max: number;
	/** The most that may be used, as text. */
	readonly maxText: Printable;
};

type LimitKind = Pick<Limit, 'name'> & Partial<Pick<Limit, 'isInHeader'>> & {
	readonly figures: (vitals: TargetVitals) => readonly [used: number | undefined, max: number | undefined];
	readonly text: (max: number) => Printable;
};

const percentText = (percent: number) => safe`${Math.round(percent)}%`;
const countText = (count: number) => safe`${count}`;

const kinds: readonly LimitKind[] = [
	{
		name: safe`heap`,
		isInHeader: true,
		figures: vitals => [vitals.heapAfterGcBytes, vitals.heapMaxBytes],
		text: shortBytes,
	},
	{
		name: safe`metaspace`,
		figures: vitals => [vitals.metaspaceCommittedBytes, vitals.metaspaceMaxBytes],
		text: shortBytes,
	},
	{
		name: safe`class space`,
		figures: vitals => [vitals.classSpaceCommittedBytes, vitals.classSpaceMaxBytes],
		text: shortBytes,
	},
	{
		name: safe`direct memory`,
		figures: vitals => [vitals.directBytes, vitals.directMaxBytes],
		text: shortBytes,
	},
	{name: safe`open files`, figures: vitals => [vitals.openFiles, vitals.openFilesMax], text: countText},
	{name: safe`threads`, figures: vitals => [vitals.tasks, vitals.tasksMax], text: countText},
	{name: safe`memory`, figures: vitals => [vitals.memoryBytes, vitals.memoryMaxBytes], text: shortBytes},
	{
		name: safe`CPU`,
		isInHeader: true,
		figures: vitals => [vitals.recentCpuPercent ?? vitals.cpuPercent, vitals.cpuLimitPercent],
		text: percentText,
	},
];

/** Returns the limits that could be read, the one that is nearest first. */
export function limitsOf(vitals: TargetVitals): readonly Limit[] {
	return kinds.flatMap(({name, isInHeader = false, figures, text}): Limit[] => {
		const [used, max] = figures(vitals);
		return used === undefined || max === undefined || max <= 0
			? []
			: [{name, isInHeader, used, max, maxText: text(max)}];
	}).sort((a, b) => usedPercent(b) - usedPercent(a));
}

/** Returns how much of a limit is used up. */
export function usedPercent({used, max}: Pick<Limit, 'used' | 'max'>): number {
	return 100 * used / max;
}

/** Percentages of a limit from which a figure is highlighted, and from which it is in the colour of alarms. */
export const nearPercent = 70;
export const usedUpPercent = 85;

/** Returns the role of a figure by how much of its limit it is. */
export function limitRole(percent: number): Extract<CellRole, 'hot' | 'error'> | undefined {
	return percent >= usedUpPercent ? 'error' : (percent >= nearPercent ? 'hot' : undefined);
}

/** Formats bytes, from 10 of a unit on without a decimal. */
export function shortBytes(bytes: number): Printable {
	return formatBytes(bytes).replace(/(\d\d)\.\d/, safe`$1`).replace(/\.0(?=\D)/, safe``);
}
