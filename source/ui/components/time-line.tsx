/* eslint-disable react/react-in-jsx-scope -- TypeScript's automatic JSX runtime needs no React in scope. */
import {useSession} from '../hooks/session.js';
import {lookedAtCell} from '../state/actions/looking-back.js';
import {timeLine} from '../text/time-line.js';
import {Lines} from './lines.js';

/** CPU and blocked threads over time, and which of it is looked at; there while the past is. */
export function TimeLine() {
	const {ui, data, layout, theme} = useSession();
	const cellMs = lookedAtCell(ui);
	return layout.timeLines > 0 && cellMs !== undefined && data.past
		? <Lines lines={timeLine(data.ring, {cellMs, spanMs: ui.spanMs, toMs: data.past.toMs}, layout, theme)} height={layout.timeLines}/>
		: null;
}
