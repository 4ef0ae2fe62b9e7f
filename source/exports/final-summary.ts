import type {Snapshot} from '../model/snapshot.js';
import {stateCode} from '../model/thread-state.js';
import {defaultQuery} from '../query/defaults.js';
import {queryLineDetail} from '../query/detail.js';
import {formatMs, formatPercent} from '../query/format.js';
import {queryLines} from '../query/lines.js';
import {shortName} from '../query/names.js';
import type {LineRow, Query} from '../query/types.js';
import {costLine, targetLine, timeLine} from './session-lines.js';
import {cutEnd, wrapAt} from './text-table.js';

const maxCostLines = 2;
const maxLines = 10;
const maxHot = 5;
const maxBlocked = 2;
const ownerWidth = 20;

/**
What stays on the terminal after the live view has ended: target, time, cost, the hottest lines, and the lines where threads were blocked with who held the lock.
At most ten lines of at most `width` terminal cells; everything since the session's start.
*/
export function renderFinalSummary(snapshot: Snapshot, width = 80): string[] {
	const head = [targetLine(snapshot), timeLine(snapshot, undefined), ...wrapAt(' | ', costLine(snapshot, undefined), width).slice(0, maxCostLines)];
	const blockedQuery: Query = {...defaultQuery, states: ['BLOCKED'], unit: 'ticks'};
	const blocked = queryLines(snapshot, undefined, blockedQuery).rows.filter(row => row.selfTicks > 0).slice(0, maxBlocked);
	const hotRoom = Math.min(maxHot, maxLines - head.length - blocked.length);
	const hot = queryLines(snapshot, undefined, defaultQuery).rows.filter(row => row.selfCpuNs > 0).slice(0, hotRoom);
	return [
		...head,
		...hot.map(row => `${formatPercent(row.selfPercent).padStart(5)}% ${formatMs(row.selfCpuNs).padStart(8)} ms  ${shortName(row, Math.max(width - 19, 1), true)}`),
		...(hot.length === 0 ? ['no line of Java code used CPU time'] : []),
		...blocked.map(row => blockedLine(snapshot, blockedQuery, row, width)),
	].map(line => cutEnd(line, width));
}

function blockedLine(snapshot: Snapshot, query: Query, row: LineRow, width: number): string {
	const [holder] = queryLineDetail(snapshot, undefined, query, row.key).holders;
	const head = `blocked ${row.states[stateCode.BLOCKED]}x at `;
	if (!holder?.ownerName) {
		return head + shortName(row, Math.max(width - head.length, 1), true);
	}

	const isAlone = holder.percent >= 99.5;
	const [place] = holder.took;
	const owner = `${cutEnd(holder.ownerName, ownerWidth)}${isAlone ? '' : ` (${formatPercent(holder.percent)}%)`}`;
	const by = `, ${isAlone ? 'held' : 'most often'} by ${owner}`;
	if (!place) {
		return head + shortName(row, Math.max(width - head.length - by.length, 1), true) + by;
	}

	// Half of what is left for each place; the holder's own class says more than the lock's.
	const between = `${by} at `;
	const room = Math.max(width - head.length - between.length, 2);
	const name = shortName(row, Math.ceil(room / 2), true);
	return `${head}${name}${between}${shortName(place.place, room - name.length, true)}`;
}
