/** A screen as text: finished lines with their escape sequences, each at most one cell narrower than the screen, together at most one line lower than it. */
export type Frame = {
	readonly above: readonly string[];
	/** The table's heading and rows; undefined where a layer lies over it or no table fits. */
	readonly heading?: string;
	readonly rows?: readonly string[];
	readonly below: readonly string[];
};

/** All lines of a frame, from the top. */
export function linesOf({above, heading, rows, below}: Frame): string[] {
	return [...above, ...(rows ? [heading ?? '', ...rows] : []), ...below];
}

/** Whether two frames draw the same. */
export function isSameFrame(a: Frame, b: Frame): boolean {
	const [aLines, bLines] = [linesOf(a), linesOf(b)];
	return aLines.length === bLines.length && Boolean(a.rows) === Boolean(b.rows) && aLines.every((line, index) => line === bLines[index]);
}
