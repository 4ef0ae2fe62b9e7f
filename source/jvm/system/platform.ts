import process from 'node:process';

/**
What is in the way on this operating system, and what to do; undefined on Linux. Everything tprof-top knows of a JVM
comes from Linux's /proc.
*/
export function platformProblem(platform: NodeJS.Platform = process.platform): {readonly reason: string; readonly hint: string} | undefined {
	return platform === 'linux'
		? undefined
		: {
			reason: `tprof-top runs only on Linux, not on ${platform}`,
			hint: 'run it on the host (or in the container) where the JVM runs; saved files open anywhere: tprof-top open FILE',
		};
}
