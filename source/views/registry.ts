import {blockersView} from './blockers.js';
import {changesView} from './changes.js';
import {focusView} from './focus.js';
import {linesView} from './lines.js';
import {stacksView} from './stacks.js';
import {tasksView} from './tasks.js';
import {threadsView} from './threads.js';
import {tracesView} from './traces.js';
import {treeView} from './tree.js';
import type {View} from './view.js';

/** The views in the order of Tab. The first is what the screen starts with, and what --sort is about. */
export const views: readonly View[] = [linesView, threadsView, blockersView, stacksView, treeView, changesView, tracesView, tasksView, focusView];

export const comparingView = views.find(({comparesWithBaseline}) => comparesWithBaseline)!;

export function viewOf(id: string): View {
	return views.find(view => view.id === id)!;
}
