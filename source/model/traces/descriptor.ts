/** By their letters in a method's descriptor (JVMS 4.3.2). */
const primitives: Readonly<Record<string, string>> = {
	B: 'byte', C: 'char', D: 'double', F: 'float', I: 'int', J: 'long', S: 'short', Z: 'boolean',
};

/** The parameters of a method's descriptor as Java has them: "(I[Ljava/lang/String;)V" is "int, java.lang.String[]". */
export function parametersOf(descriptor: string): string {
	const inside = /^\(([^)]*)\)/.exec(descriptor)?.[1] ?? '';
	return [...inside.matchAll(/(\[*)(?:L([^;]*);|([BCDFIJSZ]))/g)]
		.map(([, arrays, className, letter]) => (className?.replaceAll('/', '.') ?? primitives[letter]) + '[]'.repeat(arrays.length))
		.join(', ');
}
