import {fixed, joined, safe, type Printable} from '../../util/printable.js';
import type {PartFigure} from '../types/query.js';

/** Formats a percentage in at most five characters: 100, 41.2; 0.04 becomes 0.0. Empty if not finite. */
export function formatPercent(percent: number): Printable {
	return Number.isFinite(percent) ? (percent >= 99.95 ? fixed(percent, 0) : fixed(percent, 1)) : safe``;
}

/** Formats a count in at most six characters: 999999, 12.3M, 4.5G. */
export function formatCount(count: number): Printable {
	return scaled(count, 1e6, 1000, [safe``, safe`k`, safe`M`, safe`G`, safe`T`]);
}

/** Returns a count and its noun: `1 thread`, `2 threads`. */
export function plural(count: number, noun: Printable, nouns = safe`${noun}s`): Printable {
	return safe`${formatCount(count)} ${count === 1 ? noun : nouns}`;
}

/** Formats bytes by powers of 1024 in at most six characters: 512B, 3.1G, 8.0G. */
export function formatBytes(bytes: number): Printable {
	return scaled(bytes, 1024, 1024, [safe`B`, safe`K`, safe`M`, safe`G`, safe`T`, safe`P`]);
}

/** Formats nanoseconds as milliseconds: 0.12, 12.3, 4711. */
export function formatMs(nanoseconds: number): Printable {
	const ms = nanoseconds / 1e6;
	return Number.isFinite(ms) ? (ms === 0 ? safe`0` : fixed(ms, ms < 1 ? 2 : (ms < 100 ? 1 : 0))) : safe``;
}

/** Units of time, milliseconds. */
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Formats a time in its two largest units: 350ms, 42s, 5m07s, 2h05m, 3d04h. */
export function formatDuration(ms: number): Printable {
	if (!Number.isFinite(ms) || ms < 0) {
		return safe``;
	}

	const inUnits = (unit: number, name: Printable, smaller: number, smallerName: Printable) =>
		safe`${Math.floor(ms / unit)}${name}${twoDigits(ms % unit / smaller)}${smallerName}`;
	if (ms < second) {
		return safe`${Math.floor(ms)}ms`;
	}

	if (ms < minute) {
		return safe`${Math.floor(ms / second)}s`;
	}

	return ms < hour
		? inUnits(minute, safe`m`, second, safe`s`)
		: (ms < day ? inUnits(hour, safe`h`, minute, safe`m`) : inUnits(day, safe`d`, hour, safe`h`));
}

/** Formats how long a thread has been stuck: 5m07s, or >=5m if it was stuck before the first sample. */
export function formatStuck({stuckMs, stuckAtLeast}: {
	readonly stuckMs: number;
	readonly stuckAtLeast: boolean;
}): Printable {
	const text = formatDuration(stuckMs);
	return stuckAtLeast ? safe`>=${text.replace(/^(\d+[a-z]+).*/, safe`$1`)}` : text;
}

/** Formats how long a thread has been stuck, for a sentence: 5m07s, or at least 5m. */
export function stuckInWords(figures: {readonly stuckMs: number; readonly stuckAtLeast: boolean}): Printable {
	return formatStuck(figures).replace(/^>=/, safe`at least `);
}

/** Formats a number: rounded below `plainBelow`, else in the largest unit (each `step` times the last) that fits. */
function scaled(value: number, plainBelow: number, step: number, units: readonly Printable[]): Printable {
	if (!Number.isFinite(value) || value < 0) {
		return safe``;
	}

	if (value < plainBelow) {
		return safe`${Math.round(value)}${units[0]}`;
	}

	let rest = value;
	let unit = 0;
	while (rest >= step && unit < units.length - 1) {
		rest /= step;
		unit++;
	}

	return safe`${rest < 99.95 ? fixed(rest, 1) : fixed(rest, 0)}${units[unit]}`;
}

/** Formats nanoseconds in at most six characters: 830ns, 12.3us, 4.71ms, 12.3s. */
export function formatNs(ns: number): Printable {
	const units = [['ns', 1], ['us', 1e3], ['ms', 1e6], ['s', 1e9]] as const;
	const [unit, size] = units.findLast(([, nsPerUnit]) => ns >= nsPerUnit) ?? units[0];
	const value = ns / size;
	return safe`${
		unit === 'ns' || value >= 99.95 ? fixed(value, 0) : (value >= 9.995 ? fixed(value, 1) : fixed(value, 2))
	}${unit}`;
}

/** Formats a rate per second in at most six characters. */
export function formatRate(perS: number): Printable {
	return perS > 0 && perS < 99.95 ? fixed(perS, perS < 9.995 ? 2 : 1) : formatCount(perS);
}

/** Returns a sampling error for a sentence: "+/- 1.2", or that it is unknown. */
function errorText(error: number): Printable {
	return Number.isNaN(error) ? safe`(error unknown)` : safe`+/- ${fixed(error, 1)}`;
}

/** Returns a figure in words; one of a core with its share of the CPU time. */
export function partText({percent, error, of}: PartFigure, sharePercent: number): Printable {
	const share = of === 'a core' ? safe`, ${formatPercent(sharePercent)}% of the CPU time` : safe``;
	return safe`${formatPercent(percent)}% of ${of} ${errorText(error)}${share}`;
}

/** Rounds to three decimals; 0 if not finite. */
export function rounded(value: number): number {
	return Number.isFinite(value) ? Math.round(value * 1000) / 1000 : 0;
}

export function decimals(value: number, count: number): number {
	return Number(fixed(value, count));
}

/** Returns nanoseconds as milliseconds, to the microsecond. */
export function msOf(ns: number): number {
	return rounded(ns / 1e6);
}

/** Returns nanoseconds as milliseconds, to the nanosecond. */
export function exactMsOf(ns: number): number {
	return Math.round(ns) / 1e6;
}

/** How a figure is written: as text, and as a number in files. */
export type Format = {readonly text: (value: number) => Printable; readonly file: (value: number) => number};

export const formats = {
	percent: {text: formatPercent, file: value => decimals(value, 2)},
	count: {text: formatCount, file: value => value},
	/** Nanoseconds, written as milliseconds; in files to the microsecond. */
	cpuMs: {text: formatMs, file: msOf},
	/** Milliseconds. */
	ms: {text: value => formatMs(value * 1e6), file: rounded},
	/** Milliseconds; text has their two largest units. */
	duration: {text: formatDuration, file: Math.round},
	/** Nanoseconds; in files milliseconds, to the nanosecond. */
	ns: {text: formatNs, file: exactMsOf},
	perS: {text: formatRate, file: rounded},
	bytes: {text: formatBytes, file: Math.round},
} as const satisfies Record<string, Format>;

/** Returns the local time of day as "14:02" or "14:02:11". */
export function clock(epochMs: number, hasSeconds = false): Printable {
	const date = new Date(epochMs);
	const text = safe`${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
	return hasSeconds ? safe`${text}:${twoDigits(date.getSeconds())}` : text;
}

/** Returns a time range as "14:02:01-14:02:11". */
export function clocks(fromMs: number, toMs: number): Printable {
	return safe`${clock(fromMs, true)}-${clock(toMs, true)}`;
}

/** Returns how long ago a moment was, as "2m05s ago". */
export function ago(atMs: number, nowMs: number): Printable {
	return safe`${formatDuration(Math.max(0, nowMs - atMs))} ago`;
}

/** Returns the local date and time as "2026-09-14 14:02". */
export function dayAndTime(epochMs: number): Printable {
	const date = new Date(epochMs);
	return safe`${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())} ${clock(epochMs)}`;
}

function twoDigits(value: number): Printable {
	return safe`${Math.floor(value)}`.padStart(2, '0');
}

/** Characters of a sparkline, from the lowest value to the highest. */
const sparkCharacters = [...safe` ▁▂▃▄▅▆▇█`];

/** Returns values as a sparkline, a character each; a value of 0 has the first of `sparkCharacters`, 1 the last. */
export function sparkline(values: readonly number[]): Printable {
	const highest = sparkCharacters.length - 1;
	return joined(values.map(value =>
		sparkCharacters[value <= 0 ? 0 : Math.max(1, Math.min(highest, Math.ceil(value * highest)))]), safe``);
}

/** Characters of a bar's end, from one to eight eighths of a cell. */
const barEnds = [...safe`▏▎▍▌▋▊▉█`];

/** Returns a bar of `cells` cells, filled to a part from 0 to 1; blank below half an eighth of a cell. */
export function bar(part: number, cells: number): Printable {
	const eighths = Math.round(Math.max(0, Math.min(1, part)) * cells * barEnds.length);
	const rest = eighths % barEnds.length;
	return safe`${barEnds.at(-1)!.repeat(Math.floor(eighths / barEnds.length))}${rest > 0 ? barEnds[rest - 1] : ''}`;
}
