import {fromNames, namesOf, type Unit} from '../../source/model/column-types.js';
import {noFrame} from '../../source/model/frame.js';
import {lockKindCode, lockKinds, threadFlag} from '../../source/model/sample.js';
import {contentionColumns, threadNumbers} from '../../source/model/schema.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {printable, safe} from '../../source/util/printable.js';
import {threadStates} from '../../source/model/thread-state.js';
import {Picture} from '../helpers/picture.js';
import {seeded} from '../helpers/random.js';
import {frameIdsOf, rowsOf} from '../helpers/rows.js';
import {SessionBuilder} from '../helpers/session-builder.js';

export const startedAtMs = Date.UTC(2026, 8, 14, 14, 2, 1);
const ms = 1_000_000;

const target = {
	pid: 4711,
	mainClass: safe`com.acme.Main`,
	command: safe`com.acme.Main --port 80`,
	jvmVersion: safe`17.0.15`,
	vm: safe`OpenJDK 64-Bit Server VM`,
	user: safe`acme`,
	startedAtMs: startedAtMs - 60_000,
};
const session = {
	engine: safe`attach`,
	requestedIntervalMs: 200,
	intervalMs: 250,
	startedAtMs,
	takenAtMs: startedAtMs + 10_000,
	durationMs: 10_000,
	sampledMs: 9900,
	lastSampleAtMs: startedAtMs + 9900,
	samples: 50,
	late: 3,
	failed: 1,
	incompleteStacks: 4,
	refusedThreads: 7,
	lateThreads: 5,
	otherTicks: 2,
	targetStoppedMs: 12.5,
	pauseP50Us: 210,
	pauseP99Us: 800,
	pauseWorstUs: 900.5,
	selfCpuMs: 350,
};

/** A service with two sorters, a blocked pool thread, a native wait, the JIT and the collector; and its first part. */
export function serviceSnapshots(): {first: Snapshot; whole: Snapshot} {
	const part = `
		main                                 | R200*10 | com.acme.Main.main:10  | com.acme.sort.Bubble.sort:16
		main                                 | R200*15 | com.acme.Main.main:10  | com.acme.sort.Bubble.sort:16 | com.acme.sort.Bubble.swap:24
		pool-1-thread-1 [daemon]             | R140*5  | com.acme.Main.main:10  | com.acme.sort.Bubble.sort:16
		pool-1-thread-1 <- main@com.acme.Main.main:10 of com.acme.db.Pool | B*20 | com.acme.Worker.run:30 | com.acme.db.Pool.take:88
		http-selector                        | .*25    | com.acme.Worker.run:30 | com.acme.Main$$Lambda/0x00007f0001000a00.run | sun.nio.ch.EPoll.wait:native
		C2 CompilerThread0 [compiler daemon] | R6*25
		GC Thread#0 [vm]                     | R2*25
	`;
	const drawing = new Picture().draw(part)
		.set('main', {nativeId: 4712})
		.set('pool-1-thread-1', {key: 21, nativeId: 4730})
		.set('http-selector', {key: 22, nativeId: 4731})
		.set('C2 CompilerThread0', {key: 9, nativeId: 4720})
		.set('GC Thread#0', {key: -4714, nativeId: 4714})
		.set(['main', 'pool-1-thread-1', 'http-selector', 'C2 CompilerThread0', 'GC Thread#0'], {
			sinceMs: startedAtMs + 5000,
		});
	drawing.set('ForkJoinPool-1-worker-1', {
		key: 31,
		nativeId: 4740,
		flags: threadFlag.virtual,
		carrier: drawing.thread('pool-1-thread-1'),
	});
	const first = drawing.builder.build({
		target,
		session: {
			...session,
			takenAtMs: startedAtMs + 5000,
			durationMs: 5000,
			sampledMs: 4900,
			samples: 25,
			late: 1,
			failed: 0,
			incompleteStacks: 1,
			refusedThreads: 3,
			lateThreads: 1,
			otherTicks: 0,
			targetStoppedMs: 6.5,
			selfCpuMs: 150,
		},
	});
	drawing.draw(part).draw('short-lived [dead] | t*3 | com.acme.Worker.run:30');
	return {first, whole: drawing.builder.build({target, session})};
}

/** Names as a hostile target could have them, after they passed `printable` where they entered. */
export const hostileNames = [
	'\u001B]0;title\u0007',
	'\u001B[31mred',
	'a\nb\r\nc',
	'quote"s\'',
	'comma,semi;',
	'=1+2',
	'+cmd|\'/C calc\'!A0',
	'-2',
	'@SUM(A1)',
	'\u202Eevil',
	'tab\there',
	'a.b.c',
	'.',
	'..',
	'',
	' ',
	'\uD800',
	'日本語',
	'👩‍👩‍👧',
	'#tprof-top-session {}',
	'[JVM]',
	'\0nul',
	'\u009B31m',
	'\uFEFFbom',
	'%s%d',
	'$(reboot)',
	'ü'.repeat(3000),
].map(name => printable(name));

/** A snapshot in which every name is hostile. */
export function hostileSnapshot(): Snapshot {
	const builder = new SessionBuilder();
	const at = (index: number) => hostileNames[index % hostileNames.length];
	for (let index = 0; index < hostileNames.length; index++) {
		const frame = builder.addFrame(at(index), at(index + 1), at(index + 2), index - 2);
		const caller = builder.addFrame(at(index + 3), at(index), at(index + 1), index);
		const node = builder.addStack([frame, caller]);
		const thread = builder.addThread({
			key: index + 1,
			nativeId: 100 + index,
			name: at(index),
			node,
			lockKind: lockKindCode.park,
			lockClass: builder.internString(at(index + 2)),
		});
		builder.count(thread, node, index % threadStates.length, index + 1, index * ms);
	}

	return builder.build({
		target: {
			...target, mainClass: at(0), command: at(2), jvmVersion: at(1), vm: at(5), user: at(9),
		}, session: {...session, engine: safe`attach`},
	});
}

/** A pseudo-random snapshot; the same seed gives the same one. */
export function randomSnapshot(seed: number): Snapshot {
	const random = seeded(seed);
	const below = (limit: number) => Math.floor(random() * limit);
	const builder = new SessionBuilder();
	const frames = Array.from(
		{length: 1 + below(30)},
		() =>
			builder.addFrame(
				`p${below(3)}.C${below(5)}`,
				`m${below(5)}`,
				below(4) === 0 ? '' : `F${below(5)}.java`,
				below(20) - 2,
			),
	);
	const stack = () => builder.addStack(Array.from({length: below(12)}, () => frames[below(frames.length)]));
	const threads = Array.from({length: 1 + below(8)}, (_, index) =>
		builder.addThread({
			key: index * 3,
			nativeId: below(3) === 0 ? 0 : 1000 + index,
			name: safe`t-${below(4)}`,
			flags: below(64),
			alive: below(2) === 0,
			state: below(threadStates.length),
			node: stack(),
			sinceMs: startedAtMs + below(1000),
			lockKind: below(lockKinds.length),
			lockClass: builder.internString(`L${below(3)}`),
			lockOwnerFrame: below(2) === 0 ? 0 : frames[0],
			lockOwner: below(index + 1) - 1,
			carrier: below(index + 1) - 1,
		}));
	for (let i = below(60); i > 0; i--) {
		builder.count(
			threads[below(threads.length)],
			stack(),
			below(threadStates.length),
			1 + below(5),
			below(2) === 0 ? 0 : below(1e9),
		);
	}

	for (let i = below(10); i > 0; i--) {
		builder.addContention({
			thread: threads[below(threads.length)],
			node: stack(),
			lockKind: below(lockKinds.length),
			owner: below(2) - 1,
			ownerNode: stack(),
			ownerFrame: 0,
			ticks: 1 + below(9),
		});
	}

	return builder.build({target, session});
}

/** A snapshot with names in the place of ids, so that two whose numbering differs can be compared. */
export function canonical(snapshot: Snapshot) {
	const {dictionary, threads, counters, contention, events} = snapshot;
	const {strings} = dictionary;
	const frame = (id: number) =>
		id === noFrame
			? 'none'
			: JSON.stringify([
				strings[dictionary.frameClass[id]],
				strings[dictionary.frameMethod[id]],
				strings[dictionary.frameFile[id]],
				dictionary.frameLine[id],
			]);
	const stack = (node: number) => frameIdsOf(dictionary, node).map(id => frame(id));
	const named: Readonly<Partial<Record<Unit, (value: number) => string | string[]>>> = {
		string: value => strings[value],
		stack,
		frame,
	};
	return {
		target: snapshot.target,
		session: snapshot.session,
		threads: rowsOf(threads).map(row => ({
			name: row.name,
			...fromNames(namesOf(threadNumbers), name => named[threadNumbers[name].unit]?.(row[name]) ?? row[name]),
		})),
		facts: rowsOf(counters).map(({thread, node, state, ticks, cpuNs}) => ({
			thread,
			stack: stack(node),
			state,
			ticks,
			cpuNs,
		})),
		events: rowsOf(events).map(({thread, node, ...row}) => ({thread, stack: stack(node), ...row})),
		contention: rowsOf(contention).map(row => fromNames(namesOf(contentionColumns), name => {
			const {unit} = contentionColumns[name];
			return named[unit]?.(row[name]) ?? row[name];
		})),
	};
}
