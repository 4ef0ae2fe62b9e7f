/** The source that a class was probably compiled from. Lines are printable, without tabs, and cut to a bound. */
export type SourceText = {
	/** The file's name, for people: `Bubble.java`. */
	readonly name: string;
	/** Where it was found: a path, or that of a jar and the name in it. */
	readonly found: string;
	readonly lines: readonly string[];
	/** Why it does not fit the class that runs: nothing else is known of it then; undefined when it fits. */
	readonly misfit?: string;
	/** A file that an editor can be given; made at the first call where the source is in a jar. Throws an Error. */
	file(): string;
};

/** Where a place's source is looked for. */
export type SourcePlace = {readonly className: string; readonly method: string; readonly file: string; readonly line: number};

/** Finds the source of a place; undefined where there is none. May read files. */
export type SourceOf = (place: SourcePlace) => SourceText | undefined;
