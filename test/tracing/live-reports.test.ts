import {expect, test} from 'vitest';
import {UserError} from '../../source/runtime/errors.js';
import {LiveReports} from '../../source/tracing/live-reports.js';
import {serviceSnapshots} from '../exports/snapshots.js';
import {sourceOf} from '../helpers/session-screen.js';

const {whole} = serviceSnapshots();

/** A source of one snapshot that says what it was asked for. */
const sourceThatSays = (asked: string[]) => sourceOf(() => whole, {
	askForHolders() {
		asked.push('holders');
	},
	setPaused(isPaused) {
		asked.push(`paused ${isPaused}`);
	},
	async close() {
		asked.push('close');
	},
});

test('what is asked of the sampling goes on to it; the same report leaves the same snapshot', async () => {
	const asked: string[] = [];
	let report = {name: 'first'};
	const live = new LiveReports<{read(): typeof report; close(): Promise<void>}, typeof report>((snapshot, {name}) => ({...snapshot, name}), {
		read: () => report,
		async close() {
			asked.push('end');
		},
	});
	const source = live.source(sourceThatSays(asked));
	const first = source.read();
	expect(first).toEqual({...whole, name: 'first'});
	expect(source.read()).toBe(first);
	report = {name: 'second'};
	expect(source.read()).toEqual({...whole, name: 'second'});
	source.askForHolders?.();
	source.setPaused(true);
	await source.close();
	await live.close();
	await live.close();
	expect(asked).toEqual(['holders', 'paused true', 'close', 'end']);
});

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
	const source = live.source(sourceThatSays([]));
	const first = source.read();
	expect(source.read()).toBe(first);
	expect(source.status()).toMatchObject({message: 'the file is gone'});
	expect(isEnded).toBe(true);
});
