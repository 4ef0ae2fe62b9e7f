/** Whether it is the address of a Pyroscope, not a file. */
export function isBackend(file: string): boolean {
	return /^pyroscopes?:/.test(file);
}
