/* eslint-disable react/react-in-jsx-scope -- TypeScript's automatic JSX runtime needs no React in scope. */
import {keyLine, shownMessage} from '../text/footer-lines.js';
import {leadsOn} from '../text/layers.js';
import {hintLine} from '../keys/hints.js';
import {useSession} from '../hooks/session.js';
import {Line, Lines} from './lines.js';

/** The line being typed and what is wrong with it, or what is to be said. */
export function Prompt() {
	const {ui, data, layout, theme} = useSession();
	return layout.hasFooter ? <Lines lines={shownMessage(ui, data, layout, theme)} height={layout.messageLines}/> : null;
}

/** The keys that matter here. */
export function KeyLine() {
	const session = useSession();
	const {ui, data, layout, theme} = session;
	return layout.hasFooter ? <Line text={keyLine(ui, data, {...layout, leadsOn: leadsOn(session)}, theme)}/> : null;
}

/** The keys that help most with the selected row. */
export function HintLine() {
	const {ui, data, layout, theme} = useSession();
	return layout.hasHints ? <Line text={hintLine(ui, data, layout.width, theme)}/> : null;
}
