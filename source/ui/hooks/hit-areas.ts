import type {DOMElement} from 'ink';
import {
	createContext, use, useLayoutEffect, useRef, type RefObject,
} from 'react';
import type {HitTarget} from '../state/screen-context.js';
import {useLatest} from './terminal.js';

/** A part of the screen that can be clicked; `at` returns what is at a cell of it, counted from 0 at its top left. */
type HitArea = {readonly element: RefObject<DOMElement | null>; at(line: number, column: number): HitTarget | undefined};

export type HitAreas = Set<HitArea>;

export const HitAreasContext = createContext<HitAreas | undefined>(undefined);

/** Returns a ref that makes its element clickable; `hitTest` returns what is at a cell of the element. */
export function useHitArea(hitTest: HitArea['at']): RefObject<DOMElement | null> {
	const areas = use(HitAreasContext);
	const element = useRef<DOMElement>(null);
	const latest = useLatest(hitTest);
	useLayoutEffect(() => {
		const area: HitArea = {element, at: (line, column) => latest.current(line, column)};
		areas?.add(area);
		return () => {
			areas?.delete(area);
		};
	}, [areas, latest]);
	return element;
}

/** Returns what can be clicked at a cell of the screen; undefined if nothing can. */
export function targetAt(areas: HitAreas, line: number, column: number): HitTarget | undefined {
	for (const {element, at} of areas) {
		let inside = line;
		for (let node: DOMElement | null | undefined = element.current; node; node = node.parentNode) {
			inside -= node.yogaNode?.getComputedTop() ?? 0;
		}

		if (inside >= 0 && inside < (element.current?.yogaNode?.getComputedHeight() ?? 0)) {
			return at(inside, column);
		}
	}

	return undefined;
}
