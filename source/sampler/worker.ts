/*
Entry point of the sampler's worker: opens the engine, fills the table, and executes the main thread's commands. Ends
with the session. Bugs are not caught: they reach the main thread as the worker's error event.
*/
import {parentPort, workerData} from 'node:worker_threads';
import {SessionOver, type Engine} from '../engines/common/engine.js';
import {openProcessClock} from '../jvm/threads/process-clock.js';
import {SystemCalls} from '../jvm/waits/system-calls.js';
import {globListMatcher} from '../util/glob.js';
import {printable} from '../util/printable.js';
import {Bell} from '../table/lock.js';
import {TableWriter} from '../table/writer.js';
import {SamplingLoop} from './loop.js';
import {SampledWaits} from './sampled-waits.js';
import type {Command, Report, WorkerInput} from './messages.js';
import {chooseEngine, hintFor} from './choose-engine.js';

const port = parentPort!;
const input = workerData as WorkerInput;
let engine: Engine | undefined;

function report(message: Report): void {
	port.postMessage(message);
}

async function run(): Promise<void> {
	const writer = new TableWriter(input.table);
	const choice = await chooseEngine(input.engine, input.target, undefined, input.timer);
	engine = choice.engine;
	const waits = input.waits ? new SampledWaits(writer, new SystemCalls(input.target)) : undefined;
	const session = await engine.open(input.target, {
		...input,
		fileWait: waits && ((kind, fd) => waits.ofFile(kind, fd)),
	}, writer);
	try {
		report({kind: 'opened', engine: printable(engine.id), timer: session.timer});
		const note = printable([choice.note, session.note].filter(Boolean).join('; ')) || undefined;
		report({kind: 'status', status: {note, canAskForHolders: session.askForHolders !== undefined}});
		const loop = new SamplingLoop({
			...input,
			session,
			writer,
			waits,
			processClock: openProcessClock(input.target.pid),
			bell: new Bell(input.table),
			intervalMs: input.intervalMs ?? engine.defaultIntervalMs,
			accepts: input.threads === undefined ? undefined : globListMatcher(input.threads),
			note,
			report,
		});
		// The port has kept the commands that came before.
		port.on('message', async (command: Command) => {
			switch (command.kind) {
				case 'pause': {
					loop.setPaused(command.paused);
					break;
				}

				case 'hold': {
					await loop.hold();
					report({kind: 'held', number: command.number});
					break;
				}

				case 'resume': {
					loop.resume();
					break;
				}

				case 'holders': {
					session.askForHolders?.();
					break;
				}

				case 'events': {
					loop.setEvents(command.kinds);
					break;
				}

				case 'stop': {
					loop.stop();
					break;
				}
			}
		});
		await loop.run();
	} finally {
		await session.close();
	}
}

try {
	await run();
} catch (error) {
	if (!(error instanceof SessionOver)) {
		throw error;
	}

	report({
		kind: 'over',
		phase: error.targetEnded ? 'ended' : 'failed',
		message: error.message,
		hint: hintFor(error, engine?.id),
	});
} finally {
	port.close();
}
