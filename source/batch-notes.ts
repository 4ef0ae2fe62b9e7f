import type {SourceStatus} from './model/source.js';

/** What a report has to say about its session beside the figures: why this engine, that samples fail, that the counts are old, why it ended. Printable lines. */
export function batchNotes({phase, message, note, stale}: SourceStatus): string[] {
	const isOver = phase === 'ended' || phase === 'failed';
	return [
		...(note ? [note] : []),
		...(stale ? ['the latest counts could not be read in time; these are older'] : []),
		...(isOver && message ? [message] : []),
	];
}
