/*
Bytes that the built program writes to a pseudo-terminal of 80 x 24, on 200 threads x 50 frames: for a refresh of a
changing screen (below 3 KB), for a move of the cursor (below 400), and while nothing changes (an opened recording:
none). A screen that is paused, or whose sampling is stopped, goes on showing the target's CPU and heap, and is given as
it is. TPROF_BENCH_REFRESHES refreshes (20).
*/
import {mkdtempSync, readdirSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import type {TerminalSession} from '../test/helpers/terminal.js';
import {median, printFigures, type Figure} from './support/figures.js';
import {
	buildProgram, depth, quit, sampling, startManyThreads, startTerminal, threads,
} from './support/program.js';

const refreshes = Number(process.env.TPROF_BENCH_REFRESHES ?? 20);
const moves = 20;
/** Long enough for several refreshes of a screen that would draw again. */
const stillS = 5;
/** A key's frame comes within some milliseconds; on a busy machine later. */
const settleMs = 300;
const goals = {refresh: 3 * 1024, move: 400, still: 1} as const;

/** Every frame begins with a synchronized update (mode 2026). */
const beginFrame = '\u001B[?2026h';

function framesSince(terminal: TerminalSession, length: number): number[] {
	return terminal.raw.slice(length).split(beginFrame).slice(1).map(frame => Buffer.byteLength(beginFrame + frame));
}

async function bytesWhile(terminal: TerminalSession, seconds: number): Promise<number> {
	await terminal.quiet();
	const {length} = terminal.raw;
	await sleep(seconds * 1000);
	return Buffer.byteLength(terminal.raw.slice(length));
}

async function measureRefreshes(terminal: TerminalSession): Promise<Figure[]> {
	const {length} = terminal.raw;
	while (framesSince(terminal, length).length <= refreshes) {
		await sleep(200);
	}

	const frames = framesSince(terminal, length).slice(0, refreshes);
	return [
		{
			what: 'refresh of a changing screen', value: median(frames), unit: 'bytes', below: goals.refresh, of: `median of ${frames.length}`,
		},
		{
			what: 'the same, greatest', value: Math.max(...frames), unit: 'bytes', below: goals.refresh, of: `${frames.length} refreshes`,
		},
	];
}

async function measureMoves(terminal: TerminalSession, where: string): Promise<Figure> {
	const bytes: number[] = [];
	for (let move = 0; move < moves; move++) {
		const {length} = terminal.raw;
		terminal.type(move % 4 < 2 ? 'j' : 'k');
		await terminal.quiet(length, settleMs);
		// The first frame is the key's; a refresh may follow.
		bytes.push(framesSince(terminal, length)[0]);
	}

	return {
		what: `move of the cursor, ${where}`, value: median(bytes), unit: 'bytes', below: goals.move, of: `median of ${bytes.length}, ${Math.min(...bytes)} to ${Math.max(...bytes)}`,
	};
}

async function live(cli: string, pid: number, folder: string): Promise<Figure[]> {
	const terminal = startTerminal(cli, [String(pid), ...sampling, '--snapshot-dir', folder]);
	try {
		await terminal.until('ManyThreads');
		await sleep(3000);
		const figures = await measureRefreshes(terminal);
		terminal.type('s');
		await terminal.until('saved ');
		terminal.type(' ');
		await terminal.quiet(0, settleMs);
		figures.push({
			what: 'paused screen, samples counted on', value: await bytesWhile(terminal, stillS) / stillS, unit: 'bytes a second', of: `${stillS} s`,
		});
		terminal.type(' o');
		await sleep(2000);
		figures.push({
			what: 'sampling stopped, the target\'s CPU goes on', value: await bytesWhile(terminal, stillS) / stillS, unit: 'bytes a second', of: `${stillS} s`,
		}, await measureMoves(terminal, 'live'));
		await quit(terminal);
		return figures;
	} finally {
		terminal.close();
	}
}

async function recording(cli: string, file: string): Promise<Figure[]> {
	const terminal = startTerminal(cli, ['open', file, '-d', '1']);
	try {
		await terminal.until('ManyThreads');
		await terminal.quiet(0, settleMs);
		const still = {
			what: 'opened recording', value: await bytesWhile(terminal, stillS), unit: 'bytes', below: goals.still, of: `${stillS} s`,
		};
		const figures = [still, await measureMoves(terminal, 'recording')];
		await quit(terminal);
		return figures;
	} finally {
		terminal.close();
	}
}

async function main(): Promise<void> {
	const cli = buildProgram();
	const folder = mkdtempSync(path.join(tmpdir(), 'tprof-bench-'));
	const {java, release, done} = await startManyThreads();
	try {
		console.log(`JDK ${release}, Node ${process.versions.node}, ${threads} threads x ${depth} frames, ${sampling.join(' ')}, 80 x 24, colours`);
		const figures = await live(cli, java.pid, folder);
		const saved = readdirSync(folder).find(name => name.endsWith('.pb.gz'))!;
		printFigures([...figures, ...await recording(cli, path.join(folder, saved))]);
	} finally {
		await done();
		rmSync(folder, {recursive: true, force: true});
	}
}

await main();
