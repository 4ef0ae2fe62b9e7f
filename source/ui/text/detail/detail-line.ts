/** A row of a view that a line of a detail stands for: Enter goes to it. */
export type RowLink = {readonly view: string; readonly key: string};

/** A line of a detail. `isHolder`: it is what most readers want to go to. */
export type DetailLine = {readonly text: string; readonly link?: RowLink; readonly isHolder?: true};

/** Where the links of a detail are among its lines. */
export type LinkAt = RowLink & {readonly line: number; readonly isHolder: boolean};

/** The links among lines, from the top. */
export function linksOf(lines: readonly DetailLine[]): LinkAt[] {
	return lines.flatMap(({link, isHolder = false}, line) => link ? [{...link, line, isHolder}] : []);
}

/** Which of the links is marked: what was chosen, or the first if it is a holder; undefined for none. */
export function markedLink(links: readonly LinkAt[], chosen: number | undefined): LinkAt | undefined {
	return chosen === undefined ? (links.at(0)?.isHolder ? links[0] : undefined) : links.at(Math.min(chosen, links.length - 1));
}
