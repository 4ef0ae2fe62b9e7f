import {createHash} from 'node:crypto';
import type {FunctionInput, LocationInput, SampleInput} from 'pprof-format';

/** The parts of a profile that the session comment refers to by number. */
export type Numbered = {
	readonly sample: Iterable<SampleInput>;
	readonly location: Iterable<LocationInput>;
	readonly function: Iterable<FunctionInput>;
};

/**
Digest (SHA-256, hex) of the numbering of samples, locations and functions. Tools that merge, filter or rewrite profiles
keep comments but number anew: a comment whose digest differs is not about these numbers.
*/
export function profileDigest(profile: Numbered): string {
	const hash = createHash('sha256');
	for (const {id} of profile.function) {
		hash.update(`f${id} `);
	}

	for (const {id, line = []} of profile.location) {
		hash.update(`l${id}:${line.map(item => `${item.functionId ?? 0}:${item.line ?? 0}`).join(',')} `);
	}

	for (const {locationId = [], value = []} of profile.sample) {
		hash.update(`s${locationId.join(',')}:${value.join(',')} `);
	}

	return hash.digest('hex');
}
