/** Returns a thread's name with its numbers as asterisks: `http-nio-8080-exec-12` becomes `http-nio-*-exec-*`. */
export function poolName(name: string): string {
	return name.replaceAll(/\d+/g, '*');
}
