import {Box} from 'ink';
import type {PropsWithChildren} from 'react';
import {HitAreasContext, type HitAreas} from '../hooks/hit-areas.js';
import type {Theme} from '../terminal/theme.js';
import {ThemeContext} from './text.js';

type ScreenProps = PropsWithChildren<{readonly theme: Theme; readonly hitAreas: HitAreas}>;

/** Parts of a screen below each other, with a theme; those that can be clicked add themselves to `hitAreas`. */
export function Screen({theme, hitAreas, children}: ScreenProps) {
	return (
		<ThemeContext value={theme}>
			<HitAreasContext value={hitAreas}>
				<Box flexDirection='column'>
					{children}
				</Box>
			</HitAreasContext>
		</ThemeContext>
	);
}
