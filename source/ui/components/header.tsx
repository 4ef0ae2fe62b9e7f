/* eslint-disable react/react-in-jsx-scope -- TypeScript's automatic JSX runtime needs no React in scope. */
import {cut} from '../text/cells.js';
import {messageLines, messageText} from '../text/footer-lines.js';
import {
	sessionLine, strip, tabsLine, targetLine, vitalsLine,
} from '../text/header-lines.js';
import {useSession} from '../hooks/session.js';
import {Line} from './lines.js';

/**
Target, session and cost, the target's own figures; on low screens the first of them, and for a while what was said in
its place.
*/
export function Header() {
	const {ui, data, layout, theme} = useSession();
	if (layout.header === 'none') {
		return null;
	}

	// Without a footer, what is typed or was done just now takes the header's line.
	const isTyping = ui.layers.at(-1)?.kind === 'input';
	if (!layout.hasFooter && (isTyping || ui.message)) {
		return <Line text={isTyping ? messageLines(ui, data, layout.width, theme)[0] : cut(messageText(ui, data).text, layout.width)}/>;
	}

	return (
		<>
			<Line text={targetLine(ui, data, layout, theme)}/>
			{layout.header === 'full'
				? (
					<>
						<Line text={sessionLine(data, layout.width, theme)}/>
						<Line text={vitalsLine(data, layout.width, theme)}/>
					</>
				)
				: null}
		</>
	);
}

/** All threads by state, over the whole width. */
export function StateStrip() {
	const {data, layout, theme} = useSession();
	return layout.header === 'full' ? <Line text={strip(data, layout.width, theme)}/> : null;
}

/** The views, and what of the rows is shown. */
export function Tabs() {
	const {ui, data, layout, theme} = useSession();
	return layout.header === 'full' ? <Line text={tabsLine(ui, data, layout.width, theme)}/> : null;
}
