import {createContext, use} from 'react';
import type {Behind} from '../text/layers.js';

/** What the session's screen shows now. */
export const SessionContext = createContext<Behind | undefined>(undefined);

/** What the session's screen shows now. */
export function useSession(): Behind {
	return use(SessionContext)!;
}
