import type {Place} from '../types.js';

/** What a place used per second of sampling, and half the width of the 95 % interval of each rate. */
export type ChangeFigures = {
	/** CPU milliseconds: 1000 is a core. */
	readonly cpuMsPerS: number;
	readonly cpuError: number;
	/** Thread samples in the counted states. */
	readonly ticksPerS: number;
	readonly ticksError: number;
	/** Share of the CPU time, 0..100. */
	readonly cpuPercent: number;
};

/** A row of the Changes view: what a place uses in the window and used in what was marked, and the difference. */
export type ChangeRow = Place & {
	readonly key: string;
	readonly now: ChangeFigures;
	readonly was: ChangeFigures;
	readonly cpuChange: number;
	readonly ticksChange: number;
	/** Half the width of the 95 % interval of each change. */
	readonly cpuError: number;
	readonly ticksError: number;
	/** Whether it was counted in one of the two alone. */
	readonly kind: 'new' | 'gone' | 'both';
	/** Neither change is more than its error. */
	readonly isNoise: boolean;
};

/** Filtered and sorted; `allRows` counts those before the filter. */
export type ChangeTable = {readonly rows: readonly ChangeRow[]; readonly allRows: number};
