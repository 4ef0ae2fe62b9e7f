/** The engine as it is shown: with how it gets at threads that run, where there is more than one way. */
export function engineName({engine, timer}: {readonly engine: string; readonly timer: string}): string {
	return timer === '' ? engine : `${engine} (${timer})`;
}
