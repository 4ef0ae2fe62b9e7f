/** Returns the feature release of a Java version: 8 for "1.8.0_504", 17 for "17.0.15"; 0 if it is not a version. */
export function featureRelease(version: string): number {
	return Number(/^(?:1\.)?(\d{1,3})(?!\d)/.exec(version)?.[1] ?? 0);
}

/** First release with virtual threads (JEP 444). */
export const firstWithVirtualThreads = 21;
