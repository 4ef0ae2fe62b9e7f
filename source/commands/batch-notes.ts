import type {SourceStatus} from '../model/source.js';

/**
What a report has to say about its session beside the figures: why this engine, that samples fail, that the counts are
old, why it ended. Printable lines.
*/
export function batchNotes({phase, message, note, stale, tracer}: SourceStatus): string[] {
	const isOver = phase === 'ended' || phase === 'failed';
	return [
		...(note ? [note] : []),
		...(tracer ? [`${tracer} is tracing threads of this JVM: while it is attached they are left alone, and have no stack here`] : []),
		...(stale ? ['the latest counts could not be read in time; these are older'] : []),
		...(isOver && message ? [message] : []),
	];
}
