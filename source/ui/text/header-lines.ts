import {stateCode} from '../../model/thread-state.js';
import type {Snapshot, TargetVitals} from '../../model/snapshot.js';
import {cellWidth} from '../../model/cell-width.js';
import {engineName} from '../../model/engine-name.js';
import {formatBytes, formatCount, formatDuration} from '../../query/columns/format.js';
import {stateCells, stateLetters, stateRole} from '../../query/columns/state-cells.js';
import {beginOf} from '../../query/changes/changes.js';
import {circleText} from '../../query/locks/deadlock-text.js';
import {windowMs} from '../../query/summary.js';
import type {Summary} from '../../query/types.js';
import {windows} from '../../query/facts/window.js';
import {viewOf, views} from '../../views/registry.js';
import type {ScreenData} from '../state/screen-data.js';
import type {UiState} from '../state/state.js';
import {Theme, type Role} from '../terminal/theme.js';
import {
	cut, fitPieces, pieceAt, styledWidth, type Piece,
} from './cells.js';
import {
	ago, clock, clocks, dayAndTime,
} from './clock.js';
import type {Layout} from './layout.js';
import {halved, sparkline} from './trend.js';
import {warningsOf} from './warnings.js';

/** What the session does now, in a word that fits every header. */
export function badge(state: UiState, {status, vitals, samplesSincePause, snapshot, nowMs, past}: ScreenData): {readonly text: string; readonly role: Role} {
	const {phase} = status;
	if (past) {
		return {text: `PAST ${clock(past.toMs, true)}`, role: 'hot'};
	}

	if (phase === 'starting') {
		return {text: 'STARTING', role: 'hot'};
	}

	if (phase === 'ended') {
		return {text: `ENDED ${clock(lastSampleMs(snapshot) ?? nowMs, true)}`, role: 'error'};
	}

	if (phase === 'failed') {
		return {text: 'FAILED', role: 'error'};
	}

	if (phase === 'recording') {
		return {text: `RECORDED ${snapshot ? dayAndTime(snapshot.session.takenAtMs) : ''}`.trim(), role: 'hot'};
	}

	if (vitals.isStopped) {
		return {text: 'TARGET STOPPED', role: 'error'};
	}

	if (state.isPaused) {
		return {text: `PAUSED +${samplesSincePause} samples`, role: 'hot'};
	}

	if (status.stale) {
		return {text: 'STALE', role: 'error'};
	}

	if (status.silentS !== undefined && phase === 'sampling') {
		return {text: `NO SAMPLE ${status.silentS}s`, role: 'error'};
	}

	if (status.nextS !== undefined && phase === 'sampling') {
		return {text: `THROTTLED next ${status.nextS > 0 ? `in ${formatDuration(status.nextS * 1000)}` : 'is due'}`, role: 'hot'};
	}

	return phase === 'paused' ? {text: 'STOPPED', role: 'hot'} : {text: `LIVE ${clock(nowMs)}`, role: 'good'};
}

/** When the target was last seen alive, epoch milliseconds; undefined when it never was. */
export function lastSampleMs(snapshot: Snapshot | undefined): number | undefined {
	const atMs = snapshot?.session.lastSampleAtMs ?? 0;
	return atMs > 0 ? atMs : undefined;
}

/** The session in a line: target, engine, what it does now. */
export function targetLine(state: UiState, data: ScreenData, {width, header}: Layout, theme: Theme): string {
	const {text, role} = badge(state, data);
	const right = cut(text, width);
	const room = Math.max(0, width - cellWidth(right) - 2);
	const {snapshot, vitals} = data;
	const target = snapshot?.target;
	const deadlocks = header === 'line' ? data.summary?.deadlocks ?? [] : [];
	const pieces: Piece[] = [
		// A low screen has no other line for it.
		{text: deadlocks.length > 0 ? deadlockLine(deadlocks) : '', rank: 0, look: part => theme.paint('error', part)},
		{text: header === 'full' ? 'tprof-top' : '', rank: 5, look: part => theme.paint('title', part)},
		{text: target?.pid ? String(target.pid) : '', rank: 1},
		{text: target?.mainClass ?? '', rank: deadlocks.length > 0 ? 1 : 0, look: part => theme.paint('title', part)},
		{text: target?.jvmVersion ? `JDK ${target.jvmVersion}` : '', rank: 4},
		{text: vitals.uptimeMs === undefined ? '' : `up ${formatDuration(vitals.uptimeMs)}`, rank: 6},
		{text: snapshot && snapshot.session.engine !== '' ? `${engineName(snapshot.session)} ${rate(data)}`.trim() : '', rank: header === 'full' ? 3 : 6},
		{text: rateAsked(data), rank: 7, look: part => theme.paint('hot', part)},
		...(header === 'line' ? statePieces(data, theme).map(piece => ({...piece, rank: piece.rank + 2})) : []),
	];
	const left = room > 0 ? fitPieces(pieces, room, ' ') : '';
	const leftWidth = styledWidth(left);
	return left + ' '.repeat(Math.max(0, width - leftWidth - cellWidth(right))) + theme.paint(role, right);
}

/** The rate that is reached, which the one asked for or planned may not be; none while nothing is sampled. */
function rate({status: {phase}, lately: {samplesPerS}}: ScreenData): string {
	return samplesPerS === undefined || (phase !== 'sampling' && phase !== 'recording') ? '' : `${perSecond(samplesPerS)}/s`;
}

function perSecond(samples: number): number {
	return samples >= 10 ? Math.round(samples) : Number(samples.toFixed(1));
}

/** The rate that was asked for, where our own CPU time is what keeps us from it. */
function rateAsked({status: {phase}, snapshot, lately: {samplesPerS}}: ScreenData): string {
	const {intervalMs = 0, cpuIntervalMs = 0, requestedIntervalMs = 0} = snapshot?.session ?? {};
	const isLimit = phase === 'sampling' && requestedIntervalMs > 0 && cpuIntervalMs >= intervalMs && cpuIntervalMs > worthSaying * requestedIntervalMs;
	const asked = 1000 / requestedIntervalMs;
	// What is reached, over ten seconds, follows later: so long nothing is missing.
	return isLimit && samplesPerS !== undefined && samplesPerS * worthSaying < asked ? `(${perSecond(asked)} asked)` : '';
}

/** A rate that is lower by less is as good as the one asked for. */
const worthSaying = 1.15;

/** How sampling goes, and what it costs. */
export function sessionLine(data: ScreenData, width: number, theme: Theme): string {
	const {snapshot, summary, status, lately: {ownCpuPercent}} = data;
	if (!snapshot) {
		return theme.paint('dim', cut(status.note ?? 'waiting for the first sample', width));
	}

	const {session} = snapshot;
	const percent = (value: number | undefined) => value === undefined ? '-' : `${Number(value.toFixed(1))}%`;
	const stopped = session.durationMs > 0 ? 100 * (session.targetStoppedMs + session.targetInterruptedMs) / session.durationMs : undefined;
	const skipped = session.refusedThreads + session.lateThreads;
	const warnings = warningsOf(data).map(({short}, index): Piece => ({text: `! ${short}`, rank: index === 0 ? 0 : 4, look: part => theme.paint('error', part)}));
	const pieces: Piece[] = [
		...warnings,
		{text: `${warnings.length > 0 ? '| ' : ''}samples ${formatCount(session.samples)}`, rank: warnings.length > 0 ? 1 : 0},
		{text: `late ${formatCount(session.late)}`, rank: 3},
		{text: `failed ${formatCount(session.failed)}`, rank: session.failed > 0 ? 1 : 3, look: part => session.failed > 0 ? theme.paint('hot', part) : part},
		{text: session.incompleteStacks > 0 ? `cut ${formatCount(session.incompleteStacks)}` : '', rank: 5},
		{text: skipped > 0 ? `skipped ${formatCount(skipped)}` : '', rank: 4},
		{text: `| cost ${percent(stopped)} of target, ${percent(ownCpuPercent)} own`, rank: 1},
		{text: session.pauseP99Us > 0 ? `pause ${micros(session.pauseP50Us)} p99 ${micros(session.pauseP99Us)} worst ${micros(session.pauseWorstUs)}` : '', rank: 6},
		{text: summary ? `| threads ${summary.threads}` : '', rank: 2},
		{text: summary && summary.vmThreads > 0 ? `+${summary.vmThreads} JVM` : '', rank: 7},
		{text: status.note ? `| ${status.note}` : '', rank: 9, look: part => theme.paint('dim', part)},
	];
	return fitPieces(pieces, width, ' ');
}

function micros(us: number): string {
	return us < 1000 ? `${Math.round(us)}us` : `${Number((us / 1000).toFixed(us < 10_000 ? 1 : 0))}ms`;
}

/** The target's own figures, and its threads by state. */
export function vitalsLine(data: ScreenData, width: number, theme: Theme): string {
	const {vitals, summary, cpuTrend} = data;
	const measured = summary ? summary.javaCpuPercent + summary.jitCpuPercent + summary.vmCpuPercent : undefined;
	const cpu = vitals.cpuPercent ?? measured;
	const pieces: Piece[] = [
		{text: cpu === undefined ? '' : `CPU ${Math.round(cpu)}%`, rank: 0},
		{text: cpuTrend ? sparkline(width < wideTrendWidth ? halved(cpuTrend) : cpuTrend, theme.levels) : '', rank: 5, look: part => theme.paint('key', part)},
		{text: summary && summary.jitCpuPercent >= 1 ? `jit ${Math.round(summary.jitCpuPercent)}%` : '', rank: 6},
		{text: summary && summary.vmCpuPercent >= 1 ? `vm ${Math.round(summary.vmCpuPercent)}%` : '', rank: 6},
		{text: heap(vitals), rank: 4},
		{text: vitals.gcPercent === undefined ? '' : `GC ${vitals.gcPercent.toFixed(1)}%`, rank: 5},
		...statePieces(data, theme),
	];
	return fitPieces(pieces, width, ' ');
}

/** From this width on the trend of the CPU has a character for each step, below it one for two. */
const wideTrendWidth = 100;

/** `heap 3.1G/8.0G`; what is not known is a dash. */
function heap({heapUsedBytes, heapCapacityBytes}: TargetVitals): string {
	const [used, capacity] = [heapUsedBytes, heapCapacityBytes].map(bytes => bytes === undefined ? '-' : formatBytes(bytes));
	return heapUsedBytes === undefined && heapCapacityBytes === undefined ? '' : `heap ${used}/${capacity}`;
}

const statePiecesOf = [
	{title: 'RUN', state: 'RUNNABLE', rank: 1},
	{title: 'BLK', state: 'BLOCKED', rank: 0},
	{title: 'WAIT', state: 'WAITING', rank: 2},
	{title: 'TIMED', state: 'TIMED_WAITING', rank: 3},
	{title: 'idle', state: 'IDLE', rank: 3},
] as const;

function statePieces({summary}: ScreenData, theme: Theme): Piece[] {
	if (!summary) {
		return [];
	}

	return statePiecesOf.map(({title, state, rank}) => {
		const threads = summary.statesNow[stateCode[state]];
		const isAlarm = state === 'BLOCKED' && threads > 0;
		return {
			text: `${state === 'RUNNABLE' ? '| ' : ''}${title} ${threads}${isAlarm ? '!' : ''}`,
			rank,
			look: (part: string) => threads > 0 ? theme.paint(stateRole(state), part) : part,
		};
	});
}

/** All threads by state, over the whole width; while threads are in a deadlock, which. */
export function strip({summary}: ScreenData, width: number, theme: Theme): string {
	if (summary && summary.deadlocks.length > 0) {
		return theme.paint('error', cut(deadlockLine(summary.deadlocks), width));
	}

	return summary ? theme.paintStates(stateCells(summary.statesNow, width)) : '';
}

function deadlockLine([first, ...others]: Summary['deadlocks']): string {
	return `DEADLOCK${others.length > 0 ? ` (and ${others.length} more)` : ''}: ${circleText(first)}`;
}

/** The views, and what of the rows is shown. */
export function tabsLine(state: UiState, data: ScreenData, width: number, theme: Theme): string {
	return fitPieces(tabPieces(state, data, width, theme), width, ' ');
}

/** The id of the view whose tab is at a cell of that line; undefined for none. */
export function tabAt(state: UiState, data: ScreenData, width: number, column: number): string | undefined {
	return pieceAt(column, tabPieces(state, data, width, plain), width, ' ');
}

const plain = new Theme({color: false, ascii: true});

function tabPieces(state: UiState, data: ScreenData, width: number, theme: Theme): Piece[] {
	const view = viewOf(state.view);
	const filterRoom = Math.max(0, width - 3 - cellWidth(view.title));
	const tabs: Piece[] = views.map(({id, title}) => id === state.view
		? {id, text: `[${title}]`, rank: 0, look: part => theme.paint('tab', part)}
		: {id, text: title, rank: 3});
	const {query} = state;
	const remark = view.remark(query);
	const over = data.status.phase === 'recording' ? formatDuration(data.snapshot?.session.durationMs ?? 0) : windowText(state, data);
	return [
		...tabs,
		{text: `| window ${over}`, rank: 2},
		{text: state.onlyThreads === undefined ? '' : `| only ${state.onlyThreads}`, rank: 1, look: part => theme.paint('hot', part)},
		{text: state.stateSet === 'active' ? '' : `| states: ${state.stateSet ?? stateLetters.filter(({states}) => states.some(name => query.states.includes(name))).map(({letter}) => letter).join('')}`, rank: 1, look: part => theme.paint('hot', part)},
		// A table that is filtered must say so, however long the filter is.
		{text: query.filter === '' ? '' : cut(`| filter: ${query.filter}`, filterRoom), rank: 0, look: part => theme.paint('hot', part)},
		{text: remark === '' ? '' : `| ${remark}`, rank: 2},
	];
}

function windowText(state: UiState, {summary, past, nowMs, snapshot, baseline}: ScreenData): string {
	const {query: {mark}} = state;
	const begin = snapshot && mark && viewOf(state.view).comparesWithMark ? beginOf(mark, snapshot, baseline) : baseline;
	if (snapshot && begin !== baseline) {
		return `since the mark ${formatDuration(windowMs(snapshot, begin))}`;
	}

	if (past) {
		return `${clocks(past.fromMs, past.toMs)}, ${ago(past.toMs, nowMs)}`;
	}

	const over = summary ? ` ${formatDuration(summary.windowMs)}` : '';
	return state.window === 'last-10s' ? 'last 10s' : `${windows.find(({id}) => id === state.window)!.title}${over}`;
}

