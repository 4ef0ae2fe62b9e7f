import {fromNames} from '../../model/column-types.js';
import {rootNode, unknownLine} from '../../model/frame.js';
import {contentionColumns, threadColumns} from '../../model/schema.js';
import {SnapshotBuilder} from '../../model/snapshot-builder.js';
import type {Snapshot} from '../../model/snapshot.js';
import {printable} from '../../model/text.js';
import {threadStates, type ThreadState} from '../../model/thread-state.js';
import {boundedStacks, tooMany} from './limits.js';
import type {PiecewiseProfile} from './piecewise.js';
import {size, type ProfileTables} from './profile-tables.js';
import {valueOf} from './saved-cells.js';
import {savedContentionColumns, savedThreadColumns, type SavedSession, classLengthOf, labelKey, maxTicks} from './session-comment.js';

const savedThreadNumbers = savedThreadColumns.filter(name => name !== 'name');

/** The snapshot that a profile of ours was written from. Throws RangeError where the profile and its session data disagree. */
export function ownSnapshot(profile: PiecewiseProfile, tables: ProfileTables, saved: SavedSession): Snapshot {
	const builder = new SnapshotBuilder();
	const frameOf = framesOf(builder, tables, saved);
	const noFrames = new Set(saved.noFrames);
	const addStack = boundedStacks(builder);
	const nodeOf = (locationIds: readonly number[]) => addStack(locationIds.filter(id => !noFrames.has(id)).map(id => frameOf(id)));
	const threadOfKey = new Map<number, number>();
	for (const thread of saved.threads) {
		const index = builder.addThread({key: thread.key, nativeId: thread.nativeId, name: thread.name, flags: thread.flags});
		threadOfKey.set(thread.key, index);
	}

	let ticksSum = 0;
	const nodes: number[] = [];
	for (const {locationId, value, label} of profile.sample) {
		const labels = tables.labels(label);
		const thread = threadOfKey.get(labels.get(labelKey.javaId)?.num ?? Number.NaN);
		const state = threadStates.indexOf(labels.get(labelKey.state)?.text as ThreadState);
		if (thread === undefined || state === -1 || value.length < 2) {
			throw new RangeError('a sample without thread, state or values');
		}

		ticksSum += size(value[0]);
		if (ticksSum > maxTicks) {
			throw tooMany(maxTicks, 'ticks');
		}

		const node = nodeOf(locationId.map(id => size(id)));
		builder.count(thread, node, state, size(value[0]), size(value[1]), value.length > 3 ? {records: size(value[2]), samples: size(value[3])} : undefined);
		nodes.push(node);
	}

	const extraNodes = saved.stacks.map(stack => nodeOf(stack));
	const nodeAt = (stack: number) => stack === -1 ? rootNode : (stack < nodes.length ? nodes[stack] : extraNodes[stack - nodes.length]);
	const frameAt = (location: number) => location === 0 ? 0 : frameOf(location);
	const context = {internString: (text: string) => builder.internString(text), nodeAt, frameAt};
	for (const [index, thread] of saved.threads.entries()) {
		builder.setNow(index, {...fromNames(savedThreadNumbers, name => valueOf(threadColumns[name].unit, thread[name], context)), alive: thread.alive === 1});
	}

	for (const row of saved.contention) {
		builder.addContention(fromNames(savedContentionColumns, name => valueOf(contentionColumns[name].unit, row[name], context)));
	}

	return builder.build({target: saved.target, session: saved.session});
}

function framesOf(builder: SnapshotBuilder, tables: ProfileTables, saved: SavedSession): (locationId: number) => number {
	const lines = new Map(saved.lines);
	const classLengths = new Map(saved.classLengths);
	const ids = new Map<number, number>();
	return locationId => {
		let id = ids.get(locationId);
		if (id === undefined) {
			const [{functionId, functionName, file, line}] = tables.frames(locationId);
			const length = classLengths.get(functionId) ?? classLengthOf(functionName);
			const method = length === 0 ? functionName : functionName.slice(length + 1);
			id = builder.addFrame(printable(functionName.slice(0, length)), printable(method), file, line > 0 ? line : lines.get(locationId) ?? unknownLine);
			ids.set(locationId, id);
		}

		return id;
	};
}
