import {createContext, use} from 'react';
import type {Theme} from '../terminal/theme.js';

/** How lines look, and how many cells they may have. */
export type Looks = {readonly theme: Theme; readonly width: number};

export const LooksContext = createContext<Looks | undefined>(undefined);

/** How this screen looks. */
export function useLooks(): Looks {
	return use(LooksContext)!;
}
