import {blockersView} from './blockers/view.js';
import {changesView} from './changes/view.js';
import {flameView} from './flame/view.js';
import {focusView} from './focus/view.js';
import {linesView} from './lines/view.js';
import {stacksView} from './stacks/view.js';
import {tasksView} from './tasks/view.js';
import {threadsView} from './threads/view.js';
import {tracesView} from './traces/view.js';
import {treeView} from './tree/view.js';
import {waitsView} from './waits/view.js';
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
			label: threads.length === 1 ? threads[0].name : `${threads.length} threads`,
		};
}
