import {formatDuration} from '../../query/columns/format.js';

/** Returns the local time of day as "14:02" or "14:02:11". */
export function clock(epochMs: number, hasSeconds = false): string {
	const date = new Date(epochMs);
	const text = `${two(date.getHours())}:${two(date.getMinutes())}`;
	return hasSeconds ? `${text}:${two(date.getSeconds())}` : text;
}

/** Returns a time range as "14:02:01-14:02:11". */
export function clocks(fromMs: number, toMs: number): string {
	return `${clock(fromMs, true)}-${clock(toMs, true)}`;
}

/** Returns how long ago a moment was, as "2m05s ago". */
export function ago(atMs: number, nowMs: number): string {
	return `${formatDuration(Math.max(0, nowMs - atMs))} ago`;
}

/** Returns the local date and time as "2026-09-14 14:02". */
export function dayAndTime(epochMs: number): string {
	const date = new Date(epochMs);
	return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock(epochMs)}`;
}

function two(value: number): string {
	return String(Math.floor(value)).padStart(2, '0');
}
