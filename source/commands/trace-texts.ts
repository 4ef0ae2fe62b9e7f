import {readDynamicAgentLoading} from '../jvm/counters/jvm-flags.js';
import type {Target} from '../jvm/target.js';
import {joined, printable, safe, type Printable} from '../util/printable.js';
import type {RefusedName, TracedMethod, TraceReport, UnmatchedPattern} from '../model/trace-report.js';
import {isThinned, tracedMethodName} from '../views/traces/traced-methods.js';
import {UserError} from '../runtime/errors.js';

/** First JDK that prints a warning on standard error when an agent is loaded (JEP 451). */
const announcedSince = 21;
/** First JDK known to keep compiled code at the first retransformation (JDK-8324241; 22 to 24 were not tested). */
const keepsCodeSince = 25;
/** First JDK with the flag EnableDynamicAgentLoading. */
const flagSince = 9;

const maxNames = 3;

/** Throws UserError if the JVM's flags forbid agents. */
export function checkAgentsAllowed(target: Target): void {
	if (target.jdk >= flagSince && readDynamicAgentLoading(target) === false) {
		throw new UserError(`JVM ${target.pid} does not let agents be loaded (-XX:-EnableDynamicAgentLoading)`, {
			hint: 'start it without that flag to trace it; sampling works as it is',
		});
	}
}

/** Returns what tracing does to the target, for the user to confirm. */
export function whatTracingDoes(target: Target, patterns: readonly string[]): string {
	return whatAgentDoes(target, {
		head: `Tracing ${patterns.map(pattern => printable(pattern)).join(' ')}`,
		rewrites:
			'finds how many methods match and, once you have confirmed, rewrites them to count and time their calls',
		costs:
			'each call of a traced method costs about 0.1 microseconds; if that exceeds --max-overhead, only one call in 64 is measured, or none',
	});
}

/** Returns what an agent does to the target, for the user to confirm. */
export function whatAgentDoes(
	target: Target,
	{head, rewrites, costs}: {readonly head: string; readonly rewrites: string; readonly costs: string},
): string {
	const {pid, mainClass, jvmVersion} = target.facts;
	return [
		`${head} in JVM ${pid} (${mainClass || 'unknown'}, JDK ${jvmVersion || 'unknown'}):`,
		`- loads a small agent into the JVM, which ${rewrites}`,
		...(isAnnounced(target) ? ['- the JVM prints a warning of four lines about that on its standard error'] : []),
		...(losesCode(target)
			? ['- the first time, the JVM may throw its compiled code away: for some seconds it is as slow as after its start']
			: []),
		`- ${costs}`,
		'- at the end, or ten seconds after tprof-top is killed, all of it is removed again',
	].join('\n');
}

/** Returns what looking up methods does to the target, as `SourceStatus.traceNote`. */
export function lookUpNote(target: Target): Printable {
	return joined([
		safe`Enter loads an agent into JVM ${target.facts.pid} (JDK ${
			target.facts.jvmVersion || 'unknown'
		}), which finds how many methods match. Nothing is traced before you have confirmed.`,
		...(isAnnounced(target) ? [safe`The JVM prints a warning of four lines on its standard error.`] : []),
	], safe` `);
}

/** Returns what tracing methods does to the target, in sentences for the screen; `isFirst`: none is traced yet. */
export function traceNote(target: Target, {isFirst}: {readonly isFirst: boolean}): Printable {
	return joined([
		safe`Each call of a traced method in JVM ${target.facts.pid} (${target.facts.mainClass || 'unknown'}, JDK ${
			target.facts.jvmVersion || 'unknown'
		}) takes about 0.1 us more.`,
		...(isFirst && losesCode(target)
			? [
				safe`The first time, the JVM may throw its compiled code away:`,
				safe`for some seconds it is as slow as after its start.`,
			]
			: []),
		safe`All of it is removed again when tprof-top ends.`,
	], safe` `);
}

/** Returns how many methods and classes the patterns match. */
export function countText({methods, classes}: TraceReport['survey']): Printable {
	const classText = classes === 1 ? safe`1 class` : safe`${classes} classes`;
	return methods === 0
		? safe`the methods of ${classText}`
		: safe`${methods} ${methods === 1 ? 'method' : 'methods'} of ${classText}`;
}

/** Returns some of the methods that the patterns match; empty if no name is known. */
export function someNames({methods, names}: TraceReport['survey']): Printable {
	const distinct = [...new Set(names)];
	const isAll = methods <= names.length && distinct.length <= maxNames;
	return distinct.length === 0
		? safe``
		: safe`${isAll ? '' : 'such as '}${joined(distinct.slice(0, maxNames), safe`, `)}`;
}

/** Whether the JVM prints a warning when an agent is loaded; assumed if its release is unknown (0). */
function isAnnounced(target: Target): boolean {
	return (target.jdk === 0 || target.jdk >= announcedSince) && readDynamicAgentLoading(target) !== true;
}

/** Whether the JVM may discard compiled code at the first retransformation; assumed if its release is unknown (0). */
function losesCode({jdk}: Target): boolean {
	return jdk === 0 || jdk < keepsCodeSince;
}

/** Says that a pattern matches nothing, and what the user may have meant. */
export function unmatchedText({pattern, isLoaded, nearest}: UnmatchedPattern): Printable {
	const suggestion = nearest.length > 0 ? safe`; did you mean ${joined(nearest, safe` or `)}?` : safe``;
	return safe`${isLoaded ? 'no method of a loaded class matches' : 'no class is loaded yet that matches'} ${
		pattern
	}${suggestion}`;
}

/** Returns which patterns wait for a class that is not loaded yet; empty if none do. */
export function waitsForText({unmatched}: TraceReport['survey']): Printable {
	const pending = unmatched.filter(({isLoaded}) => !isLoaded).map(({pattern}) => pattern);
	return pending.length === 0
		? safe``
		: safe`waiting for a class that matches ${joined(pending, safe` or `)}; it is traced once it is loaded`;
}

/**
Returns whether the patterns match any loaded class. Throws UserError if not, and no class that is loaded later can
match them either.
*/
export function hasMatches({methods, classes, unmatched, refused}: TraceReport['survey']): boolean {
	// Classes may match without known methods: their file could not be read.
	if (methods > 0 || classes > 0) {
		return true;
	}

	if (unmatched.length === 0 && refused.length > 0) {
		throw cannotTrace(refused[0]);
	}

	if (unmatched.length > 0 && unmatched.every(({isLoaded}) => isLoaded)) {
		throw new UserError(unmatchedText(unmatched[0]), {
			hint: 'Class#method, Class.method or @Annotation; * and ? match any characters',
		});
	}

	return false;
}

/**
Throws UserError if the JVM did not let any class that the patterns match be changed, and no pattern waits for one.
*/
export function checkWoven({wovenMethods, refused, survey}: TraceReport): void {
	if (wovenMethods === 0 && refused.length > 0 && waitsForText(survey) === '') {
		throw cannotTrace(refused[0]);
	}
}

/** Returns the error for a class or method that cannot be traced. */
export function cannotTrace({name, reason}: RefusedName): UserError {
	return new UserError(`cannot trace ${name}: ${reason}`);
}

/** Returns notes of a report on methods and calls that were not traced. */
export function refusalNotes({refused, lostCalls, methods}: TraceReport): Printable[] {
	const namesOf = (isIncluded: (method: TracedMethod) => boolean | undefined) =>
		methods.filter(method => isIncluded(method)).map(method => tracedMethodName(method));
	const thinned = namesOf(isThinned);
	const released = namesOf(({isReleased}) => isReleased);
	return [
		...(thinned.length > 0
			? [safe`called so often that only some of the calls were followed, and the totals are estimated: ${
				joined(thinned, safe`, `)
			}`]
			: []),
		...(released.length > 0 ? [safe`exceeded --max-overhead; no longer traced: ${joined(released, safe`, `)}`] : []),
		...refused.map(({name, reason}) => safe`not traced: ${name}: ${reason}`),
		...(lostCalls > 0 ? [safe`${lostCalls} calls were not counted: the heap or a stack had no room for them`] : []),
	];
}
