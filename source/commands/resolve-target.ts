import {setTimeout as sleep} from 'node:timers/promises';
import {UserError} from '../runtime/errors.js';
import {findTargets} from '../jvm/discovery/list-jvms.js';
import {identify} from '../jvm/discovery/inspect.js';
import type {Target} from '../jvm/target.js';

const startUpWaitMs = 5000;
/** Matching JVMs that an error names. */
const maxNamed = 5;

/** Finds the target of a pid or a part of a main class's name. Throws UserError. */
export async function resolveTarget(text: string): Promise<Target> {
	const pid = /^\d{1,10}$/.test(text) ? Number(text) : pidByName(text);
	const deadlineMs = performance.now() + startUpWaitMs;
	let found = identify(pid);
	while (!found.ok && found.isPassing && performance.now() < deadlineMs) {
		await sleep(20);
		found = identify(pid);
	}

	if (!found.ok) {
		throw new UserError(found.reason, {hint: found.hint});
	}

	return found.target;
}

function pidByName(text: string): number {
	const found = findTargets(text);
	if (found.length === 1) {
		return found[0].pid;
	}

	if (found.length === 0) {
		throw new UserError(`no JVM on this host matches "${text}" in its main class's name`, {
			hint: 'tprof-top list shows the JVMs on this host',
			misspelt: text,
		});
	}

	const named = found.slice(0, maxNamed).map(({pid, mainClass}) => `${pid} ${mainClass}`).join(', ');
	throw new UserError(`"${text}" matches ${found.length} JVMs: ${named}${found.length > maxNamed ? ', ...' : ''}`, {
		hint: 'give the pid, or a longer part of the name',
	});
}
