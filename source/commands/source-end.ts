import type {SnapshotSource} from '../model/source.js';
import {UserError} from '../runtime/errors.js';

/** Whether nothing more comes from it. */
export function isOver(source: Pick<SnapshotSource, 'status'>): boolean {
	return ['ended', 'failed', 'recording'].includes(source.status().phase);
}

/** Why it failed. */
export function failureOf(source: Pick<SnapshotSource, 'status'>): UserError {
	const {message, hint} = source.status();
	return new UserError(message ?? 'the session failed', {hint});
}
