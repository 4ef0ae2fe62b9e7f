/* eslint-disable react/react-in-jsx-scope -- TypeScript's automatic JSX runtime needs no React in scope. */
import {useSession} from '../hooks/session.js';
import {layerLines, type CoveringLayer} from '../text/layers.js';
import {Lines} from './lines.js';

/** What lies over the table, scrolled: the help, a row's detail, a menu. */
export function LayerPage({layer}: {readonly layer: CoveringLayer}) {
	const session = useSession();
	const {layout} = session;
	const lines = layerLines(layer, session);
	const from = Math.min('top' in layer ? layer.top : 0, Math.max(0, lines.length - layout.layerLines));
	return <Lines lines={lines.slice(from, from + layout.layerLines)} height={layout.layerLines}/>;
}
