import {usualFormat} from '../exports/formats/format-registry.js';
import type {Snapshot, TargetVitals} from '../model/snapshot.js';
import type {Options} from '../options/parse.js';
import {findingsOf} from '../query/summary/findings.js';
import {defaultQuery} from '../query/types/query.js';
import {runBatch} from './batch.js';
import {factsOf} from './facts.js';
import {resolveTarget} from './resolve-target.js';
import {sampled} from './sampled.js';

/** Long enough for the findings on waits, which must last some seconds. */
const defaultDurationS = 10;

const nothingFound = 0;
const findingCode = 3;
const alarmCode = 4;

/**
Samples a target and prints what is wrong with it. Returns 0 if nothing was found, 3 for findings, 4 if one is an alarm
or a limit that is reached; throws UserError.
*/
export async function explain(word: string, given: Options): Promise<number> {
	const target = await resolveTarget(word);
	const isFormatGiven = given.format !== usualFormat('report').id;
	const options: Options = {
		...given,
		durationS: given.durationS ?? defaultDurationS,
		format: isFormatGiven ? given.format : usualFormat('explain').id,
	};
	return sampled(target, options, async source =>
		runBatch(source, options, target, {
			facts: factsOf(target),
			exitCode: ({snapshot, vitals}) => exitCodeOf(snapshot, vitals),
		}));
}

function exitCodeOf(snapshot: Snapshot, vitals: TargetVitals): number {
	const findings = findingsOf(snapshot, undefined, defaultQuery, {vitals});
	if (findings.length === 0) {
		return nothingFound;
	}

	return findings.some(({isAlarm, isAtLimit}) => isAlarm ?? isAtLimit) ? alarmCode : findingCode;
}
