import {safe} from '../util/printable.js';
import {blockersView} from './blockers/blockers-view.js';
import {changesView} from './changes/changes-view.js';
import {flameView} from './flame/flame-view.js';
import {focusView} from './focus/focus-view.js';
import {linesView} from './lines/lines-view.js';
import {memoryView} from './memory/memory-view.js';
import {poolsView} from './pools/pools-view.js';
import {stacksView} from './stacks/stacks-view.js';
import {tasksView} from './tasks/tasks-view.js';
import {threadsView} from './threads/threads-view.js';
import {tracesView} from './traces/traces-view.js';
import {treeView} from './tree/tree-view.js';
import {waitsView} from './waits/waits-view.js';
import type {RowDetail, View, ViewRow} from './common/view.js';

/** The views in the order of Tab. The screen starts with the first one unless the options name another. */
export const views: readonly View[] = [
	linesView,
	threadsView,
	blockersView,
	waitsView,
	stacksView,
	treeView,
	flameView,
	memoryView,
	poolsView,
	changesView,
	tracesView,
	tasksView,
	focusView,
];

export const comparingView = views.find(({comparesWithBaseline}) => comparesWithBaseline)!;

export function viewOf(id: string): View {
	return views.find(view => view.id === id)!;
}

/** Returns the keys of a row's threads, and a label for them. */
export function threadsOf(view: View, row: ViewRow, {threads}: RowDetail): ReturnType<NonNullable<View['threadsOf']>> {
	return view.threadsOf?.(row)
		?? {
			keys: threads.map(({key}) => key),
			label: threads.length === 1 ? threads[0].name : safe`${threads.length} threads`,
		};
}
