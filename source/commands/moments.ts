import {usage} from '../runtime/errors.js';
import type {Snapshot} from '../model/snapshot.js';
import {windowSnapshot} from '../exports/common/window-snapshot.js';
import {LookBack} from '../query/past/look-back.js';
import type {Ring} from '../query/past/ring.js';
import {cellOf, endedBy, usualSpanMs} from '../query/past/steps.js';
import {dayAndTime} from '../ui/text/clock.js';

const timeForms = '"10m ago" (before the recording\'s end), 14:02:30, "2026-11-23 14:02"';
const unitMs: Readonly<Record<string, number>> = {s: 1000, m: 60_000, h: 3_600_000};
const dayMs = 24 * 3_600_000;

/** Returns when a recording begins and ends, epoch milliseconds. */
function rangeOf({windows, base}: Ring): readonly [beginMs: number, endMs: number] {
	return [base?.atMs ?? windows[0].atMs - windows[0].sampledMs, windows.at(-1)!.atMs];
}

/** Returns the moment of a recording that a text names in local time, epoch milliseconds. Throws UserError (2). */
export function momentOf(text: string, spelling: string, ring: Ring): number {
	const [beginMs, endMs] = rangeOf(ring);
	const found = agoOf(text, endMs) ?? timeOfDay(text, beginMs, endMs) ?? (/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d/.test(text) ? Date.parse(text.replace(' ', 'T')) : Number.NaN);
	if (!Number.isFinite(found)) {
		throw usage(`${spelling}: "${text}" is not a time`, timeForms);
	}

	// A whole second or minute may begin just before the first window.
	if (found < beginMs - unitMs.m || found > endMs + unitMs.m) {
		throw usage(`${spelling}: the recording has nothing of ${dayAndTime(found)}`, `it is from ${dayAndTime(beginMs)} to ${dayAndTime(endMs)}`);
	}

	return Math.max(beginMs, Math.min(endMs, found));
}

function agoOf(text: string, endMs: number): number | undefined {
	const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*([smh]) ago$/.exec(text.trim()) ?? [];
	return amount === undefined ? undefined : endMs - (Number(amount) * unitMs[unit]);
}

/** Returns the last such time of day within the recording, or the one nearest to it. */
function timeOfDay(text: string, beginMs: number, endMs: number): number | undefined {
	const [, hours, minutes, seconds = '0'] = /^(\d{1,2}):(\d\d)(?::(\d\d))?$/.exec(text.trim()) ?? [];
	if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) {
		return undefined;
	}

	const ofDay = (ms: number) => new Date(ms).setHours(Number(hours), Number(minutes), Number(seconds), 0);
	const times = [ofDay(endMs - dayMs), ofDay(endMs), ofDay(beginMs)];
	return times.find(ms => ms >= beginMs && ms <= endMs) ?? times.toSorted((a, b) => Math.min(Math.abs(a - endMs), Math.abs(a - beginMs)) - Math.min(Math.abs(b - endMs), Math.abs(b - beginMs)))[0];
}

/** Returns what was counted between two moments; undefined: the recording's start or end. */
export function spanOf(ring: Ring, from: number | undefined, to: number | undefined): Snapshot {
	const lookBack = new LookBack();
	const end = to === undefined ? ring.windows.length - 1 : Math.max(0, endedBy(ring, to));
	const begin = from === undefined ? -1 : Math.min(end - 1, endedBy(ring, from));
	// Undefined only where nothing was counted before.
	const since = from === undefined && ring.base === undefined ? undefined : lookBack.at(ring, begin);
	return windowSnapshot(lookBack.at(ring, end)!.snapshot, since?.snapshot);
}

/** Returns what was counted in the clock's ten seconds around a moment. */
export function windowAt(ring: Ring, atMs: number): Snapshot {
	const {snapshot, since} = new LookBack().window(ring, cellOf(atMs, usualSpanMs), usualSpanMs)!;
	return windowSnapshot(snapshot, since);
}
