import type {DOMElement} from 'ink';
import {
	createContext, use, useLayoutEffect, useRef, type RefObject,
} from 'react';
import type {HitTarget} from '../state/screen-context.js';

/** Finds what is at a cell of an element, both counted from 0 there. */
type HitTest = (line: number, column: number) => HitTarget | undefined;

/** The parts of a screen that can be clicked. */
export class HitAreas {
	readonly #areas = new Map<RefObject<DOMElement | null>, RefObject<HitTest>>();

	add(element: RefObject<DOMElement | null>, hitTest: RefObject<HitTest>): () => void {
		this.#areas.set(element, hitTest);
		return () => {
			this.#areas.delete(element);
		};
	}

	/** What was drawn at a cell of the screen; undefined for nothing that can be clicked. */
	at(line: number, column: number): HitTarget | undefined {
		for (const [{current: element}, {current: hitTest}] of this.#areas) {
			const inside = line - topOf(element);
			if (inside >= 0 && inside < (element?.yogaNode?.getComputedHeight() ?? 0)) {
				return hitTest(inside, column);
			}
		}

		return undefined;
	}
}

export const HitAreasContext = createContext<HitAreas | undefined>(undefined);

/** Makes the element that gets the ref one that can be clicked. */
export function useHitArea(hitTest: HitTest): RefObject<DOMElement | null> {
	const areas = use(HitAreasContext);
	const element = useRef<DOMElement>(null);
	const latest = useRef(hitTest);
	useLayoutEffect(() => {
		latest.current = hitTest;
	}, [hitTest]);
	useLayoutEffect(() => areas?.add(element, latest), [areas]);
	return element;
}

/** The line of the screen that an element begins at. */
function topOf(element: DOMElement | null): number {
	let top = 0;
	for (let node: DOMElement | null | undefined = element; node; node = node.parentNode) {
		top += node.yogaNode?.getComputedTop() ?? 0;
	}

	return top;
}
