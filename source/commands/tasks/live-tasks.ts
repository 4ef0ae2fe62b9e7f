import type {TaskReport} from '../../model/tasks/report.js';
import {LiveReports} from '../../tracing/live-reports.js';
import type {TaskSession} from '../../tracing/tasks/session.js';

/** Tasks that are followed beside the sampling; what is known of them stands in each snapshot. */
export class LiveTasks extends LiveReports<TaskSession, TaskReport> {
	constructor(session: TaskSession) {
		super((snapshot, tasks) => ({...snapshot, tasks}), session);
	}
}
