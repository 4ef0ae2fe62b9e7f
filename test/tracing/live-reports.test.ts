import {expect, test} from 'vitest';
import {UserError} from '../../source/runtime/errors.js';
import {LiveReports} from '../../source/tracing/live-reports.js';
import {serviceSnapshots} from '../exports/snapshots.js';
import {sourceOf} from '../helpers/session-screen.js';

test('a session that cannot be read any more is ended, and what it said last stays', () => {
	let isEnded = false;
	let reads = 0;
	const live = new LiveReports<{read(): {name: string}; close(): Promise<void>}, {name: string}>((snapshot, {name}) => ({...snapshot, name}), {
		read() {
			if (reads++ > 0) {
				throw new UserError('the file is gone');
			}

			return {name: 'last'};
		},
		async close() {
			isEnded = true;
		},
	});
	const source = live.source(sourceOf(() => serviceSnapshots().whole));
	const first = source.read();
	expect(source.read()).toBe(first);
	expect(source.status()).toMatchObject({message: 'the file is gone'});
	expect(isEnded).toBe(true);
});
