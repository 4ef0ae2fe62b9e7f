import type {DOMElement} from 'ink';
import {createContext, use, useState, type RefCallback} from 'react';
import type {HitTarget} from '../state/screen-context.js';

/** A part of the screen that can be clicked; `at` returns what is at a cell of it, counted from 0 at its top left. */
type HitArea = {readonly element: DOMElement; at(line: number, column: number): HitTarget | undefined};

export type HitAreas = Set<HitArea>;

export const HitAreasContext = createContext<HitAreas | undefined>(undefined);

/** Returns the areas of a screen that can be clicked. */
export function useHitAreas(): HitAreas {
	// eslint-disable-next-line react/hook-use-state -- The set is never replaced; clickable elements add themselves.
	const [hitAreas] = useState<HitAreas>(() => new Set());
	return hitAreas;
}

/** Returns a ref that makes its element clickable; `at` returns what is at a cell of the element. */
export function useHitArea(at: HitArea['at']): RefCallback<DOMElement> {
	const areas = use(HitAreasContext);
	// A new ref each render: React then cleans up the previous one, which removes the area drawn before.
	return element => {
		const area: HitArea = {element: element!, at};
		areas?.add(area);
		return () => {
			areas?.delete(area);
		};
	};
}

/** Returns what can be clicked at a cell of the screen; undefined if nothing can. */
export function targetAt(areas: HitAreas, line: number, column: number): HitTarget | undefined {
	for (const {element, at} of areas) {
		let [lineInside, columnInside] = [line, column];
		// Yoga counts the place of a node from that of its parent.
		for (let node: DOMElement | undefined = element; node; node = node.parentNode) {
			lineInside -= node.yogaNode?.getComputedTop() ?? 0;
			columnInside -= node.yogaNode?.getComputedLeft() ?? 0;
		}

		const {yogaNode} = element;
		if (
			yogaNode && lineInside >= 0 && lineInside < yogaNode.getComputedHeight()
			&& columnInside >= 0 && columnInside < yogaNode.getComputedWidth()
		) {
			return at(lineInside, columnInside);
		}
	}

	return undefined;
}
