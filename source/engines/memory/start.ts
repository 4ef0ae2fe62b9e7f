import {readFileSync} from 'node:fs';
import {constants} from 'node:os';
import process from 'node:process';
import {printable, safe} from '../../util/printable.js';
import {hasPtraceCapability} from '../../jvm/attachability/credentials.js';
import {attempt, outOfFiles} from '../../jvm/system/proc.js';
import {type Target} from '../../jvm/target.js';
import {SessionOver, type EngineOptions, type EngineSession} from '../common/engine.js';
import type {Obstacle} from '../../jvm/obstacles.js';
import {type Interner} from '../../model/frame.js';
import {openJvm, type LiveJvm} from './open.js';
import {architectures} from './target/own-architecture.js';
import {nameOfTracer} from './target/other-tracer.js';
import {type Ptrace} from './cpu/ptrace/ptrace.js';
import {Unreadable} from './target/memory-reader.js';
import {MemorySession} from './memory-session.js';
import {allowedEvents} from './cpu/perf/choose.js';

/** An obstacle of this engine alone, about which the user can do nothing. */
const onlyThisEngine = {hint: safe``, otherEnginesMayWork: true} as const;

/** For a check, which reads no names. */
const noInterner: Interner = {internString: () => 0, internFrame: () => 0};

/** A thread id that cannot exist: one above the largest that Linux assigns (PID_MAX_LIMIT, 2^22). */
const noThread = (2 ** 22) + 1;

function obstacleOfOpening(target: Target, error: unknown): Obstacle {
	if (error instanceof Unreadable) {
		return {
			reason: safe`the JVM is still starting up, or its tables cannot be read`,
			hint: safe`try again`,
			otherEnginesMayWork: true,
		};
	}

	const files = outOfFiles(error);
	if (files) {
		return files;
	}

	const {code, message, cause} = error as NodeJS.ErrnoException & {cause?: NodeJS.ErrnoException};
	const systemError = code ?? cause?.code ?? '';
	if (['EACCES', 'EPERM'].includes(systemError)) {
		return rightsObstacle(target.uid, ownRights(target));
	}

	return ['ENOENT', 'ESRCH'].includes(systemError)
		? {reason: safe`process ${target.pid} has ended`, hint: safe`choose another process`}
		: {reason: printable(message), ...onlyThisEngine};
}

/** Returns what prevents stopping threads although memory is readable: another tracer, or a system call filter. */
function stopObstacle(target: Target, ptrace: Ptrace): Obstacle | undefined {
	const tracer = nameOfTracer(target.pid);
	if (tracer) {
		return {
			reason: safe`another tracer, ${tracer}, is attached to this JVM`,
			hint: safe`detach that debugger or tracer`,
			otherEnginesMayWork: true,
		};
	}

	// A filter may return any errno, often EPERM or ENOSYS.
	return ptrace.seize(noThread) === constants.errno.ESRCH
		? undefined
		: {
			reason: safe`ptrace is blocked by a system call filter (seccomp), as is usual in containers`,
			hint: safe`start the container with --cap-add SYS_PTRACE`,
			otherEnginesMayWork: true,
		};
}

/** What the kernel checks when a process reads another's memory (ptrace(2); admin-guide/LSM/Yama). */
type Rights = {
	readonly isSameUser: boolean;
	readonly isRoot: boolean;
	readonly hasCapability: boolean;
	/** kernel.yama.ptrace_scope; 0 without Yama. From 1 on it requires the capability, from 3 on it forbids all. */
	readonly yamaScope: number;
};

/** Returns why we may not read a process's memory. */
export function rightsObstacle(uid: number, {isSameUser, isRoot, hasCapability, yamaScope}: Rights): Obstacle {
	const moreRights = isRoot ? safe`start the container with --cap-add SYS_PTRACE` : safe`run as root`;
	if (!hasCapability && !isSameUser) {
		return {reason: safe`no permission to read its memory: the process belongs to user id ${uid}`, hint: moreRights};
	}

	if (yamaScope > 0 && (!hasCapability || yamaScope > 2)) {
		return {
			reason: safe`kernel.yama.ptrace_scope = ${yamaScope} forbids reading its memory`,
			hint: yamaScope > 2 ? safe`` : moreRights,
			otherEnginesMayWork: true,
		};
	}

	return {
		reason:
			safe`no permission to read its memory: the process has extra capabilities, ${
				'or CAP_SYS_PTRACE is missing in its user namespace'
			}`,
		hint: isRoot ? moreRights : safe`run as root on the host`,
		otherEnginesMayWork: true,
	};
}

function ownRights(target: Target): Rights {
	return {
		isSameUser: process.geteuid?.() === target.uid,
		isRoot: process.geteuid?.() === 0,
		hasCapability: hasPtraceCapability(),
		yamaScope: attempt(() => Number(readFileSync('/proc/sys/kernel/yama/ptrace_scope', 'latin1')), 0),
	};
}

/** Returns why a JVM cannot be sampled, by opening and closing it as a session would. Does not disturb the JVM. */
export async function check(
	target: Target,
	{timer = 'stop'}: Pick<EngineOptions, 'timer'> = {},
): Promise<Obstacle | undefined> {
	if (process.platform !== 'linux' || !architectures.some(({id}) => id === process.arch)) {
		return {
			reason: safe`reading a JVM's memory works only on Linux on x86-64 and arm64; this is ${process.platform} ${
				process.arch
			}`,
			...onlyThisEngine,
		};
	}

	try {
		const {memory, ptrace, perf} = openJvm(target.pid, noInterner);
		memory.close();
		const hasEvents = timer !== 'stop' && allowedEvents(perf, target.pid).refusal === undefined;
		return hasEvents ? undefined : stopObstacle(target, ptrace);
	} catch (error) {
		return obstacleOfOpening(target, error);
	}
}

/** Opens a session. Throws SessionOver, and then leaves nothing open. */
export function start(target: Target, options: EngineOptions, interner: Interner): EngineSession {
	let jvm: LiveJvm | undefined;
	try {
		jvm = openJvm(target.pid, interner);
		return new MemorySession(target, options, jvm);
	} catch (error) {
		jvm?.memory.close();
		if (error instanceof SessionOver) {
			throw error;
		}

		const {reason, ...help} = obstacleOfOpening(target, error);
		throw new SessionOver(reason, {targetEnded: false, ...help});
	}
}
